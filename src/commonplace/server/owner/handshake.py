"""The greeting on `owner.sock`: one line from who connects, one line back from the owner.

It carries what the newcomer was started with (families of tools, read-only, policies, who may come
in, which store and who to be there), because each front end keeps its own choices although they
share one owner. `http` asks for a
socket to pass strangers on to; `desk` for the command line's own, where tokens can be made. Another
number in `commonplace` means lines that the other side would not understand; another version alone
is only worth a notice.
"""

import json
import os
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, cast, get_args

from commonplace import __version__
from commonplace.errors import BadArgument, Unavailable
from commonplace.vault.settings import Access, Root, Settings
from commonplace.vault.store_settings import StoreChoice

PROTOCOL = 4
HELLO_MAX = 64 * 1024
WELCOME_SECONDS_MAX = 60.0

ClientKind = Literal["mcp", "http", "desk"]

_LATER = {"vault", "prefix"}
_UNKNOWN = "This version of Commonplace does not understand that greeting."


@dataclass(frozen=True, slots=True)
class Hello:
    """Who connects, and for what."""

    kind: ClientKind
    session: str
    """Stays the same when a front end comes back to another owner."""
    pid: int
    roots: tuple[tuple[str, str], ...]
    families: tuple[str, ...]
    read_only: bool = False
    always_load: tuple[str, ...] | None = None
    policies: dict[str, str] = field(default_factory=dict[str, str])
    hosts: tuple[str, ...] = ()
    token: bool = False
    """Whether whoever comes in over HTTP needs an access token."""
    store: dict[str, object] = field(default_factory=dict[str, object], repr=False)
    """The store of the graph tools; its password goes no further than this socket."""
    urls: tuple[str, ...] = ()
    """For `http`: where it serves the page."""
    vault: str = ""
    """Between nodes that have several: which is meant."""
    prefix: str = ""
    """Below which address whoever comes in finds it."""
    version: str = __version__
    commonplace: int = PROTOCOL


@dataclass(frozen=True, slots=True)
class Welcome:
    """What the owner says to a `Hello`."""

    ok: bool = True
    error: str = ""
    version: str = __version__
    pid: int = field(default_factory=os.getpid)
    socket: str = ""
    """For `http` and `desk`: the name of the Unix socket beside `owner.sock` that speaks HTTP."""
    urls: tuple[str, ...] = ()


def hello(
    settings: Settings, kind: ClientKind, session: str = "", urls: tuple[str, ...] = ()
) -> Hello:
    """Greet with the choices in these settings."""
    return Hello(
        kind=kind,
        session=session,
        pid=os.getpid(),
        roots=_roots(settings.roots),
        families=settings.families,
        read_only=settings.read_only,
        always_load=settings.always_load,
        policies=settings.policies,
        hosts=settings.access.hosts,
        token=settings.access.token,
        store=_packed(settings.store),
        urls=urls,
        prefix=settings.access.prefix,
    )


def named_alone(greeting: Hello) -> Hello:
    """Leave out where the folders are: to another node that is this machine's own affair."""
    return replace(greeting, roots=tuple((name, "") for name, _ in greeting.roots))


def line(message: Hello | Welcome) -> bytes:
    """Write a greeting or its answer as one line."""
    fields = asdict(message)
    for name in _LATER & fields.keys():
        if not fields[name]:
            del fields[name]  # who does not know it need not
    return json.dumps(fields).encode() + b"\n"


def parse_hello(text: bytes) -> Hello:
    """Read a greeting."""
    found = _object(text)
    if found.get("commonplace") != PROTOCOL:
        raise BadArgument(
            f"This vault's owner is Commonplace {__version__}, which speaks another protocol than "
            "the process that called. Update both to one version and start them again."
        )
    try:
        given = Hello(**found)  # pyright: ignore[reportArgumentType]
        pairs = tuple((name, path) for name, path in given.roots)
    except (TypeError, ValueError):
        raise BadArgument(_UNKNOWN) from None
    if given.kind not in get_args(ClientKind):
        raise BadArgument(_UNKNOWN)
    loaded = None if given.always_load is None else tuple(given.always_load)
    return replace(
        given,
        roots=pairs,
        families=tuple(given.families),
        always_load=loaded,
        hosts=tuple(given.hosts),
        urls=tuple(map(str, given.urls)),
    )


def parse_answer(text: bytes) -> Welcome:
    """Read the owner's answer; a refusal is raised."""
    try:
        answer = Welcome(**_object(text))  # pyright: ignore[reportArgumentType]
    except (TypeError, BadArgument):
        raise Unavailable(
            "The vault's owner is of another version. Stop it and try again."
        ) from None
    if not answer.ok:
        raise Unavailable(answer.error)
    return answer


def chosen(settings: Settings, greeting: Hello) -> Settings:
    """Give the settings of one front end's session: its own choices on the owner's vault."""
    ours = _roots(settings.roots)
    # A node of a team has folders of its own, so it tells the names alone.
    alike = (sorted(ours), sorted((name, "") for name, _ in ours))
    if settings.several_roots and sorted(greeting.roots) not in alike:
        names = ", ".join(repr(root.name) for root in settings.roots)
        raise BadArgument(f"The vault is already open under other folder names: {names}. Use them.")
    return replace(
        settings,
        families=greeting.families,
        read_only=greeting.read_only,
        always_load=greeting.always_load,
        policies=greeting.policies,
        access=Access(
            greeting.hosts, greeting.token, greeting.kind == "desk", str(greeting.prefix)
        ),
        store=_unpacked(greeting.store),
    )


def _packed(store: StoreChoice) -> dict[str, object]:
    return {
        "url": store.url,
        "options": dict(store.options),
        "user": store.user,
        "password": store.password,
    }


def _unpacked(found: dict[str, object]) -> StoreChoice:
    try:
        return StoreChoice(**found) if found else StoreChoice()  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise BadArgument(_UNKNOWN) from None


def _roots(roots: tuple[Root, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((root.name, str(root.path.resolve())) for root in roots)


def _object(text: bytes) -> dict[str, object]:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadArgument(_UNKNOWN)
    return cast("dict[str, object]", found)
