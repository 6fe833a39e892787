"""What an assistant can do: a table of tools."""
