"""Which vaults' own settings a person trusts on this machine: one small file for each answer.

They lie beside the vaults' state, named after the folder and the fingerprint of what its file
means, so an answer holds for exactly what was shown. Nothing that lies inside a vault counts: the
vault could have brought it along.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from commonplace.errors import BadArgument, Unavailable
from commonplace.vault.owner import prepare_state

_FOLDER = "trust"

_PREFIX = 24


@dataclass(frozen=True, slots=True)
class TrustAnswer:
    """One answer: for which folder, what it allows, and when it was given."""

    folder: str
    trusted: bool
    settings: tuple[str, ...]
    time: float


class TrustAnswers:
    """The answers about the file of one vault."""

    def __init__(self, base: Path, folder: Path) -> None:
        self._base, self._real = base, Path(os.path.realpath(folder))
        name = os.fsencode(self._real)
        self._prefix = hashlib.sha256(name).hexdigest()[:_PREFIX]

    @property
    def possible(self) -> bool:
        """Whether an answer can be kept where the vault cannot have brought it along."""
        return not Path(os.path.realpath(self._base)).is_relative_to(self._real)

    def answer(self, fingerprint: str) -> bool | None:
        """Return whether the person trusts exactly this; None if they were not asked."""
        found = _read(self._file(fingerprint)) if self.possible else None
        return None if found is None or found.folder != str(self._real) else found.trusted

    def write(self, fingerprint: str, *, trusted: bool, settings: Sequence[str]) -> None:
        """Keep an answer."""
        if not self.possible:
            raise BadArgument(
                "The state folder lies inside this vault, so what it holds proves nothing. "
                "Name another with --state or COMMONPLACE_STATE, here and where you serve."
            )
        prepare_state(self._base / _FOLDER)
        record = TrustAnswer(str(self._real), trusted, tuple(settings), time.time())
        file = self._file(fingerprint)
        fresh = file.with_suffix(f".{os.getpid()}")
        try:
            fresh.write_text(json.dumps(asdict(record)), encoding="ascii")
            fresh.replace(file)
        except OSError as error:
            raise Unavailable(f"The answer could not be saved ({error.strerror}).") from None

    def revoke(self) -> int:
        """Forget every answer about this vault; return how many there were that trusted it."""
        files = [*(self._base / _FOLDER).glob(f"{self._prefix}-*.json")]
        found = [_read(file) for file in files]
        for file in files:
            file.unlink(missing_ok=True)
        return sum(1 for record in found if record and record.trusted)

    def _file(self, fingerprint: str) -> Path:
        return self._base / _FOLDER / f"{self._prefix}-{fingerprint}.json"


def listed(base: Path) -> list[TrustAnswer]:
    """Return every answer that was given on this machine, newest first."""
    found: Iterable[TrustAnswer | None] = map(_read, (base / _FOLDER).glob("*.json"))
    return sorted((one for one in found if one), key=lambda one: -one.time)


def _read(file: Path) -> TrustAnswer | None:
    """Read an answer; what cannot be read as one is none."""
    try:
        found = TrustAnswer(**json.loads(file.read_text(encoding="ascii")))
        found = replace(found, settings=tuple(found.settings))
    except (OSError, ValueError, TypeError):
        return None
    if not isinstance(found.trusted, bool) or not isinstance(found.time, int | float):  # pyright: ignore[reportUnnecessaryIsInstance]
        return None
    return found
