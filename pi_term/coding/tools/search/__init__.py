"""Looking for files and text: the tools `grep` and `find`, which ripgrep works for, and `ls`."""
