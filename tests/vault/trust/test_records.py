"""A person's answers about a vault's file: for exactly what was shown, and out of its reach."""

import json
from pathlib import Path

import pytest

from commonplace.errors import BadArgument, Unavailable
from commonplace.vault.trust.records import TrustAnswers, listed


def answers(tmp_path: Path, name: str = "vault") -> TrustAnswers:
    (tmp_path / name).mkdir(exist_ok=True)
    return TrustAnswers(tmp_path / "state", tmp_path / name)


def test_an_answer_holds_for_exactly_what_was_shown(tmp_path: Path) -> None:
    one = answers(tmp_path)
    assert one.answer("print") is None
    one.write("print", trusted=True, settings=["policy"])
    one.write("other", trusted=False, settings=[])
    again = answers(tmp_path)
    assert [again.answer(each) for each in ("print", "other", "third")] == [True, False, None]
    assert answers(tmp_path, "vault 2").answer("print") is None
    assert [(each.trusted, each.settings) for each in listed(tmp_path / "state")] == [
        (False, ()),
        (True, ("policy",)),
    ]


def test_a_folder_is_the_same_by_any_of_its_names(tmp_path: Path) -> None:
    answers(tmp_path).write("print", trusted=True, settings=[])
    (tmp_path / "link").symlink_to(tmp_path / "vault")
    assert TrustAnswers(tmp_path / "state", tmp_path / "link").answer("print") is True


def test_what_a_vault_could_have_brought_along_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    inside = TrustAnswers(tmp_path / "vault/.state", tmp_path / "vault")
    assert not inside.possible
    with pytest.raises(BadArgument, match="lies inside this vault"):
        inside.write("print", trusted=True, settings=[])
    outside = answers(tmp_path)
    outside.write("print", trusted=True, settings=[])
    (tmp_path / "state").rename(tmp_path / "vault/.state")
    assert inside.answer("print") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "no json",
        '{"folder": "FOLDER", "trusted": "yes", "settings": [], "time": 1}',
        '{"folder": "FOLDER", "trusted": true, "settings": [], "time": "now"}',
        '{"folder": "elsewhere", "trusted": true, "settings": [], "time": 1}',
    ],
)
def test_what_cannot_be_read_as_an_answer_is_none(tmp_path: Path, text: str) -> None:
    one = answers(tmp_path)
    one.write("print", trusted=True, settings=[])
    (file,) = (tmp_path / "state/trust").glob("*.json")
    file.write_text(text.replace("FOLDER", json.dumps(str(tmp_path / "vault"))[1:-1]))
    assert one.answer("print") is None


def test_all_answers_about_a_vault_are_taken_back(tmp_path: Path) -> None:
    one, other = answers(tmp_path), answers(tmp_path, "other")
    one.write("print", trusted=True, settings=[])
    one.write("more", trusted=False, settings=[])
    other.write("print", trusted=True, settings=[])
    assert one.revoke() == 1
    assert one.revoke() == 0
    assert one.answer("print") is None
    assert other.answer("print") is True


def test_an_answer_that_cannot_be_saved_is_told(tmp_path: Path) -> None:
    one = answers(tmp_path)
    (tmp_path / "state").mkdir()
    (tmp_path / "state/trust").write_text("in the way")
    with pytest.raises((Unavailable, OSError)):
        one.write("print", trusted=True, settings=[])
