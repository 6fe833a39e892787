"""The address of a note as a resource: `note:///` and its path, percent-encoded.

A client may also expand the template `note:///{+path}` itself, which leaves `?`, `#` and the like
as they are; so whatever follows the three slashes is the path, and nothing in it is a query.
"""

from urllib.parse import quote, unquote

from commonplace.core.text.quotation import one_line
from commonplace.errors import NotFound

SCHEME = "note:///"
TEMPLATE = "note:///{+path}"


def note_uri(path: str) -> str:
    """Write the address of a note."""
    return SCHEME + quote(path, safe="/")


def note_path(uri: str) -> str:
    """Read a note's path out of an address; `NotFound` when it cannot be one of ours."""
    if not uri.startswith(SCHEME):
        raise NotFound(f"No such resource: {one_line(uri)}. Notes have addresses like {TEMPLATE}.")
    try:
        return unquote(uri.removeprefix(SCHEME), errors="strict")
    except UnicodeDecodeError:
        raise NotFound(
            f"No such resource: {one_line(uri)}. Percent-encode the path as UTF-8."
        ) from None


def canonical(uri: str) -> str:
    """Give the one spelling that notices use; an address of another kind stays as it is."""
    try:
        return note_uri(note_path(uri))
    except NotFound:
        return uri
