"""What assistants see of attachments."""

import base64

import mcp_types as types
import pytest

from tests.tools.conftest import Desk, OpenDesk
from tests.vault.attachments.samples import jpeg, pdf, png

pytestmark = pytest.mark.anyio

_NOTES = {
    "Note.md": "![[pic.png]] and ![](img/photo%20one.jpg) and [[paper.pdf]] ![[gone.gif]]\n",
    "Other.md": "[[Note]] [[nowhere]]\n",
    "pic.png": png(),
    "img/photo one.jpg": jpeg(3000, 2000),
    "paper.pdf": pdf("Bees dance", "And sleep"),
    "tune.mp3": b"ID3",
}


async def _images(desk: Desk, path: str) -> list[types.ImageContent]:
    result = await desk.client.call_tool("read", {"file_path": path})
    assert not result.is_error
    return [block for block in result.content if isinstance(block, types.ImageContent)]


async def test_read_shows_a_picture_as_one(desk: OpenDesk) -> None:
    at = await desk(_NOTES)
    (image,) = await _images(at, "pic.png")
    assert image.mime_type == "image/png"
    assert base64.b64decode(image.data) == png()
    (image,) = await _images(at, "img/photo one.jpg")
    assert len(base64.b64decode(image.data)) < 3_750_000


async def test_read_gives_the_text_of_a_pdf_and_a_clear_sentence_otherwise(
    desk: OpenDesk,
) -> None:
    at = await desk(_NOTES)
    whole = await at.call("read", file_path="paper.pdf")
    assert whole == "[Page 1 of 2]\nBees dance\n\n[Page 2 of 2]\nAnd sleep"
    first = await at.call("read", file_path="paper.pdf", limit=1)
    assert first == "[Page 1 of 2]\nBees dance\n\n[Use offset=2 to read on.]"
    assert "is no file that can be shown here" in await at.error("read", file_path="tune.mp3")
    assert "Document not found: no.png" in await at.error("read", file_path="no.png")


async def test_glob_lists_other_files_when_a_pattern_names_their_ending(
    desk: OpenDesk,
) -> None:
    at = await desk(_NOTES)
    assert await at.call("glob", pattern="**/*.png") == "pic.png"
    assert await at.call("glob", pattern="*.jpg", path="img") == "img/photo one.jpg"
    both = await at.call("glob", pattern="**/*.{md,pdf}")
    assert set(both.split("\n")) == {"Note.md", "Other.md", "paper.pdf"}
    assert set((await at.call("glob", pattern="**")).split("\n")) == {"Note.md", "Other.md"}


async def test_get_links_lists_attachments_and_who_links_to_one(desk: OpenDesk) -> None:
    at = await desk(_NOTES)
    told = await at.call("get_links", file_path="Note.md")
    assert told.endswith(
        "Attachments:\n- gone.gif (missing)\n- img/photo one.jpg\n- paper.pdf\n- pic.png"
    )
    assert "Attachments" not in await at.call("get_links", file_path="Other.md")
    told = await at.call("get_links", file_path="pic.png")
    assert told == "Backlinks (documents linking to this):\n- Note.md"


async def test_a_picture_whose_address_holds_spaces_as_they_are_is_one(desk: OpenDesk) -> None:
    at = await desk({**_NOTES, "Loose.md": "![](img/photo one.jpg) ![](img/no such.jpg)\n"})
    told = await at.call("get_links", file_path="Loose.md")
    assert told.endswith("Attachments:\n- img/no such.jpg (missing)\n- img/photo one.jpg")
    assert "Loose.md" in await at.call("get_links", file_path="img/photo one.jpg")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit", {"file_path": "pic.png", "old_string": "a", "new_string": "b"}),
        ("grep", {"pattern": "x", "path": "pic.png"}),
        ("read_note", {"path": "pic.png"}),
        ("delete_note", {"path": "pic.png"}),
        ("get_node", {"id": "pic.png"}),
        ("get_neighbors", {"id": "pic.png"}),
        ("find_path", {"source": "Note.md", "target": "pic.png"}),
        ("delete_node", {"id": "pic.png"}),
    ],
)
async def test_other_tools_say_that_it_is_an_attachment(
    desk: OpenDesk, tool: str, arguments: dict[str, str]
) -> None:
    at = await desk(_NOTES)
    told = await at.error(tool, **arguments)
    assert "pic.png is an attachment, not a " in told
    assert "Attachments are taken by read, glob and get_links only" in told
    assert (at.folder / "pic.png").read_bytes() == png()
