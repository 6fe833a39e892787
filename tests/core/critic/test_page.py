"""What is remembered of a suggestion by its id follows it."""

from commonplace.core import critic
from commonplace.core.text.edits import apply


def test_what_is_remembered_by_id_follows_its_suggestion() -> None:
    document = "one {--cat--}{++dog++} two {--cat--}{++dog++} three {++x++}"
    first, second, _ = critic.suggestions(document)
    edits = critic.accept(document, [first.id])
    after = apply(document, edits)
    assert critic.carried(document, after, edits) == {second.id: critic.suggestions(after)[0].id}
    assert critic.rank(critic.suggestions(after)[0].id) == critic.rank(first.id)
    made = critic.suggest(after, "one", "one {")
    assert critic.written(made.text, made.edits) == [critic.suggestions(made.text)[0].id]
    assert critic.carried(after, made.text, made.edits) == {}
    third = critic.suggest("cat {--cat--}{++dog++}", "cat", "dog")
    names = [each.id for each in critic.suggestions(third.text)]
    assert critic.written(third.text, third.edits) == names[:1]
    (before,) = critic.suggestions("cat {--cat--}{++dog++}")
    assert critic.carried("cat {--cat--}{++dog++}", third.text, third.edits) == {
        before.id: names[1]
    }
