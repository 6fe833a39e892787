"""Which actor writes under which client id of a document.

Ids of sockets are their clients' own choice; the ids that the server writes under, one for each
actor, are drawn at random the first time and kept with the document. They must not be computed
from the actor's name: if the log were lost, the clocks would begin again under the same ids with
other text, and clients that still hold the old text would never agree with anybody again.
"""

from collections.abc import Callable, Container, Iterable

from commonplace.vault.log.log import Author


class Authors:
    """The client ids of one document."""

    def __init__(self, draw_client: Callable[[], int], known: Iterable[Author]) -> None:
        self._draw_client = draw_client
        self._by_client: dict[int, Author] = {}
        self._ours: dict[str, Author] = {}
        self.register(known)

    def actors(self) -> dict[int, str]:
        """Tell who wrote under each client id."""
        return {client: author.actor for client, author in self._by_client.items()}

    def register(self, authors: Iterable[Author]) -> tuple[Author, ...]:
        """Take authors in; answers those that were not known. The first of an id stays."""
        fresh = tuple(author for author in authors if author.client not in self._by_client)
        for author in fresh:
            self._by_client[author.client] = author
            if author.ours:
                self._ours[author.actor] = author
        return fresh

    def meet(self, clients: Iterable[int], actor: str) -> tuple[Author, ...]:
        """Take in the ids of an actor's own choice; answers those that were not known."""
        fresh = [client for client in clients if client not in self._by_client]
        return self.register(Author(client, actor, ours=False) for client in fresh) if fresh else ()

    def own(self, actor: str, used: Container[int]) -> Author:
        """Find the id that the server writes under for an actor; the first time, draw one."""
        author = self._ours.get(actor)
        while author is None:
            client = self._draw_client()
            if client not in used and client not in self._by_client:
                author = Author(client, actor, ours=True)
        return author

    def are_ours(self, clients: Iterable[int]) -> bool:
        """Tell whether the server itself writes under any of these."""
        for client in clients:
            known = self._by_client.get(client)
            if known is not None and known.ours:
                return True
        return False
