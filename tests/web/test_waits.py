"""How the page's tests wait in the browser."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PLACES = ("tests/web", "tests/live", "release", "bench")
ROOT = Path(__file__).parents[2]
_FUNCTION = re.compile(r"\s*(async\s+)?(\([^()]*\)|\w+)\s*=>")


def expressions(source: str) -> Iterator[str]:
    """Yield what is waited for that is no function: it is evaluated anew at each look."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "wait_for_function" and isinstance(node.args[0], ast.Constant):
            text = str(node.args[0].value)
            if not _FUNCTION.match(text):
                yield text


def test_the_browser_waits_by_functions_which_the_pages_policy_allows() -> None:
    files = [file for place in PLACES for file in sorted((ROOT / place).rglob("*.py"))]
    found = {str(file.relative_to(ROOT)): [*expressions(file.read_text())] for file in files}
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_the_browser_waits_for_something_never_for_a_while() -> None:
    files = sorted((ROOT / "tests/web").rglob("*.py"))
    calls = re.compile(r"\bwait_for_timeout\(")
    assert len(files) > 30
    assert [file.name for file in files if calls.search(file.read_text())] == []


def test_an_expression_is_found() -> None:
    assert [*expressions("page.wait_for_function('window.ready')")] == ["window.ready"]
    assert [*expressions("page.wait_for_function('() => window.ready')")] == []
