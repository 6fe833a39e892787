"""The hosts that a server listens on and goes by.

A browser can be made to call a server under a name that an attacker's DNS points at it, so a server
answers to the names it was told and to no other, tokens or not.
"""

import ipaddress
import re
import socket
from collections.abc import Sequence
from contextlib import suppress

from commonplace.errors import BadArgument
from commonplace.vault.settings import Access

_NAME = re.compile(r"[a-z0-9_.-]{1,253}(:[0-9]{1,5})?")


def addresses(host: str) -> list[tuple[socket.AddressFamily, str]]:
    """Look up all the addresses of a host."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadArgument(f"There is no host {host!r}. Use --host 127.0.0.1.") from None
    return sorted({(family, str(where[0])) for family, _, _, _, where in found})


def exposure(host: str, names: Sequence[str], *, require_token: bool) -> Access:
    """Work out by which hosts a server goes, and whether it asks for tokens."""
    found = [ipaddress.ip_address(address) for _, address in addresses(host)]
    if any(address.is_unspecified for address in found):
        if not names:
            raise BadArgument(
                f"Serving on {host} needs access tokens (commonplace token create NAME) and the"
                " names or addresses that others reach this machine by: add --allow-host, such as"
                " --allow-host notes.example.org. To stay on this machine: --host 127.0.0.1."
            )
        hosts = names
    else:
        hosts = (host, *map(_written, found), *names)
    checked = tuple(dict.fromkeys(map(_host, hosts)))
    return Access(checked, require_token or not on_this_machine(host))


def on_this_machine(host: str) -> bool:
    """Tell whether nobody but this machine reaches a host."""
    return all(ipaddress.ip_address(address).is_loopback for _, address in addresses(host))


def _host(name: str) -> str:
    """Write a name the way browsers put it into a request."""
    name = name.strip().lower()
    with suppress(ValueError):
        return _written(ipaddress.ip_address(name.strip("[]")))
    if not _NAME.fullmatch(name):
        raise BadArgument(f"{name!r} is no host. Write a name or an address, such as 192.0.2.7.")
    return name


def _written(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    return f"[{address}]" if address.version == 6 else str(address)
