"""The version, which every floor may know."""

__version__ = "0.1.0"
