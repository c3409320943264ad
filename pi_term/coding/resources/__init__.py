"""Files that people write for the program: found, ordered, and read only where trust allows it."""
