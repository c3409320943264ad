"""Keys: their names, the files that bind them to actions, and the resolver that widgets ask.

Nothing here knows Textual. `names` normalises key names, `files` reads keymap files, `table` merges
their layers into one immutable `KeyTable`, `resolver` follows what is typed, chords included.
"""
