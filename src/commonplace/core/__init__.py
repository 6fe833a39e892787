"""Text in, values out: no I/O, clock, randomness, async or logging lives here.

Parsing never fails: what is no markup is text. Imports `errors` alone.
"""
