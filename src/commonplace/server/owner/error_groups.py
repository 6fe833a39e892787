"""Errors out of the groups that task groups put them in."""

from collections.abc import Generator
from contextlib import contextmanager

from commonplace.errors import CommonplaceError


@contextmanager
def plain_errors() -> Generator[None]:
    """Raise the first `CommonplaceError` in a group as itself; a group of bugs stays a group."""
    try:
        yield
    except BaseExceptionGroup as group:
        found = _first(group)
        if found is None:
            raise
        raise found from None


def _first(error: BaseException) -> CommonplaceError | None:
    if isinstance(error, CommonplaceError):
        return error
    inner: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return next((found for each in inner if (found := _first(each))), None)
