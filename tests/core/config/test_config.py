"""An entry goes into a settings file and out again; all else keeps its bytes."""

import json
import tomllib
from typing import Any, cast

import pytest
import yaml
from hypothesis import given, strategies as st

from commonplace.core import config
from commonplace.core.config import Format
from commonplace.errors import BadArgument

ENTRY = {"command": "/bin/commonplace", "args": ["mcp", "/home/ada/My notes", "--state", "é"]}

ZED = """\
// Zed settings
{
  "theme": "One Dark", // dark, of course
  "context_servers": {
    /* the weather */
    "weather": {
      "command": "weather", "args": [],
    },
  },
  "vim_mode": true, // "context_servers": {"notes": 1}
}
"""
CLAUDE = '{\n  "numStartups": 3,\n  "projects": {"/a": {"mcpServers": {"notes": 1}}}\n}'
VSCODE = """\
{
\t"servers": {
\t\t"a": {"type": "http", "url": "x"}
\t},
\t"inputs": []
}
""".replace("\n", "\r\n")
JSON_FILES = [
    ZED,
    CLAUDE,
    VSCODE,
    '{"mcpServers": {"a": {"command": "b"}}, "z": 1}',
    '{"mcpServers": {"a": {"command": "b"}}}\n',
    '\ufeff{\n    "x": "\\u00e9 // no comment /* nor this */"\n}\n',
    '{ "a": 1, }',
    '{\n  "mcpServers": {\n    "a": 1 // last\n  }\n}\n',
    '{\n  "mcpServers": { // all of them\n  }\n}\n',
    "{\n  // nothing yet\n}\n",
]
CODEX = """\
model = "gpt-5"  # best

[mcp_servers.weather]
command = "weather"
args = ["[mcp_servers.notes]"]

# my projects
[projects."/home/ada"]
trust_level = "trusted"
"""
TOML_FILES = ["", CODEX, CODEX.replace("\n", "\r\n"), "a = 1\n", "[[x]]\ny = 1\n"]
GOOSE = """\
GOOSE_PROVIDER: anthropic  # mine
extensions:
  # built in
  developer:
    enabled: true
    type: builtin

  memory:
    enabled: false
    args: ["a: b"]
GOOSE_MODE: auto
"""
YAML_FILES = [
    "",
    GOOSE,
    GOOSE.replace("\n", "\r\n"),
    "GOOSE_MODE: auto\n",
    "extensions:\n    a:\n        b: 1\n# end\n",
    "# only a comment\n",
]
FILES: list[tuple[Format, str, str]] = [
    *(("json", "context_servers" if text is ZED else "mcpServers", text) for text in JSON_FILES),
    ("json", "servers", VSCODE),
    *(("toml", "mcp_servers", text) for text in TOML_FILES),
    *(("yaml", "extensions", text) for text in YAML_FILES),
]


def subsequence(part: str, whole: str) -> bool:
    rest = iter(whole)
    return all(character in rest for character in part)


@pytest.mark.parametrize(("kind", "section", "text"), FILES)
def test_an_entry_goes_in_and_comes_out_and_leaves_no_trace(kind: Format, section: str, text: str):
    written = config.put(kind, text, section, "notes", ENTRY)
    assert config.entries(kind, written, section)["notes"] == ENTRY
    assert subsequence(text, written), "everything that was there is there"
    assert ("\r\n" in text) == ("\r\n" in written)
    assert config.put(kind, written, section, "notes", ENTRY) == written
    assert config.remove(kind, written, section, "notes") == text


@pytest.mark.parametrize(("kind", "section", "text"), FILES)
def test_an_older_entry_is_replaced_where_it_stands(kind: Format, section: str, text: str):
    old = config.put(kind, text, section, "notes", {"command": "old", "args": ["x", "y"]})
    more = config.put(kind, old, section, "after", {"command": "b"})
    new = config.put(kind, more, section, "notes", ENTRY)
    assert config.entries(kind, new, section)["notes"] == ENTRY
    assert list(config.entries(kind, new, section)) == list(config.entries(kind, more, section))
    assert config.remove(kind, config.remove(kind, new, section, "notes"), section, "after") == (
        text
    )


def test_members_are_written_as_their_neighbours_are():
    assert config.put("json", ZED, "context_servers", "n", {"command": "c"}) == ZED.replace(
        '"args": [],\n    },\n', '"args": [],\n    },\n    "n": {\n      "command": "c"\n    },\n'
    )
    assert config.put("json", '{"mcpServers": {"a": 1}}', "mcpServers", "n", {"b": 2}) == (
        '{"mcpServers": {"a": 1, "n": {"b": 2}}}'
    )
    tabs = config.put("json", VSCODE, "servers", "n", {"b": 2})
    assert '"url": "x"},\r\n\t\t"n": {\r\n\t\t\t"b": 2\r\n\t\t}\r\n\t},' in tabs
    assert config.put("yaml", GOOSE, "extensions", "n", {"b": [2]}) == GOOSE.replace(
        'b"]\n', 'b"]\n  n:\n    b: [2]\n'
    )
    assert config.put("toml", CODEX, "mcp_servers", "n m", {"b": [2]}) == (
        CODEX + '\n[mcp_servers."n m"]\nb = [2]\n'
    )


