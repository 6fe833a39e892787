"""Who may speak to the server, and how far: Host and Origin, access tokens, cookies, grants.

Checked before any route, sockets included. Tokens never stand in an address or a log. Imports no
other package of the server.
"""
