"""Connections raised until something gives, and what it was."""
