from collections.abc import AsyncGenerator
from typing import Any

import anyio
import mcp_types as types
import pytest
from hypothesis import given, strategies as st
from mcp import Client, MCPError
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated

from commonplace.errors import NotFound
from commonplace.server.mcp.feed import SUBSCRIPTIONS_MAX
from commonplace.server.mcp.resources import COMPLETIONS_MAX, PAGE_MAX
from commonplace.server.mcp.uris import canonical, note_path, note_uri
from tests.server.small_vault import NOTES, Shelf, over_stream, server_on, service_on
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio

ERAS = ("auto", "legacy")
WAYS = [(era, way) for era in ERAS for way in ("memory", "stream")]


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def connect(shelf: Shelf, era: str, way: str, **more: Any) -> Client:
    return Client(
        server_on(shelf) if way == "memory" else over_stream(service_on(shelf)), mode=era, **more
    )


@pytest.fixture(params=WAYS, ids="-".join)
async def client(request: pytest.FixtureRequest, shelf: Shelf) -> AsyncGenerator[Client]:
    async with connect(shelf, *request.param) as client:
        yield client


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_an_address_leads_back_to_its_path(path: str) -> None:
    uri = note_uri(path)
    assert uri.isascii()
    assert note_path(uri) == path
    assert canonical(uri) == uri


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("note:///Reading%20list?.md", "Reading list?.md"),
        ("note:///C#/é.md", "C#/é.md"),
        ("note:///a%2Fb.md", "a/b.md"),
    ],
)
def test_an_address_that_a_client_made_from_the_template_is_understood(uri: str, path: str) -> None:
    assert note_path(uri) == path
    assert canonical(uri) == note_uri(path)


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "note://x/a.md", "note:///%ff.md", ""])
def test_any_other_address_is_not_found(uri: str) -> None:
    with pytest.raises(NotFound, match="No such resource"):
        note_path(uri)
    assert canonical(uri) == uri


async def test_every_note_is_a_resource(client: Client) -> None:
    listed = (await client.list_resources()).resources
    assert [r.name for r in listed] == sorted(NOTES)
    bees = listed[0]
    assert bees.uri == "note:///Garden/Bees.md"
    assert (bees.title, bees.mime_type) == ("Bees.md", "text/markdown")
    assert bees.size == len(NOTES["Garden/Bees.md"])
    assert bees.annotations is not None
    assert bees.annotations.last_modified == "2023-11-14T22:13:20Z"


async def test_what_is_listed_can_be_read(client: Client) -> None:
    for resource in (await client.list_resources()).resources:
        (contents,) = (await client.read_resource(resource.uri)).contents
        assert isinstance(contents, types.TextResourceContents)
        assert contents.text == NOTES[resource.name]
        assert (contents.uri, contents.mime_type) == (resource.uri, "text/markdown")


@pytest.mark.parametrize("era", ERAS)
async def test_many_notes_come_in_pages_each_note_once(era: str) -> None:
    shelf = Shelf({f"{n:04}.md": "x" for n in range(2 * PAGE_MAX + 1)})
    async with Client(server_on(shelf), mode=era) as client:
        pages: list[list[str]] = []
        cursor: str | None = None
        while cursor is not None or not pages:
            page = await client.list_resources(cursor=cursor)
            pages.append([r.name for r in page.resources])
            cursor = page.next_cursor
    assert [len(p) for p in pages] == [PAGE_MAX, PAGE_MAX, 1]
    assert [name for p in pages for name in p] == sorted(shelf.notes)


@pytest.mark.parametrize("cursor", ["!", "é", "/w==", "YQ", ""])
async def test_a_cursor_that_we_did_not_give_is_refused_or_harmless(
    client: Client, cursor: str
) -> None:
    if not cursor:
        assert (await client.list_resources(cursor=cursor)).resources
        return
    with pytest.raises(MCPError, match="Unknown cursor") as caught:
        await client.list_resources(cursor=cursor)
    assert caught.value.code == types.INVALID_PARAMS


async def test_there_is_one_template(client: Client) -> None:
    (template,) = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "note:///{+path}"


@pytest.mark.parametrize("uri", ["note:///no.md", "file:///etc/passwd", "note:///%ff"])
async def test_an_unknown_resource_is_reported_as_each_era_has_it(
    client: Client, uri: str, request: Any
) -> None:
    era = request.node.callspec.params["client"][0]
    with pytest.raises(MCPError) as caught:
        await client.read_resource(uri)
    assert caught.value.code == {"auto": -32602, "legacy": -32002}[era]
    assert caught.value.error.data == {"uri": uri}


async def complete(client: Client, value: str, uri: str = "note:///{+path}", name: str = "path"):
    ref = types.ResourceTemplateReference(uri=uri)
    return (await client.complete(ref, {"name": name, "value": value})).completion


