"""What an assistant can do: a table of tools, and a module for each family of them.

A tool is a straight line: parse, permit, act, render. A family knows no other family and no
protocol. Imports the vault and the core.
"""
