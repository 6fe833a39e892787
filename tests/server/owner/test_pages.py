"""Whoever works over stdio learns where the page is served, as long as it is."""

from commonplace.server.owner.pages import PageAddresses


def test_the_latest_address_counts_as_long_as_it_is_served() -> None:
    pages = PageAddresses()
    assert pages.address() == ""
    with pages.served(["http://127.0.0.1:1"]):
        with pages.served(()), pages.served(["http://127.0.0.1:2", "http://[::1]:2"]):
            assert pages.address() == "http://[::1]:2/"
        assert pages.address() == "http://127.0.0.1:1/"
    assert pages.address() == ""


def test_every_address_of_a_machine_is_opened_by_its_own() -> None:
    pages = PageAddresses()
    with pages.served(["http://0.0.0.0:8420"]):
        assert pages.address() == "http://127.0.0.1:8420/"
    with pages.served(["http://[::]:8420"]):
        assert pages.address() == "http://[::1]:8420/"
