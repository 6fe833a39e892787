"""What is wrong once everybody has ended: compared with what each was told is done."""

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import psycopg

from commonplace.vault.team_files.folder import write_out
from tests.engines.postgres.busy_team import WORD, BusyTeam, joined, new_peer
from tests.engines.postgres.serve_process import ServeProcess
from tests.engines.postgres.team_node import files_in
from tests.wait import eventually

Files = dict[str, str]


async def find_faults(url: str, team: BusyTeam, documents: Mapping[str, str]) -> list[str]:
    """Wait until all copies are the same, and tell what is not as it was acknowledged.

    `documents` are those in which people typed, by the path of the note.
    """
    try:
        files = await eventually(lambda: agreed_files(url, team.nodes))
    except AssertionError:
        return ["the folders of the nodes and the exported files differ"]
    ledger = await asyncio.to_thread(read_ledger, url)
    return [
        *await differing(team.nodes, documents, files),
        *missing_words(team, files),
        *wrong_notes(team, files),
        *wrong_suggestions(team, files, ledger),
        *wrong_decisions(team, ledger),
    ]


async def agreed_files(url: str, nodes: Sequence[ServeProcess]) -> Files | None:
    """Return the exported files, if the folder of each node has the same."""
    files = await asyncio.to_thread(exported, url)
    folders = [await asyncio.to_thread(shown_files, node.notes) for node in nodes]
    return files if all(folder == files for folder in folders) else None


def exported(url: str) -> Files:
    with tempfile.TemporaryDirectory() as folder:
        write_out(url, "team", Path(folder) / "out")
        return shown_files(Path(folder) / "out")


def shown_files(folder: Path) -> Files:
    """Return the files that are not hidden."""
    found = {path.decode(): data.decode() for path, data in files_in(folder).items()}
    return {path: text for path, text in found.items() if "/." not in f"/{path}"}


async def differing(
    nodes: Sequence[ServeProcess], documents: Mapping[str, str], files: Files
) -> list[str]:
    """Find notes that are shown otherwise, through any node, than their files are."""
    found: list[str] = []
    for node in nodes:
        for path, document in documents.items():
            peer = new_peer()
            async with joined(node, document, peer):
                if str(peer) != files[path]:
                    found.append(f"{path} through port {node.port} is not its file")
    return found


def words_in(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in WORD.findall(text))


def missing_words(team: BusyTeam, files: Files) -> list[str]:
    found = words_in(files.values())
    saved = [word for person in team.people for word in person.saved]
    typed = {word: count for word, count in found.items() if word.startswith("p")}
    return [
        *(
            f"{word} was typed and is there {found[word]} times"
            for word in saved
            if not found[word]
        ),
        *(f"{word} is there {count} times" for word, count in typed.items() if count > 1),
    ]


def wrong_notes(team: BusyTeam, files: Files) -> list[str]:
    """Find notes that are not where, or not what, the assistant who made them knows."""
    made = {word: places for each in team.assistants for word, places in each.made.items()}
    there: dict[str, list[str]] = {}
    for path, text in files.items():
        if path.startswith("made/"):
            there.setdefault(text.strip(), []).append(path)
    return [
        f"{word} is at {paths}, not at one of {sorted(made.get(word, ()))}"
        for word in {*made, *there}
        for paths in [there.get(word) or [""]]
        if len(paths) != 1 or paths[0] not in made.get(word, ())
    ]


Ledger = list[dict[str, str]]


def read_ledger(url: str) -> Ledger:
    """Read every end of a suggestion that a person decided."""
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT value FROM vault_team.records WHERE kind = 'decided'")
        ends: Ledger = [end for (value,) in rows for end in json.loads(value)]
    return [end for end in ends if end["decision"] in ("accept", "reject")]


def wrong_suggestions(team: BusyTeam, files: Files, ledger: Ledger) -> list[str]:
    """A word that was suggested is in its note, or was rejected, and either once."""
    notes = [text for path, text in files.items() if not path.startswith("made/")]
    found = words_in(notes)
    found.update(words_in(end["new"] for end in ledger if end["decision"] == "reject"))
    suggested = {word for each in team.assistants for word in each.suggested}
    return [
        f"{word} was suggested, and is there or rejected {found[word]} times"
        for word in {*suggested, *(word for word in found if word.startswith("a"))}
        if found[word] != 1
    ]


def wrong_decisions(team: BusyTeam, ledger: Ledger) -> list[str]:
    ends: dict[str, Ledger] = {}
    for end in ledger:
        ends.setdefault(end["new"], []).append(end)
    decided = {
        new: (verdict, each.name)
        for each in team.reviewers
        for new, verdict in each.decided.items()
    }
    return [
        *(
            f"{new!r} was decided more than once: {found}"
            for new, found in ends.items()
            if found[1:]
        ),
        *(
            f"{new!r} is on record as {ends.get(new)}, not {wanted}"
            for new, wanted in decided.items()
            if wanted not in [(end["decision"], end["who"]) for end in ends.get(new, ())]
        ),
    ]
