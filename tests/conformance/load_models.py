"""Every load model, and every way to share a load out among workers."""

from __future__ import annotations

MODELS = {
    "closed": ["--model=closed", "--depth=4"],
    "open": ["--model=open", "--rate=5000"],
    "open-bounded": ["--model=open-bounded", "--rate=5000", "--backlog-max=10"],
    "sessions": ["--model=sessions", "--rate=300", "--requests=5"],
    "churn": ["--model=churn", "--requests=3"],
    "ramp of connections": ["--model=ramp", "--ramp-from=1"],
    "hold": ["--model=hold", "--rate=500"],
}
WORKERS = {
    "one": [],
    "threads": ["--threads=3"],
    "processes": ["--processes=2", "--threads=2"],
    "uring": ["--transport=uring", "--threads=2"],
}
