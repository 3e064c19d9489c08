"""The claims, a file for each report."""
