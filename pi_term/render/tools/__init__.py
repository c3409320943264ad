"""How each tool's calls are drawn: a title for the row, and what is under it."""
