"""A person's folder with the files of a vault that a server has, kept in step both ways.

Folder, server and what both last agreed on are compared (`core/file_sides`); texts are merged by
the server, so offline work only waits. The agreement is kept in the state folder.
"""
