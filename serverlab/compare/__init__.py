"""Two runs of the same experiment beside each other: before and after, here and there."""
