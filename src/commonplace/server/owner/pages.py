"""Where the page of a vault is served: by the owner itself, or by `serve` processes beside it."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 (to be replaced)


class PageAddresses:
    """The addresses of the page, the latest last."""

    def __init__(self) -> None:
        self._served: list[tuple[str, ...]] = []

    @contextmanager
    def served(self, urls: Sequence[str]) -> Generator[None]:
        """Count these while the body runs."""
        group = tuple(urls)
        self._served.append(group)
        try:
            yield
        finally:
            self._served.remove(group)

    def address(self) -> str:
        """Return where a person on this machine opens the page; empty if nobody serves it."""
        urls = [url for group in self._served for url in group]
        return f"{_reachable(urls[-1])}/" if urls else ""


def _reachable(url: str) -> str:
    for every, one in _EVERY_ADDRESS.items():
        url = url.replace(f"//{every}:", f"//{one}:")
    return url
