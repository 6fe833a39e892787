"""Which notes a site has, what of each is public, and where its links lead."""

import pytest

from commonplace.core.site import described, public_text, published

NOTES = {
    "Start.md": "---\npublish: true\nphone: 555-01\n---\n# Start\n\nSee [[Secret]], [[plan|it]].\n",
    "Sub/Plan.md": "---\npublish: true\naliases: [The plan]\n---\n# Plan\n\n[Up](../Start.md)\n",
    "Secret.md": "# Secret\n\nSee [[Start]].\n",
    "No.md": "---\npublish: false\n---\nNo.\n",
    "Word.md": "---\npublish: yes please\n---\nNo.\n",
}


def test_the_whole_vault_or_what_is_marked():
    assert list(published(NOTES)) == ["No.md", "Secret.md", "Start.md", "Sub/Plan.md", "Word.md"]
    assert list(published(NOTES, marked_only=True)) == ["Start.md", "Sub/Plan.md"]


def test_links_lead_to_what_is_published_and_nowhere_else():
    pages = published(NOTES, marked_only=True)
    assert pages["Start.md"].links == {"plan": "Sub/Plan.md"}
    assert list(pages["Sub/Plan.md"].links.values()) == ["Start.md"]
    assert published(NOTES)["Start.md"].links["Secret"] == "Secret.md"


def test_properties_stay_private():
    page = published(NOTES)["Start.md"]
    assert "555" not in page.text
    assert (page.title, described(page)) == ("Start", "See [[Secret]], [[plan|it]].")


def test_what_nobody_has_accepted_is_not_published():
    text = "Sow {--may--}{++May++}.{>> is that so? <<} {==Now==}\n\n{++ All new. ++}\n"
    page = published({"a.md": text})["a.md"]
    assert page.text.strip() == "Sow may. Now"


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("a %%not this%% b\n", "a  b\n"),
        ("a %%\nnot\nthis\n%% b\n", "a  b\n"),
        ("`code` %%secret%% `x` `y\n", "`code`  `x` `y\n"),
        ("%%a `%%` b%% c\n", " c"),
        ("50% of %%x%% 100%\n", "50% of  100%"),
        ("```\n%% code %%\n```\n%%x%%\n", "```\n%% code %%\n```\n\n"),
        ("~~~~\n```\n%%y%%\n~~~~\n", "~~~~\n```\n%%y%%\n~~~~\n"),
        ("`%%` and %%\n", "`%%` and "),
        ("open %% to the end\nnothing\n", "open "),
        ("100%% sure\n", "100"),
    ],
)
def test_remarks_stay_private(text: str, public: str):
    assert public_text(text).rstrip("\n") == public.rstrip("\n")


def test_a_page_has_an_address_that_browsers_understand():
    page = published({"Sub/Ä b#1?.md": "x"})["Sub/Ä b#1?.md"]
    assert (page.file, page.url) == ("notes/Sub/Ä b#1?.html", "notes/Sub/%C3%84%20b%231%3F.html")
    assert page.depth == 2


def test_several_roots_resolve_in_their_own_first():
    notes = {"A/x.md": "[[y]]", "A/y.md": "", "B/y.md": ""}
    assert published(notes, several_roots=True)["A/x.md"].links == {"y": "A/y.md"}
