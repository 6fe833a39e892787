"""Change sets: what one assistant did for one purpose, reviewed and decided as one.

A set holds references to writes and no text: suggestions wait in the files, other writes in the
queue of approvals, and what became of each is on record there. Imports notes, suggestions and
permissions.
"""
