"""Checks a real vault from outside: `python -m bench.real FOLDER [FOLDER ...]`.

Indexes it without an error, reads every path that glob, grep and get_links print, and compares
the links of 200 sampled notes, or of all with `--all`, with a second reader that shares no code
with the first: a plain regular expression over the text with code masked, and a look-up by name
over a walk of the disk. It knows no aliases and no titles, which explains most differences.
"""

import asyncio
import random
import re
import sys
import tempfile
import unicodedata
from pathlib import Path
from urllib.parse import unquote

from commonplace.tools import files
from commonplace.tools.table import Actor, Call, Toolbox
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

_CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1|`[^`\n]+`|<!--.*?-->", re.MULTILINE | re.DOTALL)
_WIKI = re.compile(r"\[\[([^\[\]|#^\\\n]+)")
_MARKDOWN = re.compile(r"\]\(<?([^()<>\s]+\.md)")
SAMPLE = 200


def fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


class Reader:
    """What a person with an editor and a file manager would say."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.by_name: dict[str, list[str]] = {}
        for file in folder.rglob("*.md"):
            path = file.relative_to(folder)
            if not any(part.startswith(".") for part in path.parts):
                self.by_name.setdefault(fold(file.stem), []).append(path.as_posix())

    def forward(self, path: str) -> set[str]:
        text = (self.folder / path).read_text(encoding="utf-8", errors="replace")
        body = _CODE.sub("", text)
        targets = [t.strip() for t in _WIKI.findall(body)] + [
            unquote(t) for t in _MARKDOWN.findall(body)
        ]
        return {found for target in targets if (found := self.resolve(target, path))}

    def resolve(self, target: str, source: str) -> str | None:
        wanted = fold(re.sub(r"\.md$", "", target, flags=re.IGNORECASE)).lstrip("./")
        named = self.by_name.get(wanted.rpartition("/")[2], [])
        hits = [p for p in named if ("/" + fold(p[:-3])).endswith("/" + wanted)]
        here = [p for p in hits if p.rpartition("/")[0] == source.rpartition("/")[0]]
        return min(here or hits, key=lambda p: (p.count("/"), len(p), p), default=None)


async def check(folder: Path, *, everything: bool) -> bool:
    with tempfile.TemporaryDirectory() as state:
        async with open_vault(Settings((Root("vault", folder),), Path(state))) as vault:
            await vault.indexer.settled()
            return await compare(folder, vault, everything=everything)


async def compare(folder: Path, vault: Vault, *, everything: bool = False) -> bool:
    counts = vault.health.status()["index"]
    print(f"{folder.name}: {counts}")
    reader = Reader(folder)
    rng = random.Random(0)
    listed = [entry.path for entry in await vault.listing.newest()]
    agree = total = 0
    chosen = listed if everything else rng.sample(listed, min(SAMPLE, len(listed)))
    for path in chosen:
        ours, theirs = set((await vault.listing.links(path)).forward), reader.forward(path)
        total += len(ours | theirs)
        agree += len(ours & theirs)
        for target in sorted(ours ^ theirs):
            print(f"  differs: {path} -> {target} ({'ours' if target in ours else 'theirs'})")
    print(f"  links of {len(chosen)} notes: {agree} of {total} agree ({agree / max(total, 1):.2%})")
    return await every_path_reads(vault, rng.sample(listed, min(SAMPLE, len(listed))))


async def every_path_reads(vault: Vault, sample: list[str]) -> bool:
    box = Toolbox(files.tools(vault))
    call = Call(Actor("check", "check"))
    printed: set[str] = set()
    for name, arguments in (
        ("glob", {"pattern": "**"}),
        ("grep", {"pattern": ".", "head_limit": 0}),
    ):
        printed |= set((await box.call(name, arguments, call)).text.split("\n"))
    for path in sample:
        answer = await box.call("get_links", {"file_path": path}, call)
        printed |= {
            line[2:]
            for line in answer.text.split("\n")
            if line.endswith(".md") and line.startswith("- ")
        }
    paths = [path for path in printed if path.endswith(".md")]
    failed = [p for p in paths if (await box.call("read", {"file_path": p}, call)).is_error]
    print(f"  {len(paths)} printed paths read, {len(failed)} failed {failed[:5]}")
    return not failed


if __name__ == "__main__":
    whole = "--all" in sys.argv
    folders = [Path(folder) for folder in sys.argv[1:] if folder != "--all"]
    results = [asyncio.run(check(folder, everything=whole)) for folder in folders]
    sys.exit(not all(results))
