"""The whole text of a note from what an assistant gives: content, properties, or both.

`content` is the text after the frontmatter. Content that itself opens with a frontmatter block is
the whole text (an assistant writes back what it read), and then properties cannot be given beside
it. Blank lines between block and body belong to neither and stay.
"""

from collections.abc import Mapping

from commonplace.core import frontmatter
from commonplace.core.text.merge import merge3
from commonplace.errors import BadArgument, ChangedSinceRead

_BOTH = (
    "content opens with a frontmatter block, and frontmatter is given as well. Leave one of the"
    " two out."
)

Properties = Mapping[str, object]


def composed(content: str, properties: Properties | None) -> str:
    """Return the text of a new note."""
    text = _plain(content)
    if not properties:
        return text
    _refuse_both(text, properties)
    return frontmatter.replace(text if text.startswith("\n") else f"\n{text}", properties)


def rewritten(text: str, content: str | None, properties: Properties | None) -> str:
    """Return a note's text with other content, other properties, or both."""
    if content is not None:
        _refuse_both(content, properties)
        text = _with_content(text, _plain(content))
    return text if properties is None else frontmatter.replace(text, properties)


def parts(text: str) -> tuple[str, str]:
    """Return a note's frontmatter block, fences included, and its body."""
    block = frontmatter.split(text)
    return (text[: block.body_start], text[block.body_start :]) if block else ("", text)


def merged(base: str, current: str, wanted: str) -> str:
    """Make the change from `base` to `wanted` in a text that others have changed since.

    Raises:
        ChangedSinceRead: both changed the properties, in ways that do not go together.

    """
    if current in (base, wanted):
        return wanted
    both = merge3(base, current, wanted)
    if frontmatter.read(both).error and not frontmatter.read(wanted).error:
        raise ChangedSinceRead
    return both


def _with_content(text: str, content: str) -> str:
    block = frontmatter.split(text)
    if block is None or frontmatter.split(content) is not None:
        return content
    body = text[block.body_start :]
    blank = len(body) - len(body.lstrip("\n"))
    if not content.startswith("\n") and blank < len(body):
        return text[: block.body_start + blank] + content
    return text[: block.body_start] + content


def _refuse_both(content: str, properties: Properties | None) -> None:
    if properties is not None and frontmatter.split(_plain(content)) is not None:
        raise BadArgument(_BOTH)


def _plain(content: str) -> str:
    return content.replace("\r\n", "\n")
