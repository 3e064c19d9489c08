"""What serverlab's own parts cost, beside what others do: never a test, always a measurement."""
