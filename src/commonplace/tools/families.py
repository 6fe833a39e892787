"""The names of the tools: by family, which of them write, and which a client should load at once.

Plain data, cheap to import: the command line checks a person's choice against it before anything
is opened.
"""

from collections.abc import Collection, Iterable

from commonplace.errors import BadArgument
from commonplace.vault.settings import FAMILIES

FAMILY_TOOLS = {
    "files": ("read", "glob", "grep", "edit", "get_links"),
    "notes": (
        "create_note",
        "read_note",
        "read_metadata",
        "update_note",
        "delete_note",
        "list_notes",
        "text_search",
        "property_search",
        "get_kiln_info",
        "semantic_search",
    ),
    "graph": (
        "search",
        "get_node",
        "get_neighbors",
        "find_path",
        "get_hubs",
        "search_by_tags",
        "random_node",
        "create_node",
        "update_node",
        "delete_node",
    ),
    "history": ("history", "blame", "describe_changes", "withdraw_changes"),
}
WRITING_TOOLS = frozenset(
    (
        "edit",
        "create_note",
        "update_note",
        "delete_note",
        "create_node",
        "update_node",
        "delete_node",
        "describe_changes",
        "withdraw_changes",
    )
)
FOR_PARTS = frozenset(
    (
        *("read", "glob", "grep", "edit", "get_links"),
        *("create_note", "read_note", "read_metadata", "update_note", "delete_note"),
        *("list_notes", "text_search", "property_search", "semantic_search", "get_kiln_info"),
        *("search", "get_node", "get_neighbors", "find_path", "get_hubs", "search_by_tags"),
        *("random_node", "create_node", "update_node", "delete_node"),
    )
)
"""What is offered to one who sees some folders alone: each was tried with notes outside of them."""
ALWAYS_LOADED = ("read", "grep", "glob", "edit", "get_links", "semantic_search", "create_note")
"""What an assistant needs for most tasks. The others it finds by their search hints."""

_TOOLS = tuple(name for names in FAMILY_TOOLS.values() for name in names)


def offered(families: Collection[str], *, read_only: bool = False) -> tuple[str, ...]:
    """Return the names of the tools of these families, in the order in which they are listed."""
    names = (name for family in FAMILIES if family in families for name in FAMILY_TOOLS[family])
    return tuple(name for name in names if not (read_only and name in WRITING_TOOLS))


def always_loaded(words: Iterable[str], where: str) -> tuple[str, ...]:
    """Return the tools that families and tool names stand for; `all` and `none` are words too."""
    given = [word.strip() for word in words]
    if given == ["none"]:
        return ()
    if given == ["all"]:
        return _TOOLS
    chosen = {name for word in given for name in _meant(word, where)}
    return tuple(name for name in _TOOLS if name in chosen)


def _meant(word: str, where: str) -> tuple[str, ...]:
    if word in FAMILY_TOOLS:
        return FAMILY_TOOLS[word]
    if word in _TOOLS:
        return (word,)
    families = ", ".join(FAMILIES)
    raise BadArgument(
        f"{where}: {word!r} is neither a family ({families}) nor a tool. "
        "Name some of these, or all, or none."
    )
