"""A mirror compared with the vault, note by note, and mended."""

from dataclasses import dataclass
from functools import partial

from commonplace.errors import BadArgument
from commonplace.vault.index.reader import Index
from commonplace.vault.nodes.neo4j.connection import connected
from commonplace.vault.nodes.neo4j.open import MIRROR, use_of
from commonplace.vault.nodes.neo4j.replica import MirrorWriter, ReportProgress
from commonplace.vault.nodes.neo4j.schema import prepare
from commonplace.vault.nodes.neo4j.source import VaultSource
from commonplace.vault.settings import Settings, vault_key


@dataclass(frozen=True, slots=True)
class Checked:
    """How many notes the vault has, and which of them, or beside them, the mirror has wrong."""

    notes: int
    wrong: list[str]


async def check(
    settings: Settings, *, mend: bool, looking: ReportProgress, mending: ReportProgress
) -> Checked:
    """Compare the mirror of a vault, whose index is current, word for word."""
    if use_of(settings.store) != MIRROR:
        raise BadArgument(
            "There is nothing to compare: the nodes live in this store. Only one that is used as"
            " a mirror (use=mirror) has a vault to be compared with."
        )
    index = Index(settings.state)
    corpus = index.corpus()
    source = VaultSource(settings.state, lambda note: corpus.text(note) or b"")
    key = vault_key(settings.roots)
    try:
        async with connected(settings.store, partial(prepare, use=MIRROR, vault=key)) as database:
            replica = MirrorWriter(database, source)
            wrong = await replica.faults(looking)
            if wrong and mend:
                await replica.mend(wrong, mending)
            return Checked(index.size(), wrong)
    finally:
        source.close()
        index.close()
