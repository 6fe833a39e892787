"""A suggestion is read again before it is believed: what is not as meant is found."""

import pytest

from commonplace.core.critic.check import moved, reads_as_meant
from commonplace.core.critic.match import matches
from commonplace.core.critic.metadata import NOBODY
from commonplace.core.critic.page import MarkedText, read
from commonplace.core.critic.regions import Region, regions
from commonplace.core.critic.rewrite import MarkForm, rewritten
from commonplace.core.text.edits import Edit, apply

TEXT = "{++new++} a cat {>>why<<} sat {==lit==} {--old--}"
Rows = list[tuple[Region, list[Edit]]]


def written(old: str, new: str, text: str = TEXT) -> tuple[MarkedText, str, Rows]:
    page = read(text)
    wanted = matches(page.accepted.text, old, new, replace_all=True)
    found = regions(page, wanted, apart=True, by_lines=False)
    rows = [(region, rewritten(page, region, MarkForm(apart=True), NOBODY)) for region in found]
    return page, apply(text, [edit for _, made in rows for edit in made]), rows


@pytest.mark.parametrize(
    ("old", "new"),
    [("cat", "dog"), ("a", "an old"), ("cat  sat", "dog"), ("new", "newer"), ("lit", "dim")],
)
def test_what_was_written_as_meant_is_believed(old: str, new: str) -> None:
    page, text, rows = written(old, new)
    assert reads_as_meant(page, text, rows)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("{++dog++}", "{++fox++}"),
        ("{--cat--}", "{--rat--}"),
        ("{--cat--}{++dog++}", "{--cat--}.{++dog+}."),
        ("{++new++}", "{--new--}"),
        ("{--old--}", "{==old==}"),
        ("{>>why<<}", "{--why--}"),
        ("{==lit==}", "{++lit++}"),
    ],
)
def test_what_reads_otherwise_is_not(right: str, wrong: str) -> None:
    page, text, rows = written("cat", "dog")
    assert right in text
    assert not reads_as_meant(page, text.replace(right, wrong), rows)


def test_a_comment_that_is_lost_is_found_missing() -> None:
    page, text, rows = written("cat  sat", "dog")
    assert "{>>why<<}" in text
    assert not reads_as_meant(page, text.replace("{>>why<<}", "{>>who<<}"), rows)


def test_regions_move_by_what_was_written_before_them() -> None:
    _, text, rows = written("a", "an old")
    for (region, _), (start, end, new_start, new_end) in zip(rows, moved(rows), strict=True):
        assert (start, end) == (region.start, region.end)
        assert text[new_start:new_end].startswith(("{", "a"))
        assert new_end - new_start >= end - start
