"""What links will mean, told by the names of files before their notes are read.

When all notes are read for the first time, most links can be written with what they mean: a bare
name that one file alone carries means that file, whatever aliases and titles come to light. The
others are left to settle.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from commonplace.core import links, paths
from commonplace.vault.rows import Row


class Foresight:
    """The files that are alone in carrying their names, by those names."""

    def __init__(self, listed: Iterable[tuple[int, str]]) -> None:
        named = [(links.name_key(paths.stem(path)), note) for note, path in listed]
        count = Counter(name for name, _ in named)
        self._alone = {name: note for name, note in named if count[name] == 1}

    def targets(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Give links with the notes that they mean behind them, or None."""
        alone = self._alone
        for row in rows:
            yield *row, alone.get(row[3]) if links.is_bare(row[2]) else None
