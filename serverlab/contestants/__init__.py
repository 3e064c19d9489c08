"""Servers that are not ours: their files, how they are built, and how none is left behind."""
