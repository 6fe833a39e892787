"""The maps of the code are true: what they name exists, and packages are small and described."""

import ast
import re
from collections.abc import Iterator
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


@pytest.mark.parametrize("package", PACKAGES, ids=_name)
def test_a_package_is_small_and_says_what_it_owns(package: Path) -> None:
    modules = [file for file in package.glob("*.py") if file.name != "__init__.py"]
    assert len(modules) <= MODULES_MAX
    said = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8")))
    assert said
    assert _name(package) in ESSAYS or len(said.splitlines()) <= 5


def _named(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the public classes of a module and its type aliases, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, node.lineno
    for node in tree.body:
        match node:
            case ast.Assign(value=ast.Call(func=ast.Name("TypeVar" | "ParamSpec"))):
                pass  # it stands for a type of its own module alone
            case ast.Assign(targets=[ast.Name(name)]) if re.match(r"[A-Z]\w*[a-z]", name):
                yield name, node.lineno
            case _:
                pass


def test_no_public_class_name_means_two_things() -> None:
    classes: set[str] = set()
    places: dict[str, list[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        classes |= {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        for name, line in _named(tree):
            places.setdefault(name, []).append(f"{file.relative_to(SOURCE)}:{line}")
    assert len(places) > 500
    found = {name: at for name, at in places.items() if len(at) > 1 and name in classes}
    assert found == {}
