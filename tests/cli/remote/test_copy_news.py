"""What happens to a copy of a server's vault, told on the terminal or as JSON, a line each."""

import json
from pathlib import Path

import pytest

from commonplace.cli.remote.copy_news import CopyNewsPrinter
from commonplace.vault.remote_copy.news import News


@pytest.mark.parametrize(
    ("news", "said"),
    [
        (News("conflict", "a.md", "a (mine).md"), "a.md was changed on both sides"),
        (News("trouble", "日.md", "too big"), "日.md: too big\n"),
        (News("trouble", "a\u202eb\n.md", "x\x1b[2J"), "a<U+202E>b .md: x<U+001B>[2J\n"),
        (News("held", text="Many deletions wait.", count=9), "Many deletions wait.\n"),
        (News("offline", text="It is away."), "It is away. The folder can be used meanwhile"),
        (News("online"), "the server is there again.\n"),
        (News("fetched", "a.md"), ""),
        (News("ready"), ""),
    ],
)
def test_a_person_is_told_of_what_needs_them(
    news: News, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    CopyNewsPrinter(as_json=False)(news)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"commonplace: {said}" if said else "")
    assert bool(err) == bool(said)


def test_a_program_is_told_of_everything(capsys: pytest.CaptureFixture[str]) -> None:
    told = CopyNewsPrinter(as_json=True)
    told(News("fetched", "日 \ud800.md"))
    told(News("held", text="Wait.", count=3))
    told.tell_scope("read")
    told.tell_sum(Path("/x"))
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        {"event": "fetched", "path": "日 \ud800.md"},
        {"event": "held", "text": "Wait.", "count": 3},
        {"event": "scope", "text": "read"},
    ]


def test_at_the_end_it_is_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    told = CopyNewsPrinter(as_json=False)
    told.tell_sum(Path("/x"))
    for kind in ("fetched", "fetched", "sent", "online"):
        told(News(kind))
    told.tell_sum(Path("/x"))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "commonplace: /x is in step (nothing to do)."
    assert lines[-1] == "commonplace: /x is in step (2 fetched, 1 sent)."


@pytest.mark.parametrize(("may", "said"), [("read", "only read"), ("suggest", "only suggest")])
def test_what_a_token_does_not_allow_is_said(
    may: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = CopyNewsPrinter(as_json=False)
    told.tell_scope("write")
    assert capsys.readouterr().err == ""
    told.tell_scope(may)
    assert said in capsys.readouterr().err
