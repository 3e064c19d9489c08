"""Exchanges that show whether a server speaks a service: for servers that are not ours."""
