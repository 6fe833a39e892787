"""The file as one more peer of a live document, both ways.

No single look at a file is believed when it would delete much; what a swap pushed out is watched
until its writer is done. Imports files, log and the documents' engine.
"""
