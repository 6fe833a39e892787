"""The chain that carries an edit is short: each hop is a file that one must read to follow it."""

import inspect
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace.vault.documents.document import Document
from commonplace.vault.log.commits import Commits
from tests.tools.test_edit import NOTE, OpenDesk

pytestmark = pytest.mark.anyio

SOURCE = Path(commonplace.__file__).parent
TO_TRANSACTION_MAX, TO_LOG_MAX = 4, 3


def modules() -> list[str]:
    """Name the modules on the stack, the outermost first, each once where it calls itself."""
    found: list[str] = []
    for frame in reversed(inspect.stack(0)):
        file = Path(frame.filename)
        if file.is_relative_to(SOURCE):
            name = file.relative_to(SOURCE).with_suffix("").as_posix()
            if found[-1:] != [name]:
                found.append(name)
    return found


async def test_an_edit_takes_four_hops_to_its_transaction_and_three_from_there_to_the_log(
    desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    chains: dict[str, list[str]] = {}
    commits: Any = Commits
    edit, write = Document.edit, commits.write_with_others

    def edited(self: Document, *given: Any) -> Any:
        chains["transaction"] = [*modules(), "vault/documents/document"]
        return edit(self, *given)

    def written(self: Commits[Any], *given: Any, **more: Any) -> Any:
        chains["log"] = [*modules(), "vault/log/commits"]
        return write(self, *given, **more)

    at = await desk(NOTE)
    await at.call("read", file_path="a.md")
    monkeypatch.setattr(Document, "edit", edited)
    monkeypatch.setattr(Commits, "write_with_others", written)
    await at.call("edit", file_path="a.md", old_string="quick", new_string="slow")
    to_transaction = chains["transaction"][chains["transaction"].index("tools/files") :]
    assert len(to_transaction) - 1 <= TO_TRANSACTION_MAX, to_transaction
    # the transaction is made for `documents/documents`, which hands what came of it on
    to_log = chains["log"][chains["log"].index("vault/documents/documents") :]
    assert len(to_log) - 1 <= TO_LOG_MAX, to_log
