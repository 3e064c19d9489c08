"""The report of a run: one page that opens offline, and its charts and tables as files."""

from serverlab.report.export import export
from serverlab.report.page import write_report
from serverlab.report.shortfall import imprecise

__all__ = ["export", "imprecise", "write_report"]
