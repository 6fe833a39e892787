"""Commonplace: a knowledge base that people and AI assistants write together."""

__version__ = "0.1.0"
