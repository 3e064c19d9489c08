"""Faults that are put into programs: calls that fail, kills, clocks that jump."""
