"""What other Python packages add to Commonplace, found by the entry points that they declare."""

from typing import TYPE_CHECKING, Literal

from commonplace.errors import BadArgument, Unavailable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

EntryPointGroup = Literal["commonplace.stores", "commonplace.embeddings"]


def names(group: EntryPointGroup) -> list[str]:
    """Return the names that installed packages declare."""
    from importlib.metadata import entry_points  # slow to import, seldom needed

    return sorted(point.name for point in entry_points(group=group))


def load(group: EntryPointGroup, name: str) -> object:
    """Load what a package declares under a name."""
    from importlib.metadata import entry_points

    found = [point for point in entry_points(group=group) if point.name == name]
    if not found:
        raise BadArgument(f"No installed package offers {name!r} ({group}).")
    return _loaded(found[0], group)


def _loaded(point: "EntryPoint", group: EntryPointGroup) -> object:
    try:
        return point.load()
    except Exception as error:
        raise Unavailable(
            f"{point.name!r} ({group}) of the package"
            f" {point.dist.name if point.dist else point.module} cannot be loaded: {error}."
        ) from error
