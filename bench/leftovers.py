"""Counts what is left raw when notes are read in the page, and pictures that do not load.

    python -m bench.leftovers VAULT [HOW MANY NOTES]

Looks at notes spread over the vault, most of them notes that hold such signs or pictures at all.
What stands in code is meant to be raw.
"""

import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.web.browser import browsing
from tests.web.build import build
from tests.web.serve import Server

SIGNS = ("[!", "![[", "$$", "==", "%%", "[^")
_FILE = re.compile(r"!\[\[[^\]]+\.(?:png|jpe?g|gif|svg|webp)|!\[[^\]]*\]\((?!https?:)[^)]+\)")
_LOOK = """async (signs) => {
  const box = document.querySelector('.prose');
  const images = [...box.querySelectorAll('img')];
  const loaded = (image) => image.complete ? null : new Promise((done) => {
    image.onload = image.onerror = done;
    setTimeout(done, 5000);
  });
  for (const image of images) image.loading = 'eager';
  await Promise.all(images.map(loaded));
  const copy = box.cloneNode(true);
  copy.querySelectorAll('pre, code, .math, .note-properties').forEach((each) => each.remove());
  const lines = copy.textContent.split('\\n');
  const words = (selector) => [...box.querySelectorAll(selector)].map((each) => each.textContent);
  const raw = (sign) => lines.filter((line) => line.includes(sign)).map((line) => [sign, line]);
  return {
    left: signs.flatMap(raw),
    pictures: images.length,
    broken: images.filter((each) => each.isConnected && !each.naturalWidth).map((e) => e.src),
    missing: words('span.no-image'),
    elsewhere: words('a.no-image').length,
    wrong: words('.wrong-math, .wrong-diagram'),
  };
}"""


def chosen(vault: Path, count: int) -> list[str]:
    """Choose the notes to look at."""
    files = (file.relative_to(vault).as_posix() for file in vault.rglob("*.md"))
    notes = sorted(p for p in files if not any(part.startswith(".") for part in p.split("/")))
    texts = {path: (vault / path).read_text("utf-8", "replace") for path in notes}
    rich = [path for path in notes if any(sign in texts[path] for sign in (*SIGNS, "![]("))]
    plain = [path for path in notes if path not in set(rich)]
    shown = [path for path in rich if _FILE.search(texts[path])][: count // 4]
    some = spread(plain, count // 4)
    return [*shown, *some, *spread(rich, count - len(shown) - len(some))]


def spread(notes: list[str], count: int) -> list[str]:
    """Choose some evenly."""
    step = max(1.0, len(notes) / max(count, 1))
    return [notes[int(number * step)] for number in range(min(count, len(notes)))]


def look(page: Any, path: str) -> dict[str, Any]:
    """Open a note in Read mode, and see what is left."""
    page.evaluate("hash => { location.hash = hash }", f"#note!{quote(path).replace('!', '%21')}")
    page.wait_for_function(
        "path => document.querySelector('.prose[data-ready]')?.dataset.path === path",
        arg=path,
        timeout=60_000,
    )
    return page.evaluate(_LOOK, list(SIGNS))


def main() -> None:
    """Look at the notes, and print what was found."""
    vault, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    build()
    totals: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as state, browsing() as browser:
        server = Server(vault, Path(state), "--read-only")
        server.start()
        try:
            page = browser.new_page()
            page.goto(f"{server.url}/")
            page.wait_for_selector(".tree-row")
            first, *_ = notes = chosen(vault, count)
            page.evaluate("hash => { location.hash = hash }", f"#note!{quote(first)}")
            page.click(".segmented button:has-text('Read')")
            for path in notes:
                found = look(page, path)
                totals.update(notes=1, pictures=found["pictures"], elsewhere=found["elsewhere"])
                for kind in ("left", "broken", "missing", "wrong"):
                    totals[kind] += len(found[kind])
                    for each in found[kind]:
                        print(f"{kind}: {path}: {each}")
        finally:
            server.stop()
    print(json.dumps(totals))


if __name__ == "__main__":
    main()
