"""Adapters that speak the wire formats of model APIs; each is imported with its first request."""
