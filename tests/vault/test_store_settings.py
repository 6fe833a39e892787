"""Which store a person chose, and that no secret stands in its address."""

import pytest

from commonplace.errors import BadArgument
from commonplace.vault.store_settings import StoreChoice, store_choice


def chosen(url: str, **options: str) -> StoreChoice:
    return store_choice(url, options.items(), "ann", "secret", "--store")


@pytest.mark.parametrize(
    ("url", "provider", "plain", "options"),
    [
        ("vault", "vault", "vault", {}),
        ("NEO4J+s://host:7687/", "neo4j", "NEO4J+s://host:7687", {}),
        (" neo4j://h?use=mirror&x= ", "neo4j", "neo4j://h", {"use": "mirror", "x": ""}),
        ("my-store", "my-store", "my-store", {}),
    ],
)
def test_an_address_names_its_provider_and_options(
    url: str, provider: str, plain: str, options: dict[str, str]
) -> None:
    found = chosen(url)
    assert (found.provider, found.url, dict(found.options)) == (provider, plain, options)


def test_what_stands_in_the_address_goes_before_other_options() -> None:
    found = chosen("neo4j://h?use=mirror", use="store", more="1")
    assert dict(found.options) == {"use": "mirror", "more": "1"}
    assert found.key == chosen("neo4j://h", more="1", use="mirror").key
    assert found.key != chosen("neo4j://h").key
    assert "secret" not in repr(found)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("neo4j://ann:secret@host", "a password does not belong here"),
        ("neo4j://ann@host", "a password does not belong here"),
        ("neo4j://host?password=x", "a password does not belong here"),
        ("neo4j://host?dbPassword=x", "a password does not belong here"),
        ("", "name a store"),
        ("?use=x", "name a store"),
        ("neo4j://[x", "is no address"),
    ],
)
def test_what_is_no_address_or_holds_a_secret_is_refused(url: str, why: str) -> None:
    with pytest.raises(BadArgument, match=why) as refusal:
        chosen(url)
    assert "--store" in str(refusal.value)
    assert "secret@" not in str(refusal.value)
