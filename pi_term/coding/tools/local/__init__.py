"""This machine: its files and commands. `operations` is the whole of it, and loads the rest when used."""
