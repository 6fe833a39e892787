"""Commands that run or set up something: server, assistants' side of it, service, site, model.

The only commands that import the server.
"""
