"""Data cases in Markdown files: `tests/core/cases/NAME.md`.

A case is a line that starts with `## ` (its name), then blocks fenced by four or more backticks.
`cases("x.md")` gives one `pytest.param(block, block, ..., id=name)` a case, blocks without their
last newline.
"""

import re
from pathlib import Path

import pytest

_CASE = re.compile(r"^## (?P<name>.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^(`{4,})[^\n]*\n(?P<text>.*?)\n?^\1$", re.MULTILINE | re.DOTALL)


def cases(file: str) -> list[object]:
    """Read the cases of one file."""
    text = (Path(__file__).parent / "cases" / file).read_text(encoding="utf-8")
    heads = list(_CASE.finditer(text))
    found: list[object] = []
    for here, after in zip(heads, [*heads[1:], None], strict=True):
        part = text[here.end() : after.start() if after else len(text)]
        blocks = [block["text"] for block in _BLOCK.finditer(part)]
        found.append(pytest.param(*blocks, id=here["name"]))
    assert found, f"no cases in {file}"
    return found
