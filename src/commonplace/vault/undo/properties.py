"""Properties undone key by key: each has the value that others gave it last.

Letter by letter, the name of a property could go and a person's value stay behind. So where the
text that an undo leaves does not have these properties, its block is written anew.
"""

from collections.abc import Callable, Iterator, Sequence

from commonplace.core import critic, frontmatter
from commonplace.core.history import Delta, Passage, Undone, apply, between
from commonplace.errors import CommonplaceError
from commonplace.vault.history.history import Revision

Properties = dict[str, object]


def with_properties(
    found: Undone,
    now: str,
    text: str,
    revisions: Sequence[Revision],
    is_undone: Callable[[Revision], bool],
) -> Undone:
    """Return an undo whose result has each property as others left it.

    `text` is that before the first of the revisions, `now` the one after the last.
    """
    length = len(_block(now))
    read = _properties(now)
    across = any(each.start < length < each.end for each in found.delta)
    if not length or read is None or found.unclear or across:
        return found
    wanted = _without(text, revisions, is_undone, read)
    if wanted is None or _properties(apply(now, found.delta)) == wanted:
        return found
    try:
        whole = frontmatter.replace(now, wanted)
    except CommonplaceError:
        return found
    block = between(now[:length], whole[: len(whole) - len(now) + length])
    rest = tuple(each for each in found.passages if each.start >= length)
    delta = (*block, *(each for each in found.delta if each.start >= length))
    return Undone(delta, (*_passages(block), *rest))


def _passages(delta: Delta) -> Iterator[Passage]:
    for each in delta:
        if each.removed:
            yield Passage("remove", each.start, each.removed, 0, each.start)
        if each.added:
            yield Passage("restore", each.start, each.added, 0, each.start)


def _without(
    text: str, revisions: Sequence[Revision], is_undone: Callable[[Revision], bool], now: Properties
) -> Properties | None:
    """Play the properties without some revisions; None where a block cannot be read."""
    before = _properties(text)
    if before is None:
        return None
    wanted = dict(before)
    for each in revisions:
        text = apply(text, each.delta)
        after = _properties(text)
        if after is None:
            return None
        if not is_undone(each):
            for key in {*before, *after}:
                if before.get(key) != after.get(key) or (key in before) != (key in after):
                    wanted.pop(key, None)
                    wanted |= {key: after[key]} if key in after else {}
        before = after
    if before != now:
        return None
    order = [*(key for key in now if key in wanted), *(key for key in wanted if key not in now)]
    return {key: wanted[key] for key in order}


def _properties(text: str) -> Properties | None:
    """Read the properties; None if they are no properties, or part of them is suggested."""
    block = frontmatter.split(text)
    if block is not None and critic.suggestions(text[: block.body_start]):
        return None
    found = frontmatter.read_block(block)
    return None if found.error else dict(found.properties)


def _block(text: str) -> str:
    block = frontmatter.split(text)
    return text[: block.body_start] if block else ""
