"""Widgets of the full-screen interface."""
