from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.errors import BadArgument, Unavailable
from commonplace.server.owner.handshake import (
    Welcome,
    chosen,
    hello,
    line,
    parse_answer,
    parse_hello,
)
from commonplace.vault.settings import Access, Root, Settings


def settings(*names: str, read_only: bool = False) -> Settings:
    roots = tuple(Root(name, Path("/", name.lower())) for name in names)
    return Settings(roots, Path("/state"), ("files",), read_only, policies={"create": "deny"})


def test_a_greeting_survives_the_wire():
    greeting = hello(settings("a", "b"), "mcp", "s1")
    assert parse_hello(line(greeting)) == greeting
    chosen = replace(greeting, always_load=("read", "edit"))
    assert parse_hello(line(chosen)) == chosen


def test_an_answer_survives_the_wire():
    answer = parse_answer(line(Welcome(socket="http.sock", urls=("http://x",))))
    assert answer.socket == "http.sock"
    assert list(answer.urls) == ["http://x"]


def test_a_refusal_is_raised_with_its_words():
    with pytest.raises(Unavailable, match="no room"):
        parse_answer(line(Welcome(ok=False, error="no room")))


def test_nonsense_is_refused():
    real = line(hello(settings("a"), "mcp"))
    unknown, broken = real.replace(b'"mcp"', b'"stop"'), real.replace(b'[["a", "/a"]]', b"7")
    bare = (b"", b"x", b"[]", b'{"commonplace": 4}', b'{"commonplace": 4, "more": 2}', b"[" * 9999)
    for text in (*bare, unknown, broken):
        with pytest.raises(BadArgument):
            parse_hello(text)


def test_another_protocol_is_named_as_such():
    with pytest.raises(BadArgument, match="another protocol"):
        parse_hello(
            line(hello(settings("a"), "mcp")).replace(b'"commonplace": 4', b'"commonplace": 9')
        )


def test_nonsense_from_the_owner_is_not_taken_for_a_yes():
    for text in (b"x", b'{"nope": 1}', b"[]"):
        with pytest.raises(Unavailable):
            parse_answer(text)


def test_a_front_end_keeps_its_choices_on_the_owners_vault():
    own = chosen(settings("a"), hello(settings("other", read_only=True), "mcp"))
    assert own.read_only is True
    assert own.roots == settings("a").roots


def test_a_front_end_says_who_may_come_in_and_only_the_desk_is_the_desk():
    open_wide = replace(settings("a"), access=Access(("kb.example.org",), token=True))
    served = chosen(settings("a"), parse_hello(line(hello(open_wide, "http"))))
    assert served.access == Access(("kb.example.org",), token=True, desk=False)
    assert chosen(open_wide, hello(settings("a"), "http")).access == Access()
    assert chosen(settings("a"), hello(settings("a"), "desk")).access == Access(desk=True)


def test_several_folders_must_go_by_the_same_names():
    owner, same = settings("A", "B"), settings("B", "A")
    assert chosen(owner, hello(same, "mcp")).roots == owner.roots
    renamed = Settings((Root("X", Path("/a")), Root("B", Path("/b"))), Path("/state"))
    with pytest.raises(BadArgument, match="other folder names: 'A', 'B'"):
        chosen(owner, hello(renamed, "mcp"))
