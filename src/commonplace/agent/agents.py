"""All conversations of a vault: begun, taken up again, found, deleted."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path

from commonplace.agent.conversation import Conversation
from commonplace.agent.record import CONVERSATIONS_MAX, ConversationRecord, ConversationRecords
from commonplace.agent.settings import PersonalSettings, read_settings
from commonplace.agent.vault_workspace import VaultWorkspace, remove_folder
from commonplace.core.view import View
from commonplace.errors import CommonplaceError, NotFound, Unavailable
from commonplace.vault.checkout.working_copy import check_room
from commonplace.vault.vault import Vault

RUNNING_MAX = 4


class Agents:
    """The conversations of one vault; `serve_tools` gives the address of our own MCP server."""

    def __init__(
        self, vault: Vault, settings: Path | None, serve_tools: Callable[[], Awaitable[str]]
    ) -> None:
        self._vault, self._settings = vault, settings
        self._serve_tools = serve_tools
        self._records = ConversationRecords(vault.settings.state / "agents")
        self._open: dict[str, Conversation] = {}

    def personal(self) -> PersonalSettings:
        """Return what the person's settings say now."""
        return read_settings(self._settings)

    async def begin(self, agent: str, folders: Iterable[str] = ()) -> Conversation:
        """Begin a conversation, over some folders or all; the agent starts with the first prompt.

        Raises:
            BadArgument: these hold more notes than a working copy takes.

        """
        chosen = View.of(folders)
        check_room(self._vault, chosen)
        self.personal().agent(agent)
        if len(await self.listed()) >= CONVERSATIONS_MAX:
            raise Unavailable(f"There are {CONVERSATIONS_MAX} conversations. Delete some.")
        record = ConversationRecord.new(agent, time.time(), chosen.folders)
        await self._save(record)
        return self._opened(record)

    async def get(self, id: str) -> Conversation:
        """Return a conversation, open or from the disk."""
        if id in self._open:
            return self._open[id]
        record = await asyncio.to_thread(self._records.load, id)
        return self._open.get(id) or self._opened(record)

    async def listed(self, words: str = "") -> list[ConversationRecord]:
        """List conversations, newest first; those with these words."""
        return await asyncio.to_thread(self._records.listed, words)

    async def verdicts(self, id: str, number: int) -> str:
        """Say what people made of a set of a conversation, as words for the next prompt."""
        one = await self._vault.sets.kept.get(number)
        if one.conversation != id:
            raise NotFound(f"This conversation did not make change set {number}.")
        return await self._vault.sets.feedback.verdicts(number)

    def state_of(self, id: str) -> str:
        """Say whether a conversation's agent works."""
        return self._open[id].state if id in self._open else "resting"

    async def delete(self, id: str) -> None:
        """End a conversation and remove all that was kept of it; suggestions stay."""
        conversation = await self.get(id)
        del self._open[id]
        await conversation.close()
        with suppress(NotFound):
            await self._vault.tokens.revoke(conversation.record.token)
        await remove_folder(self._records.folder_of(id))

    async def close(self) -> None:
        """End every agent; conversations can be taken up again."""
        for conversation in list(self._open.values()):
            with suppress(CommonplaceError):
                await conversation.close()
        self._open.clear()

    def _opened(self, record: ConversationRecord) -> Conversation:
        agent = self.personal().agent(record.agent)
        folder = self._records.folder_of(record.id)
        place = VaultWorkspace(self._vault, agent, folder, self._serve_tools, self._make_room)
        self._open[record.id] = Conversation(record, place, self._save)
        return self._open[record.id]

    async def _make_room(self) -> None:
        """End an agent that rests if too many run."""
        running = [one for one in self._open.values() if one.runs]
        if len(running) < RUNNING_MAX:
            return
        resting = [one for one in running if one.state in ("resting", "failed")]
        if not resting:
            raise Unavailable(f"{RUNNING_MAX} agents are at work. Wait for one, or stop one.")
        await min(resting, key=lambda one: one.record.changed).close()

    async def _save(self, record: ConversationRecord) -> None:
        await asyncio.to_thread(self._records.save, record)
