"""A deleted note keeps its name where it can, and its ending always."""

from itertools import islice

import pytest

from commonplace.vault.files.trash_names import SAME_NAME_MAX, trash_names


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("a.md", [".trash/a.md", ".trash/a 2.md", ".trash/a 3.md"]),
        ("f.g/a.b.md", [".trash/f.g/a.b.md", ".trash/f.g/a.b 2.md", ".trash/f.g/a.b 3.md"]),
        ("LICENSE", [".trash/LICENSE", ".trash/LICENSE 2", ".trash/LICENSE 3"]),
        ("v1.0/LICENSE", [".trash/v1.0/LICENSE", ".trash/v1.0/LICENSE 2", ".trash/v1.0/LICENSE 3"]),
    ],
)
def test_a_name_that_is_taken_gets_a_number(path: str, names: list[str]) -> None:
    assert list(islice(trash_names(path), 3)) == names


def test_there_is_an_end_to_it() -> None:
    found = list(trash_names("a.md"))
    assert len(found) == len(set(found)) == SAME_NAME_MAX - 1
