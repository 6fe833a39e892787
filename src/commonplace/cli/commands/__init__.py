"""The commands, one module each, loaded when it is called.

A command parses, asks the vault (here or through its owner), and prints. Commands share what is in
`cli`, and do not import each other.
"""
