"""Text in, values out: no I/O, clock, randomness, async or logging lives here."""
