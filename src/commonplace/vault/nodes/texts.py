"""The text of a node, taken apart: pure, the same for every store of texts."""

from commonplace.core.frontmatter import body


def split(text: str) -> tuple[str, str]:
    """Cut a text into what stands before its body, and its body; joined they are the text."""
    content = body(text)
    return text[: len(text) - len(content)], content
