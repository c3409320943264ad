"""Markdown as it streams in, turned into rows: read line by line, so that what is done stays done."""
