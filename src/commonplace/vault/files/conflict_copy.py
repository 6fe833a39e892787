"""What another program wrote and nobody can merge becomes a note of its own, beside the other.

It is moved there, not written anew: that takes no room on the disk, loses no byte whatever it
holds, and there is no moment at which neither name has it.
"""

from datetime import date

from commonplace.core import paths
from commonplace.errors import Conflict, Unavailable
from commonplace.vault.files.reader import reason
from commonplace.vault.files.roots import Roots

COPIES_MAX = 1000


def keep_conflict_copy(roots: Roots, path: str, token: str, today: date) -> str:
    """Move what a swap pushed out of a note beside it; return the path that it has now."""
    for number in range(1, COPIES_MAX):
        name = name_of_copy(path, today, number)
        try:
            roots.name_spare(path, token, name)
        except Conflict:
            continue
        except OSError as error:
            raise Unavailable(
                f"What another program wrote to {path} cannot be kept beside it:"
                f" {reason(error)}. It stays in a hidden file there, and is tried again."
            ) from error
        return name
    raise Unavailable(f"There are too many conflict copies of {path}; remove some.")


def name_of_copy(path: str, today: date, number: int) -> str:
    """Name a conflict copy; the number is for those of one day."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
    more = "" if number == 1 else f" {number}"
    tail = f" (conflict {today.isoformat()}{more}){dot}{ending}"
    room = paths.PART_BYTES_MAX - len(tail.encode())
    short = stem.encode()[:room].decode("utf-8", "ignore").rstrip()
    return f"{folder}{slash}{short}{tail}"
