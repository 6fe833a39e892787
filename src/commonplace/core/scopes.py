"""What an access token allows: a ladder, each step with all that is below it.

Of which notes is another question: see `view`.

read       every note, listing, search and link; live documents to look at
suggest    changes that a person decides on: suggestions, and requests that wait for approval
write      changes to notes, as the policies say; live documents to type into
approve    what only people do: decide suggestions and requests
"""

from typing import Literal

Scope = Literal["read", "suggest", "write", "approve"]

SCOPES: tuple[Scope, ...] = ("read", "suggest", "write", "approve")

HOLDER_PREFIX = "token:"
"""How the id of an actor begins that showed an access token; its name is the token's."""


def assistant_of(actor: str, name: str) -> str:
    """Tell who an assistant is, whatever connection it uses: by its token, else by its name."""
    return actor if actor.startswith(HOLDER_PREFIX) else f"name:{name}"


def allows(scope: Scope, needed: Scope) -> bool:
    """Tell whether who has one scope may do what needs the other."""
    return SCOPES.index(scope) >= SCOPES.index(needed)
