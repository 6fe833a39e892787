"""What a refusal says helps whoever can mend it."""

from commonplace.core.critic.refusals import HasDelimiter, NotUnique


def test_only_new_text_is_told_of_code_fences() -> None:
    new, old = HasDelimiter("new_string", "{++"), HasDelimiter("old_string", "{++")
    assert "can stand in a code fence" in str(new)
    assert "code fence" not in str(old)
    assert (old.param, old.token) == ("old_string", "{++")


def test_how_often_a_text_is_there_is_said() -> None:
    refusal = NotUnique(3)
    assert "(3 occurrences found)" in str(refusal)
    assert refusal.count == 3
