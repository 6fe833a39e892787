"""The tests over a real PostgreSQL."""
