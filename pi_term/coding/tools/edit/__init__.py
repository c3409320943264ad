"""`edit`: replacing exact pieces of a text file.

`source` reads a file as lines that all end alike, and knows the way back; `matching` finds the pieces;
`apply` puts the replacements in; `diff` shows what changed; `file` does all of it to a file; `tool` is the
tool, which loads the others with its first call.
"""
