"""Hosts for the programs of a run: parts of this machine, or nodes of a Ray cluster."""
