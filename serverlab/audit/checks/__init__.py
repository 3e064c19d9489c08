"""The checks, a law each: a row goes in, findings come out."""
