"""What a vault gives a store over it: the parts that walks and batches are made from."""

from collections.abc import Callable
from dataclasses import dataclass

from commonplace.vault.contents import Contents
from commonplace.vault.graph import LinkGraph
from commonplace.vault.index import Index
from commonplace.vault.noticing import Noticing


@dataclass(frozen=True, slots=True)
class Linked:
    """The index, its mirror, the link graph, what is amiss, and a note's text by number."""

    index: Index
    contents: Contents
    graph: LinkGraph
    noticing: Noticing
    text: Callable[[int], bytes]
