"""What is given to people: wheel, source, the bundle for Claude Desktop, the registry's entry."""
