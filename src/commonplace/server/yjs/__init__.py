"""Live documents over sockets: y-websocket and y-sweet, rooms and who is present in them.

Delivery is ordered and bounded: a client that cannot keep up is closed. Imports access.
"""
