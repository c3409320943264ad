"""Differences of two texts as rows.

`model` reads them, `groups` finds which old line became which new one, `words` what differs between two
lines; `unified` and `columns` draw them one below the other or side by side, `view` decides which.
"""
