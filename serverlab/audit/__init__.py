"""`serverlab audit`: results of load generators, checked without running anything."""
