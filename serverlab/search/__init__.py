"""The highest rate at which a server keeps its promises, and how latency grows with the rate."""