def test_a_file_that_is_not_there_yet_is_made():
    assert json.loads(config.put("json", "", "mcpServers", "n", ENTRY)) == {
        "mcpServers": {"n": ENTRY}
    }
    assert tomllib.loads(config.put("toml", "", "s", "n", ENTRY)) == {"s": {"n": ENTRY}}
    assert yaml.safe_load(config.put("yaml", "", "s", "n", ENTRY)) == {"s": {"n": ENTRY}}
    assert config.put("yaml", "s: {}\nt: 1\n", "s", "n", {"a": 1}) == "s:\n  n:\n    a: 1\nt: 1\n"


def test_sub_tables_go_with_their_entry():
    text = "[s.n]\na = 1\n\n[s.n.env]\nK = 'v'\n\n[s.other]\nb = 2\n"
    assert config.remove("toml", text, "s", "n") == "\n[s.other]\nb = 2\n"
    assert tomllib.loads(config.put("toml", text, "s", "n", {"a": 3})) == {
        "s": {"n": {"a": 3}, "other": {"b": 2}}
    }


@pytest.mark.parametrize(
    ("kind", "text", "complaint"),
    [
        ("json", '{"s": {', "not valid JSON"),
        ("json", '{"s": 1 "t": 2}', "a comma is missing"),
        ("json", "[" * 2000, "not valid JSON"),
        ("json", "[]", "other than a table"),
        ("json", '{"s": []}', "'s' in the settings file is not a table"),
        ("json", '{"s": {}, "s": {}}', "cannot be changed safely"),
        ("json", '{"s": {}} /* open', "a comment has no end"),
        ("toml", "s = ", "not valid TOML"),
        ("toml", "s = { n = { a = 1 } }", "cannot be changed safely"),
        ("toml", "s.n.a = 1", "cannot be changed safely"),
        ("yaml", "s: [", "not valid YAML"),
        ("yaml", "s: {n: {a: 1}}", "cannot be changed safely"),
    ],
)
def test_what_cannot_be_changed_safely_is_left_alone(kind: Format, text: str, complaint: str):
    with pytest.raises(BadArgument, match=complaint):
        config.put(kind, text, "s", "n", ENTRY)


def test_taking_out_what_is_not_there_changes_nothing():
    for kind, section, text in FILES:
        assert config.remove(kind, text, section, "nobody") == text


words = st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
blanks = st.sampled_from(["", " ", "\n", "\n  ", " // x\n", "/* } */", "\r\n\t"])


@st.composite
def loose_json(draw: st.DrawFn, value: object) -> str:
    """A value as a person might write it: blanks, comments and commas anywhere they may be."""

    def put(text: str) -> str:
        return draw(blanks) + text + draw(blanks)

    def write(value: object) -> str:
        comma = draw(st.sampled_from(["", ","]))
        if isinstance(value, dict):
            pairs = cast("dict[str, object]", value).items()
            members = [put(json.dumps(k)) + ":" + put(write(v)) for k, v in pairs]
            return "{" + ",".join(members) + (comma if members else "") + draw(blanks) + "}"
        if isinstance(value, list):
            items = [put(write(item)) for item in cast("list[object]", value)]
            return "[" + ",".join(items) + (comma if items else "") + draw(blanks) + "]"
        return json.dumps(value)

    return put(write(value))


@given(
    st.data(),
    st.dictionaries(words, values, max_size=3),
    st.dictionaries(words, values, max_size=3),
)
def test_any_json_is_changed_rightly_or_not_at_all(
    data: st.DataObject, whole: dict[str, Any], section: dict[str, Any]
):
    given = {**whole, "s": section}
    text = data.draw(loose_json(given))
    assert config.entries("json", text, "s") == section
    try:
        written = config.put("json", text, "s", "n", ENTRY)
        assert subsequence(text, written) or "n" in section
        assert config.entries("json", written, "s") == {**section, "n": ENTRY}
        left = config.remove("json", written, "s", "n")
    except BadArgument as error:
        assert "safely" in str(error)  # noqa: PT017 (a refusal is right, a wrong text is not)
        return
    assert config.entries("json", left, "s") == {k: v for k, v in section.items() if k != "n"}
    assert config.entries("json", left, "") == config.entries("json", text, "")
