"""What a decision did to one note, as a value that outlives the process: the way back is in it."""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from commonplace.core.text import edits
from commonplace.core.text.edits import Edit
from commonplace.vault.history.intents import Json
from commonplace.vault.suggestions.ledger import Credit, Decision, credit_of, decision_of, plain


@dataclass(frozen=True, slots=True)
class NoteDecision:
    """One note before and after a decision, whose suggestions were decided, and the ledger's rows.

    It is plain values when packed, and whole again when unpacked.
    """

    document: str
    path: str
    before: str
    changes: tuple[Edit, ...]
    credits: Mapping[str, Credit]
    decisions: tuple[Decision, ...]
    removed: bool = False
    """Whether the note was there for rejected suggestions alone, and goes to the trash."""

    @property
    def after(self) -> str:
        """The text that the decision made."""
        return edits.apply(self.before, self.changes)

    def packed(self) -> Json:
        """Return it as plain values."""
        return {
            "document": self.document,
            "path": self.path,
            "before": b64encode(zlib.compress(self.before.encode())).decode(),
            "changes": [[each.start, each.end, each.text] for each in self.changes],
            "credits": {id: plain(credit) for id, credit in self.credits.items()},
            "decisions": [plain(one) for one in self.decisions],
            "removed": self.removed,
        }

    @classmethod
    def unpacked(cls, kept: Json) -> "NoteDecision":
        """Return what was packed."""
        fields = cast("dict[str, Any]", kept)
        return cls(
            fields["document"],
            fields["path"],
            zlib.decompress(b64decode(fields["before"])).decode(),
            tuple(Edit(*change) for change in fields["changes"]),
            {id: credit_of(credit) for id, credit in fields["credits"].items()},
            tuple(decision_of(row) for row in fields["decisions"]),
            fields["removed"],
        )
