"""State and I/O: one owner for each outside thing."""
