"""The wire format of Yjs: frames, updates, positions, and the scan of what comes from outside.

An update that would do harm is refused before any document is built from it.
"""
