"""The report of a run: one page that opens offline, and its charts and tables as files."""

from serverlab.report.export import export
from serverlab.report.page import write_report
from serverlab.analysis.precision import imprecise, needs_more_blocks

__all__ = ["export", "imprecise", "needs_more_blocks", "write_report"]
