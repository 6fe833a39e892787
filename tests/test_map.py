"""The maps of the code are true: what they name exists and is in order, packages are small."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "commonplace"
MODULES_MAX = 15
PACKAGES = sorted(file.parent for file in SOURCE.rglob("__init__.py"))
# What stands in a package's own module, not in a page about it: an essay, or code.
ESSAYS = {
    "core/config",
    "core/critic",
    "core/frontmatter",
    "core/history",
    "core/links",
    "core/markdown",
    "vault/history",
    "vault/nodes/neo4j",
}


def _name(package: Path) -> str:
    return package.relative_to(SOURCE).as_posix()


def test_the_files_of_typical_changes_exist() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(r"^\| [^|]+ \| `(src/[^`]+)` \|$", page, re.MULTILINE)
    assert len(rows) == 12
    assert [row for row in rows if not (ROOT / row).is_file()] == []


def test_what_the_architecture_names_exists() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("## Open")[0]
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+)`", page))
    tops = (SOURCE, SOURCE / "vault", ROOT)
    missing = [
        name
        for name in sorted(named)
        if not any((top / name).is_dir() or (top / f"{name}.py").is_file() for top in tops)
    ]
    assert len(named) > 30
    assert missing == []


def _rows() -> list[tuple[list[str], str]]:
    """The rows of the table of packages: their names, and what is said of them."""
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    table = page.partition("## Packages")[2].partition("\n\n")[2].partition("\n\n")[2]
    rows = re.findall(r"^\| ([^|]*`[^|]*) \| ([^|]+) \|$", table.partition("\n\n")[0], re.MULTILINE)
    return [(re.findall(r"`([^`]+)`", names), said) for names, said in rows]


def _order() -> list[str]:
    return [name for names, _ in _rows() for name in names]


def _modules() -> dict[str, Path]:
    """All modules and packages by their place, as the map writes it."""
    files = {file.relative_to(SOURCE).with_suffix(""): file for file in SOURCE.rglob("*.py")}
    return {
        (at.parent if at.name == "__init__" else at).as_posix(): file for at, file in files.items()
    }


def _nearest(place: str, places: Iterable[str]) -> str:
    """The innermost of some places that another is, or is in; nothing if there is none."""
    around = [each for each in places if place == each or place.startswith(f"{each}/")]
    return max(around, key=len, default="")


def _imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{each.name}" for each in node.names]
        else:
            continue
        for name in names:
            if name.startswith("commonplace."):
                yield name.removeprefix("commonplace.").replace(".", "/")


def _upward(order: Sequence[str]) -> set[tuple[str, str]]:
    """Which packages import one that stands above them; one inside another goes with it."""
    height = {place: number for number, place in enumerate(order)}
    pairs = {
        (_nearest(place, order), _nearest(imported, order))
        for place, file in _modules().items()
        for imported in _imported(file)
    }
    return {
        (one, other)
        for one, other in pairs
        if one
        and other
        and height[one] > height[other]
        and not (f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/"))
    }


def test_packages_import_only_those_below_them_in_the_architecture() -> None:
    order = _order()
    assert len(order) == len(set(order)) > 50
    assert _upward(order) == set()


def test_an_import_that_points_upwards_is_seen() -> None:
    """The control: with two rows changed about, the import between them is found."""
    order = _order()
    one, other = order.index("vault/notes"), order.index("vault/suggestions")
    order[one], order[other] = order[other], order[one]
    assert ("vault/notes", "vault/suggestions") in _upward(order)


def test_a_package_inside_another_stands_below_it() -> None:
    order = _order()
    inside = [(at, name.rpartition("/")[0]) for at, name in enumerate(order) if "/" in name]
    assert [order[at] for at, outer in inside if outer not in order[:at]] == []


def test_every_package_is_in_the_architecture() -> None:
    """It has a row, or is named in that of the package that it is inside of."""
    said = {name: text for names, text in _rows() for name in names}
    packages = [_name(package) for package in PACKAGES if package != SOURCE]
    assert [
        package
        for package in packages
        if package not in said
        and f"`{package.rpartition('/')[2]}`" not in said.get(package.rpartition("/")[0], "")
    ] == []


@pytest.mark.parametrize("package", PACKAGES, ids=_name)
def test_a_package_is_small_and_says_what_it_owns(package: Path) -> None:
    modules = [file for file in package.glob("*.py") if file.name != "__init__.py"]
    assert len(modules) <= MODULES_MAX
    said = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8")))
    assert said
    assert _name(package) in ESSAYS or len(said.splitlines()) <= 5


def _named(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the classes of a module and its public type aliases, each with its line.

    A class of the module's own is named without its underscore: it is read beside the others.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name.lstrip("_"), node.lineno
    for node in tree.body:
        match node:
            case ast.Assign(value=ast.Call(func=ast.Name("TypeVar" | "ParamSpec"))):
                pass  # it stands for a type of its own module alone
            case ast.Assign(targets=[ast.Name(name)]) if re.match(r"[A-Z]\w*[a-z]", name):
                yield name, node.lineno
            case _:
                pass


def test_no_class_name_means_two_things() -> None:
    classes: set[str] = set()
    places: dict[str, list[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        classes |= {node.name.lstrip("_") for node in nodes}
        for name, line in _named(tree):
            places.setdefault(name, []).append(f"{file.relative_to(SOURCE)}:{line}")
    assert len(places) > 500
    found = {name: at for name, at in places.items() if len(at) > 1 and name in classes}
    assert found == {}


def test_no_public_constant_means_two_things() -> None:
    """One that a module keeps to itself begins with an underscore, and may be called as others."""
    places: dict[str, list[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(file.read_text("utf-8")).body:
            match node:
                case ast.Assign(targets=targets):
                    named = [each for target in targets for each in ast.walk(target)]
                case ast.AnnAssign(target=target, value=ast.expr()):
                    named = [target]
                case _:
                    named = []
            for name in named:
                if isinstance(name, ast.Name) and re.fullmatch(r"[A-Z][A-Z0-9_]+", name.id):
                    places.setdefault(name.id, []).append(f"{file.relative_to(SOURCE)}")
    assert len(places) > 300
    assert {name: at for name, at in places.items() if len(at) > 1} == {}