async def test_a_path_is_completed(client: Client) -> None:
    assert (await complete(client, "Gar")).values == ["Garden/Bees.md", "Garden/Clover.md"]
    assert (await complete(client, "zzz")).values == []
    with pytest.raises(MCPError, match="can be completed"):
        await complete(client, "x", uri="file:///{x}")
    with pytest.raises(MCPError, match="takes `path`"):
        await complete(client, "x", name="other")


async def test_completion_stops_at_a_hundred_and_says_so() -> None:
    shelf = Shelf({f"{n:03}.md": "" for n in range(COMPLETIONS_MAX + 1)})
    async with Client(server_on(shelf)) as client:
        every = await complete(client, "")
        some = await complete(client, "09")
    assert (len(every.values), every.has_more) == (COMPLETIONS_MAX, True)
    assert (len(some.values), some.has_more) == (10, False)


async def subscribe(client: Client, uri: str) -> None:
    request = types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))
    await client.session.send_request(request, types.EmptyResult)


async def unsubscribe(client: Client, uri: str) -> None:
    request = types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=uri))
    await client.session.send_request(request, types.EmptyResult)


class Ear:
    """Collects the notifications of a 2025-era session."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._news = anyio.Event()

    async def __call__(self, message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            self.heard.append(message.params.uri)
        elif isinstance(message, types.ResourceListChangedNotification):
            self.heard.append("list")
        self._news.set()

    async def wait_for(self, count: int) -> list[str]:
        with anyio.fail_after(PATIENCE):
            while len(self.heard) < count:
                self._news = anyio.Event()
                await self._news.wait()
        return self.heard


@pytest.mark.parametrize("way", ["memory", "stream"])
async def test_a_2025_session_hears_of_what_it_subscribed_to(shelf: Shelf, way: str) -> None:
    ear = Ear()
    async with connect(shelf, "legacy", way, message_handler=ear) as client:
        await subscribe(client, "note:///Garden/Bees.md")
        await subscribe(client, "note:///Reading%20list?.md")
        shelf.put("Garden/Clover.md", "not asked for")
        shelf.put("Garden/Bees.md", "changed")
        shelf.put("Garden/Bees.md", "changed again")
        shelf.put("Reading list?.md", "changed")
        heard = await ear.wait_for(2)
        assert heard == ["note:///Garden/Bees.md", "note:///Reading%20list?.md"]
        await unsubscribe(client, "note:///Garden/Bees.md")
        shelf.put("Garden/Bees.md", "not any more")
        shelf.put("Reading list?.md", "but this")
        assert (await ear.wait_for(3))[2:] == ["note:///Reading%20list?.md"]


@pytest.mark.parametrize("way", ["memory", "stream"])
async def test_a_2025_session_hears_once_that_notes_came_and_went(shelf: Shelf, way: str) -> None:
    ear = Ear()
    async with connect(shelf, "legacy", way, message_handler=ear) as client:
        await subscribe(client, "note:///new.md")
        for n in range(10):
            shelf.put(f"{n}.md", "x")
            await anyio.lowlevel.checkpoint()
            shelf.remove(f"{n}.md")
        shelf.put("new.md", "x")
        assert sorted(await ear.wait_for(2)) == ["list", "note:///new.md"]
        shelf.put("new.md", "y")
        assert (await ear.wait_for(3))[2:] == ["note:///new.md"]


@pytest.mark.parametrize("way", ["memory", "stream"])
async def test_a_2026_client_hears_what_it_listens_for(shelf: Shelf, way: str) -> None:
    async with connect(shelf, "auto", way) as client:
        uri = "note:///Garden/Bees.md"
        async with client.listen(resource_subscriptions=[uri], resources_list_changed=True) as news:
            shelf.put("Garden/Clover.md", "not asked for")
            shelf.put("Garden/Bees.md", "changed")
            with anyio.fail_after(PATIENCE):
                assert await anext(news) == ResourceUpdated(uri)
            shelf.put("x.md", "")
            shelf.remove("x.md")
            shelf.put("Garden/Bees.md", "changed again")
            with anyio.fail_after(PATIENCE):
                both = {await anext(news), await anext(news)}
            assert both == {ResourcesListChanged(), ResourceUpdated(uri)}


async def test_a_session_can_follow_only_so_many_notes(shelf: Shelf) -> None:
    async with Client(server_on(shelf), mode="legacy") as client:
        for n in range(SUBSCRIPTIONS_MAX):
            await subscribe(client, f"note:///{n}.md")
        await subscribe(client, "note:///0.md")
        with pytest.raises(MCPError, match="Unsubscribe from some"):
            await subscribe(client, "note:///more.md")


@pytest.mark.parametrize(("era", "way"), WAYS)
async def test_when_a_session_ends_nothing_of_it_is_left(shelf: Shelf, era: str, way: str) -> None:
    async with connect(shelf, era, way) as client:
        if era == "legacy":
            await subscribe(client, "note:///a.md")
        await client.list_resources()
        assert len(shelf.listeners) == 1
    assert shelf.listeners == []
