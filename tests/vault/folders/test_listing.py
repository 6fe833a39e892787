"""One root as its document must show it."""

import pytest

from commonplace.vault.documents.engine.maps import Put
from commonplace.vault.documents.folder_document import CONFIG, DOCS, FILES
from commonplace.vault.folders.listing import RootListing, with_above

A, B = "a" * 16, "b" * 16


class Document:
    """The maps of a folder's document, as plain values."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], object] = {}

    def value(self, name: str, key: str) -> object:
        return self.values.get((name, key))

    def put(self, puts: list[Put]) -> None:
        for name, key, value in puts:
            self.values[name, key] = value

    def keys(self, name: str) -> set[str]:
        return {key for (its, key), value in self.values.items() if its == name and value}


@pytest.fixture
def listing() -> RootListing:
    found = RootListing("Notes", "id", lambda folder: folder == "Empty")
    found.put("f/g/a.md", A)
    found.put("b.md", B)
    return found


def corrected(listing: RootListing, document: Document, keys: list[str]) -> list[Put]:
    puts = listing.corrections(keys, document.value)
    document.put(puts)
    return puts


def test_notes_and_the_folders_above_them_are_shown(listing: RootListing) -> None:
    document = Document()
    corrected(listing, document, listing.every_key())
    assert document.keys(FILES) == {"/f", "/f/g", "/f/g/a.md", "/b.md"}
    assert document.keys(DOCS) == {"/f/g/a.md", "/b.md"}
    assert document.value(DOCS, "/b.md") == B
    assert corrected(listing, document, listing.every_key()) == [], "it is right now"


def test_a_folder_goes_with_its_last_note(listing: RootListing) -> None:
    document = Document()
    corrected(listing, document, listing.every_key())
    listing.put("f/c.md", "c" * 16)
    listing.drop("f/g/a.md")
    corrected(listing, document, with_above(["/f/g/a.md", "/f/c.md"]))
    assert document.keys(FILES) == {"/f", "/f/c.md", "/b.md"}
    assert listing.gone == {A}
    listing.put("d.md", A)
    assert listing.gone == set(), "it is back under another name"
    listing.drop("none.md")


def test_an_empty_folder_stays_where_a_client_lists_it(listing: RootListing) -> None:
    document = Document()
    for name in ("Empty", "Other"):
        document.values[FILES, f"/{name}"] = {"id": B, "type": "folder", "version": 0}
    corrected(listing, document, ["/Empty", "/Other"])
    assert document.keys(FILES) == {"/Empty"}
    assert corrected(listing, Document(), ["/Empty"]) == [], "nobody lists it"


@pytest.mark.parametrize("key", ["b.md", "/../x.md", "/f/", "/none.md", "/é.md"])
def test_what_stands_for_no_note_is_taken_out(listing: RootListing, key: str) -> None:
    document = Document()
    document.values[FILES, key] = {"id": A, "type": "markdown", "version": 0}
    document.values[DOCS, key] = A
    corrected(listing, document, [key])
    assert document.keys(FILES) == document.keys(DOCS) == set()


def test_another_id_or_kind_is_put_right(listing: RootListing) -> None:
    document = Document()
    document.values[FILES, "/b.md"] = {"id": B, "type": "folder", "version": 0}
    document.values[DOCS, "/b.md"] = A
    corrected(listing, document, ["/b.md"])
    assert document.value(FILES, "/b.md") == {"id": B, "type": "markdown", "version": 0}
    assert document.value(DOCS, "/b.md") == B


def test_the_settings_of_the_folder_are_its_name_alone(listing: RootListing) -> None:
    document = Document()
    document.values[CONFIG, "other"] = 1
    puts = listing.configured(["name", "other", "none"], document.value)
    assert puts == [(CONFIG, "name", "Notes"), (CONFIG, "other", None)]


def test_keys_of_no_path_have_no_folders_above() -> None:
    assert with_above(["/f/g/a.md", "x", "/f/b.md"]) == ["/f/g/a.md", "/f/g", "/f", "x", "/f/b.md"]
