"""Which tools an assistant is offered: over a vault, or over the part of it that a view shows."""

from collections.abc import Sequence

from commonplace.tools import files, graph, history, meaning, notes, sets
from commonplace.tools.families import ALWAYS_LOADED, FOR_PARTS
from commonplace.tools.table import Tool, Toolbox
from commonplace.vault.nodes.docstore import DocStore
from commonplace.vault.nodes.store import Store
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault


def whole_toolbox(
    vault: Vault, permissions: Permissions, store: Store, own: Settings, page: sets.PageAddress
) -> Toolbox:
    """Return the tools over a vault; `page` tells where people decide."""
    tools = [
        *_shared_tools(vault, permissions, store),
        *history.tools(vault),
        *sets.tools(vault, page),
    ]
    return _box(vault, own, [sets.telling(vault, tool, page) for tool in tools])


def part_toolbox(whole: Vault, part: Vault, own: Settings) -> Toolbox:
    """Return the tools that may be had over a part of a vault."""
    permissions = part.permissions.under(own.policies)
    tools = _shared_tools(part, permissions, DocStore(part, permissions))
    return _box(whole, own, [tool for tool in tools if tool.name in FOR_PARTS])


def _shared_tools(vault: Vault, permissions: Permissions, store: Store) -> list[Tool]:
    return [
        *files.tools(vault),
        *notes.tools(vault, permissions),
        *meaning.tools(vault),
        *graph.tools(store),
    ]


def _box(vault: Vault, own: Settings, tools: Sequence[Tool]) -> Toolbox:
    loaded = ALWAYS_LOADED if own.always_load is None else own.always_load
    held = [history.held(vault.undo.write_lock, tool) for tool in tools]
    return Toolbox(held, own.families, read_only=own.read_only, always_load=loaded)
