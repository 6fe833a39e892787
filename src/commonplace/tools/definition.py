"""What `tools/list` says about each tool, word for word from `definitions/NAME.json`.

Light, so that a server can say what it offers before any tool is loaded.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

ALWAYS_LOAD_KEY = "anthropic/alwaysLoad"

_FOLDER = Path(__file__).parent / "definitions"


@dataclass(frozen=True, slots=True)
class Definition:
    """What `tools/list` says about a tool: the JSON object of its file, key order included."""

    published: Mapping[str, object]

    @property
    def name(self) -> str:
        """The name a client calls it by."""
        return cast("str", self.published["name"])

    @property
    def input_schema(self) -> Mapping[str, object]:
        """The JSON Schema of its arguments."""
        return cast("Mapping[str, object]", self.published["inputSchema"])

    def loaded(self, *, at_once: bool) -> "Definition":
        """Return the same, with a mark for clients that hide tools until they are searched for.

        A no is said too: our plugin has the client wait for this server, which else loads it all.
        """
        meta = cast("Mapping[str, object]", self.published.get("_meta", {}))
        return Definition({**self.published, "_meta": {**meta, ALWAYS_LOAD_KEY: at_once}})


@cache
def definition(name: str) -> Definition:
    """Load `definitions/NAME.json`."""
    return Definition(json.loads((_FOLDER / f"{name}.json").read_text("utf-8")))
