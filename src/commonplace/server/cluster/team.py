"""What a node of a team's server is started with."""

import hashlib
import ssl
from dataclasses import dataclass, field
from pathlib import Path

from commonplace.errors import BadArgument
from commonplace.server.access.state_key import put_state_key
from commonplace.server.cluster.head import PLACE

_NAME_MAX = 50
_NO_KEY = (
    "The file of --node-key must hold a certificate and its private key, the same on every node."
    " Make one: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    " -days 3650 -subj /CN=commonplace -keyout node.pem -out node.pem"
)


@dataclass(frozen=True, slots=True)
class Team:
    """The database, the vault's name in it, where other nodes reach this one, and their key."""

    database: str = field(repr=False)
    vault: str
    """The only vault, or of several the one at `/`, if one is."""
    host: str
    port: int
    key: Path
    folder: Path | None = None
    """Where the folders of several vaults are, each under its name; None for one vault."""
    idle_seconds: float = 0.0
    """How long each of several vaults stays open when nobody uses it."""

    def context(self, *, server: bool) -> ssl.SSLContext:
        """Make the settings of TLS: whoever has not the same key is refused, on either side."""
        side = ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT
        context = ssl.SSLContext(side)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # it is the key that counts, wherever a node is
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_cert_chain(self.key)
            context.load_verify_locations(self.key)
        except (OSError, ssl.SSLError):
            raise BadArgument(_NO_KEY) from None
        return context

    def seal(self, state: Path, vault: str = "") -> None:
        """Put the key of cookies and grants where an owner looks for its own.

        What one node sealed, the next can open; each of several vaults has a key of its own.
        """
        put_state_key(state, self.sealing_key(vault))

    def sealing_key(self, vault: str = "") -> bytes:
        """Make that key from the one of the nodes."""
        try:
            secret = self.key.read_bytes()
        except OSError:
            raise BadArgument(_NO_KEY) from None
        name = f"{vault}\0" if vault else ""
        return hashlib.sha256(f"commonplace state key\0{name}".encode() + secret).digest()

    def place(self, vault: str) -> str:
        """Return the address, below a node's own, where people find one of several vaults."""
        return "" if vault == self.vault else f"{PLACE}{vault}"


def checked_name(name: str) -> str:
    """Check the name of a vault, which names its schema in the database too."""
    plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    if not plain or len(name) > _NAME_MAX:
        raise BadArgument(
            f"--vault-name: {name!r} may have letters, digits, - and _, at most {_NAME_MAX}."
        )
    return name.lower()


def checked_address(text: str) -> tuple[str, int]:
    """Read HOST:PORT, by which the other nodes reach this one."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise BadArgument(f"--node: {text!r} is not HOST:PORT, like 10.0.0.5:8421.")
    if host in ("0.0.0.0", "::"):  # noqa: S104 (compared, not bound)
        raise BadArgument("--node: name the one address by which the other nodes reach this one.")
    return host, int(port)
