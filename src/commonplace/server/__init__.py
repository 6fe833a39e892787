"""One module a protocol; `app` wires them."""
