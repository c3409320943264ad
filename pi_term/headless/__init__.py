"""headless"""
