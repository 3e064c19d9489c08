"""The report of a run: one page that opens offline, and its charts and tables as files."""
