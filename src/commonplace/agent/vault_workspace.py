"""What a conversation works with, over a real vault: token, working copy, change sets, process."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from commonplace.agent.conversation import TURN_SECONDS_MAX, Conversation
from commonplace.agent.events import Question
from commonplace.agent.questions import is_silent
from commonplace.agent.settings import AgentCommand
from commonplace.core.paths import has_note_suffix
from commonplace.core.view import View
from commonplace.errors import Conflict, NotFound, Unavailable
from commonplace.tools.families import offered
from commonplace.vault.checkout.working_copy import WorkingCopy
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.permissions.tokens import Token
from commonplace.vault.vault import Vault

if TYPE_CHECKING:
    from commonplace.agent.client import AgentClient

SERVER = "commonplace"
TOKEN_SECONDS_MAX = 24 * 3_600.0
_NAMES_MAX = 100


class VaultWorkspace:
    """The workspace of one conversation; it opens with the first prompt."""

    def __init__(
        self,
        vault: Vault,
        agent: AgentCommand,
        folder: Path,
        serve_tools: Callable[[], Awaitable[str]],
        make_room: Callable[[], Awaitable[None]],
    ) -> None:
        self._vault, self._agent, self._folder = vault, agent, folder
        self._serve_tools, self._make_room = serve_tools, make_room
        self._stack = AsyncExitStack()
        self._copy: WorkingCopy | None = None
        self._token: Token | None = None
        self._secret = ""
        self._tools = frozenset(offered(vault.settings.families, read_only=False))

    @property
    def notes(self) -> Path:
        """The agent's working folder."""
        return self._folder / "notes"

    async def start(self, conversation: Conversation) -> "AgentClient":
        """Start the agent, with its tools and its working copy."""
        from commonplace.agent.client import AgentClient, ToolServer  # late: it takes a second

        await self._make_room()
        if self._token is None:
            await self._make_token(conversation)
        assert self._token is not None
        if self._copy is None:
            by = Asker(self._token.actor, self._token.name, suggests_only=True)
            bases, chosen = self._folder / "bases.db", View(tuple(conversation.record.folders))
            opening = WorkingCopy.open(self._vault, self.notes, bases, by, chosen)
            self._copy = await self._stack.enter_async_context(opening)
            self._copy.listeners.append(conversation.trouble)
        client = AgentClient(self._agent, conversation, self.notes)
        tools = ToolServer(SERVER, await self._serve_tools(), self._secret)
        await client.start(tools, conversation.record.session)
        return client

    def can_go_on(self) -> bool:
        """Tell whether the agent that runs can still use our tools for a whole turn."""
        token = self._token and self._vault.tokens.get(self._token.id)
        left = self._vault.tokens.seconds_left(token) if token else None
        return left is not None and left > TURN_SECONDS_MAX

    async def begin(self, title: str, conversation: str) -> int:
        """Begin the change set of a turn."""
        assert self._token is not None
        token = self._token
        begun = await self._vault.sets.kept.begin(
            token.actor, token.name, title, conversation=conversation
        )
        return begun.number

    async def finish(self, number: int) -> bool:
        """Take in all that was saved, and finish the set; tell whether it holds anything."""
        sets = self._vault.sets.kept
        try:
            if self._copy is not None:
                await self._copy.settle()
        finally:
            await sets.finish(number)
        return bool(sets.store.of_set(number))

    def is_silent(self, question: Question) -> bool:
        """Tell whether a question needs no person."""
        return is_silent(question, SERVER, self._tools, self.notes)

    def note_at(self, path: str) -> str:
        """Return the note that a file of the working copy stands for; empty if it is none."""
        found = os.path.relpath(os.path.join(self.notes, path), self.notes)  # noqa: PTH118
        inside = has_note_suffix(found) and not found.startswith("..")
        found = self._copy.note_of(found) if self._copy is not None else found
        return found if inside and self._vault.texts.exists(found) else ""

    async def read_file(self, path: str, line: int | None, limit: int | None) -> str:
        """Return a file of the working copy."""
        return await self._opened().read(path, line, limit)

    async def write_file(self, path: str, text: str) -> None:
        """Write a file of the working copy."""
        await self._opened().write(path, text)

    async def close(self) -> None:
        """Close the working copy, and let the agent in no more until it is started again."""
        self._copy = None
        await self._stack.aclose()
        if self._token is not None:
            token, self._token = self._token, None
            with suppress(NotFound):  # a person has revoked it
                await self._vault.tokens.renew(token.id, token.name, time.time())

    def _opened(self) -> WorkingCopy:
        if self._copy is None:
            raise Unavailable("The working copy is not open.")
        return self._copy

    async def _make_token(self, conversation: Conversation) -> None:
        """Make a token named after the agent; a conversation keeps its own, with a new secret."""
        record = conversation.record
        for number in range(1, _NAMES_MAX):
            name = self._agent.name if number == 1 else f"{self._agent.name} {number}"
            try:
                self._token, self._secret = await self._token_named(name, record.token)
            except Conflict:
                continue
            record.token = self._token.id
            return
        raise Unavailable(f"There are {_NAMES_MAX} conversations with {self._agent.name} already.")

    async def _token_named(self, name: str, id: str) -> tuple[Token, str]:
        tokens, expires = self._vault.tokens, time.time() + TOKEN_SECONDS_MAX
        try:
            return await tokens.renew(id, name, expires)
        except NotFound:
            return await tokens.create(name, "suggest", expires)


async def remove_folder(folder: Path) -> None:
    """Remove the folder of a conversation with all that is in it; links are not followed."""
    import shutil

    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
