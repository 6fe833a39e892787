"""The maps of the code are true: what they name exists and is in order, packages are small."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "commonplace"
MODULES_MAX = 15
PACKAGES = sorted(file.parent for file in SOURCE.rglob("__init__.py"))
# What is tested where a database runs, or by the contract of all implementations: in which file.
ELSEWHERE = {
    "vault/history/postgres": "engines/postgres/test_history.py",
    "vault/history/queries": "vault/history/test_sqlite.py",
    "vault/history/tables": "vault/history/test_sqlite.py",
    "vault/lease/leases": "engines/postgres/test_lease.py",
    "vault/lease/tables": "engines/postgres/test_lease.py",
    "vault/log/postgres_engine": "engines/postgres/test_log.py",
    "vault/log/postgres_tables": "engines/postgres/test_log.py",
    "vault/log/sqlite": "vault/log/test_log.py",
    "vault/log/sqlite_engine": "vault/log/test_log.py",
    "vault/log/sqlite_tables": "vault/log/test_log.py",
    "vault/log/table_log": "vault/log/test_log.py",
    "vault/log/tables": "vault/log/test_log.py",
    "vault/nodes/neo4j/check": "engines/test_neo4j_store.py",
    "vault/nodes/neo4j/cleanup": "engines/test_neo4j_store.py",
    "vault/nodes/neo4j/connection": "engines/test_neo4j_store.py",
    "vault/nodes/neo4j/notes": "engines/test_neo4j_store.py",
    "vault/nodes/neo4j/open": "engines/test_neo4j_store.py",
    "vault/nodes/neo4j/replica": "engines/test_neo4j_mirror.py",
    "vault/nodes/neo4j/schema": "engines/test_neo4j_store.py",
    "vault/nodes/neo4j/search": "engines/test_neo4j_store.py",
    "vault/nodes/neo4j/source": "engines/test_neo4j_mirror.py",
    "vault/nodes/neo4j/store": "engines/test_neo4j_store.py",
    "vault/nodes/requests": "vault/nodes/test_memory_store.py",
    "vault/nodes/write": "vault/nodes/test_memory_store.py",
    "vault/postgres/checks": "engines/postgres/test_checks.py",
    "vault/postgres/connection": "engines/postgres/test_pool.py",
    "vault/postgres/migrations": "engines/postgres/test_lease.py",
    "vault/postgres/pool": "engines/postgres/test_pool.py",
    "vault/team_files/catch_up": "engines/postgres/test_team_files.py",
    "vault/team_files/differences": "engines/postgres/test_standby.py",
    "vault/team_files/folder": "engines/postgres/test_files.py",
    "vault/team_files/follow": "engines/postgres/test_team_files.py",
    "vault/team_files/standby": "engines/postgres/test_standby.py",
    "vault/team_files/store": "engines/postgres/test_files.py",
    "vault/team_files/team_copy": "engines/postgres/test_team_files.py",
    "vault/team_files/team_copy_files": "engines/postgres/test_team_files.py",
    "vault/team_files/team_files": "engines/postgres/test_team_files.py",
}
# Modules that are tested through others alone, a line each: the list may only become shorter.
WITHOUT_TESTS = ROOT / "tests" / "modules_without_tests.txt"
WITHOUT_TESTS_MAX = 80
# What a module has behaviour by, if a function of it holds any of these.
_DECISIONS = (
    *(ast.If, ast.IfExp, ast.Match, ast.BoolOp, ast.Compare, ast.Try, ast.BinOp),
    *(ast.For, ast.AsyncFor, ast.While),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
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


def _decides(tree: ast.Module) -> bool:
    """Tell whether a module has behaviour: a function that chooses, repeats or works out.

    Protocols, plain values, tables of SQL and straight lines of calls have none.
    """
    functions = (
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    bodies = (part for function in functions for part in function.body)
    return any(isinstance(node, _DECISIONS) for part in bodies for node in ast.walk(part))


def _own_tests(place: str, file: Path) -> Path:
    """Return where the tests of a module are: the same tree, `test_` before its name."""
    folder = file.parent.relative_to(SOURCE)
    return ROOT / "tests" / folder / f"test_{place.rpartition('/')[2]}.py"


def _without_tests(modules: Mapping[str, Path]) -> set[str]:
    """Return the modules that have behaviour and no tests of their own."""
    return {
        place
        for place, file in modules.items()
        if place != "."
        and _decides(ast.parse(file.read_text("utf-8")))
        and not _own_tests(place, file).is_file()
    }


def test_a_module_with_behaviour_has_tests_in_the_same_place() -> None:
    listed = WITHOUT_TESTS.read_text("utf-8").split()
    assert listed == sorted(set(listed))
    assert _without_tests(_modules()) == {*listed, *ELSEWHERE}
    assert len(listed) <= WITHOUT_TESTS_MAX


def test_what_is_tested_elsewhere_is_tested_there() -> None:
    assert [test for test in ELSEWHERE.values() if not (ROOT / "tests" / test).is_file()] == []


@pytest.mark.parametrize(
    ("source", "decides"),
    [
        ("def f(x):\n    return x or 1\n", True),
        ("async def f(y):\n    async for x in y:\n        pass\n", True),
        ("def f(x):\n    return x + 1\n", True),
        ("class P(Protocol):\n    def f(self) -> int:\n        ...\n", False),
        ("class E(Error):\n    def __init__(self):\n        super().__init__('no')\n", False),
        ("TABLE = 'a' if True else 'b'\n", False),
        ("def f(db):\n    return db.execute('SELECT 1').fetchone()\n", False),
    ],
)
def test_behaviour_is_told_by_what_functions_hold(source: str, decides: bool) -> None:
    """The control: a module that chooses is seen, one that only passes on is not."""
    assert _decides(ast.parse(source)) == decides
