"""`bash`: running commands.

`process` runs one in a session of its own, `tree` finds all that descends from it, `output` keeps what it
printed within bounds, `shell` knows which shell and environment to use; `tool` is the tool.
"""
