"""What a review at the terminal says where another change set begins."""

from math import inf
from typing import TYPE_CHECKING, Any

from commonplace.cli.output import safe

if TYPE_CHECKING:
    from commonplace.cli.vault_access import SetsDesk
    from commonplace.vault.index.queries.suggestions import PendingSuggestion


class SetHeadings:
    """Which set each suggestion belongs to, and what is said of a set when one comes to it."""

    def __init__(self, shown: list[dict[str, Any]], vault: str) -> None:
        self._of: dict[tuple[str, str], int] = {}
        self._headings: dict[int, list[str]] = {}
        self._said = 0
        for found in shown:
            number = int(found["set"]["number"])
            if number:
                self._headings[number] = _heading(found, vault)
            for note in found["notes"]:
                self._of |= {(note["path"], one["id"]): number for one in note["changes"]}

    def number(self, each: "PendingSuggestion") -> int:
        """Return the number of the set that a suggestion belongs to; 0 if to none."""
        return self._of.get((each.path, each.id), 0)

    def order(self, each: "PendingSuggestion") -> float:
        """Put the latest set first, and what is in none last."""
        number = self.number(each)
        return -number if number else inf

    def heading(self, each: "PendingSuggestion") -> list[str]:
        """Return what is said where another set begins."""
        before, self._said = self._said, self.number(each)
        return [] if before == self._said else self._headings.get(self._said, [])


async def set_headings(desk: "SetsDesk", vault: str) -> SetHeadings:
    """Ask for every set that waits; `vault` is how other commands name the vault."""
    listed = await desk.listed()
    return SetHeadings([await desk.shown(row["number"]) for row in listed if row["waiting"]], vault)


def counted(number: int, word: str) -> str:
    """Say how many there are of something."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def waiting(number: int) -> str:
    """Say how many changes wait."""
    return f"{counted(number, 'change')} {'waits' if number == 1 else 'wait'}"


def _heading(found: dict[str, Any], vault: str) -> list[str]:
    """Say what a set is for, and what to look at first in it."""
    row = found["set"]
    title = f": {safe(row['title'])}" if row["title"] else ""
    lines = [f"Set {row['number']}{title}  ({safe(row['who'])}, {waiting(row['waiting'])})"]
    lines += [f"  {safe(row['why'])}"] if row["why"] else []
    if row["parked"]:
        asks = counted(row["parked"], "question")
        lines.append(f"  It asks {asks}: commonplace sets show {row['number']} {vault}")
    for note in found["notes"]:
        kinds = ", ".join(risk["kind"] for risk in note["risks"])
        lines += [f"  ! {safe(note['path'])}: {kinds}"] if kinds else []
    return lines
