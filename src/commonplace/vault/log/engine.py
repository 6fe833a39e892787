"""What the log needs of a database: the same for a file of SQLite and for PostgreSQL."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar


class Cursor(Protocol):
    """What a statement has found."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        ...

    def fetchone(self) -> Any:  # noqa: ANN401 (a row, whose shape the statement gives)
        """Read the next row; None if there is none."""
        ...

    def fetchall(self) -> list[Any]:
        """Read all rows."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class DatabaseConnection(Protocol):
    """What takes statements; `?` stands for a parameter."""

    def execute(self, statement: str, parameters: Sequence[Any] = (), /) -> Cursor:
        """Put a statement."""
        ...

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> Any:  # noqa: ANN401
        """Put a statement once for each row."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


C = TypeVar("C", bound=DatabaseConnection)


class Engine(Protocol[C]):
    """How transactions are made on connections of one kind, and what their errors mean."""

    def connect(self) -> C:
        """Open the database, the first time or again."""
        ...

    def writing(self, connection: C) -> AbstractContextManager[object]:
        """Make a transaction: committed at the end, or taken back if something is raised."""
        ...

    def reading(self, connection: C) -> AbstractContextManager[object]:
        """Read in what this gives: nothing, or a transaction."""
        ...

    def is_usable(self, connection: C) -> bool:
        """Tell whether another transaction can be made on it."""
        ...

    def rest(self, connection: C) -> bool:
        """Take a connection back while there is no work; False if it is to be kept."""
        ...

    def let_go(self, connection: C) -> None:
        """Let go of a connection that has failed, or is not needed any more."""
        ...

    def close(self) -> None:
        """Let go of whatever else is held."""
        ...

    def tidy_up(self, connection: C) -> None:
        """Do what is better done when nobody waits; what fails is told by the next write."""
        ...

    def is_of_database(self, error: Exception) -> bool:
        """Tell whether the database failed, and not what was to be done with it."""
        ...

    def why(self, error: Exception) -> str:
        """Tell what failed, for people, without a path or a password."""
        ...

    def fate(self, error: Exception) -> str:
        """Tell what became of what was to be saved."""
        ...

    def sever(self, connection: C) -> None:
        """Cut a connection on which a thread may wait; from another thread."""
        ...
