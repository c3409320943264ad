"""Making what a model sees of a session shorter: where to cut, what to ask a model, what to keep.

Nothing here knows a running session: a `Preparation` is made of its context (`prepare`), told by a model
(`summarize`), and written down by whoever asked for it. `summarize_branch` does the same for a branch
of the tree that is left.
"""
