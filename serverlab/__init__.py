"""The laboratory: plans experiments, runs trials, analyses and reports.

It never runs inside a measured process.
"""
