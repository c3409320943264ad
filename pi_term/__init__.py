"""pi-term: a terminal coding agent to live in."""

__version__ = "0.1.0"
