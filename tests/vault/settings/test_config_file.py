import pytest

from commonplace.errors import BadArgument
from commonplace.vault.settings.config_file import Config, parse_config

FULL = """
tools = ["graph", "files"]
read_only = true
ignore = ["drafts/**"]

[roots]
"Lens Edu" = "edu"
Lens = "lens"

[policy]
create = "allow"
delete = "deny"
"""


def test_a_file_with_everything_is_read():
    assert parse_config(FULL) == Config(
        roots=(("Lens Edu", "edu"), ("Lens", "lens")),
        tools=("files", "graph"),
        read_only=True,
        ignore=("drafts/**",),
        policies={"create": "allow", "delete": "deny"},
    )


def test_an_empty_file_says_nothing():
    assert parse_config("# nothing yet\n") == Config()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("polcy = 1", "unknown key 'polcy'"),
        ("tools = 'files'", "tools must be a list of texts"),
        ("tools = [1]", "tools must be a list of texts"),
        ("tools = ['fiels']", "tools: 'fiels' is not one of files, notes, graph"),
        ("tools = []", "tools: name at least one"),
        ("read_only = 'yes'", "read_only must be true or false"),
        ("ignore = 3", "ignore must be a list of texts"),
        ("roots = ['a']", "roots must be a table of texts"),
        ("[roots]\na = 1", "roots must be a table of texts"),
        ("[policy]\nmove = 'deny'", "policy: 'move' is not one of create"),
        ("[policy]\ncreate = 'maybe'", "policy create: 'maybe' is not one of allow"),
        ("tools = [", "is not valid TOML"),
        ("a = " + "[" * 5000, "is not valid TOML"),
    ],
)
def test_a_mistake_is_named_by_its_key(text: str, complaint: str):
    with pytest.raises(BadArgument, match=r"commonplace\.toml") as error:
        parse_config(text)
    assert complaint in str(error.value)


def test_the_signature_of_suggestions_can_be_chosen() -> None:
    style = parse_config('[suggestions]\nauthor = "{client} for Anna"\nmetadata = true').suggestions
    assert style.name("claude-code") == "claude-code for Anna"
    assert style.metadata
    for wrong in ("author = 3", 'metadata = "yes"', "other = 1", 'author = " "'):
        with pytest.raises(BadArgument, match="suggestions"):
            parse_config(f"[suggestions]\n{wrong}")
