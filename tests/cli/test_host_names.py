"""The hosts that a server listens on and goes by."""

import pytest

from commonplace.cli.host_names import addresses, exposure, on_this_machine
from commonplace.errors import BadArgument
from commonplace.vault.settings import Access


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_server_on_every_address_must_be_told_its_names(host: str):
    with pytest.raises(BadArgument, match=r"needs access tokens.* --allow-host"):
        exposure(host, [], require_token=False)


def test_a_host_goes_by_its_name_and_its_addresses():
    assert exposure("127.0.0.1", [], require_token=False) == Access(("127.0.0.1",))
    local = exposure("localhost", ["KB.example.org", "::1"], require_token=True)
    assert {"localhost", "127.0.0.1", "kb.example.org", "[::1]"} >= set(local.hosts)
    assert {"localhost", "kb.example.org", "[::1]"} <= set(local.hosts)
    assert local.token
    away = exposure("192.0.2.1", ["notes.example.org:8443"], require_token=False)
    assert away == Access(("192.0.2.1", "notes.example.org:8443"), token=True)


@pytest.mark.parametrize("name", ["*", "http://x", "a b", "", "x/y", "a:b:c"])
def test_a_name_that_is_none_is_refused(name: str):
    with pytest.raises(BadArgument, match="is no host"):
        exposure("127.0.0.1", [name], require_token=False)


@pytest.mark.parametrize("host", ["no such host", "x" * 70, "a..b", "nu\0l", "300.1.1.1"])
def test_a_host_that_is_not_there_is_refused_in_words(host: str) -> None:
    with pytest.raises(BadArgument, match="There is no host"):
        addresses(host)


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("192.0.2.1", False), ("::", False)],
)
def test_a_loopback_address_alone_is_this_machine(host: str, here: bool) -> None:
    assert on_this_machine(host) is here
    assert exposure(host, ["notes.example"], require_token=False).token is not here


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("[2001:DB8::1]", "[2001:db8::1]"),
        (" Notes.Example ", "notes.example"),
        ("a:8443", "a:8443"),
    ],
)
def test_a_name_is_written_as_browsers_write_it(name: str, written: str) -> None:
    assert exposure("0.0.0.0", [name, name], require_token=False).hosts == (written,)
