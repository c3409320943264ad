"""The one settings schema and the one store of their values."""
