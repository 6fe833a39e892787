"""The files of a vault that are no notes: pictures, PDF, sound, whatever lies beside them.

An attachment is its file: it has no live document and no row in the index. What decodes one runs
in a process of its own (`decoder`), since a file from elsewhere may be made to do harm. Imports
notes and what is below.
"""
