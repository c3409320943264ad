"""Adapters that speak the wire formats of model APIs, and the HTTP under them; imported when first used."""
