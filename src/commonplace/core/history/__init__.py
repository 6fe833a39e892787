"""The history of a text as values: what each revision changed, who wrote what, taking it back.

A *delta* says what one revision made of the text before it. It holds what it took away too, so a
history can be read from either end. The laws, for every text and delta:

    apply(text, between(text, other)) == other
    apply(apply(text, delta), inverse(delta)) == text
    decode(encode(delta)) == delta

*Blame* is a list of runs (length, revision), spliced by each delta. Its lengths sum to the text;
each character is of the revision that wrote it, also after it was taken away and put back.
Revision 0 stands for what is older than the history.

*Undoing* some revisions gives what the text would be without them, every other revision carried
over their absence. What others wrote stays, to the character. A passage that the undone revisions
had deleted comes back where it stood, unless others have since written just there or deleted all
around it: then nobody can know the right place, and it is listed instead of guessed. To undo an
undo gives the text from before it, to the byte.

    deltas   changes, and their bytes       blame    runs
    undo     revisions taken back           forget   a passage made unreadable everywhere
"""

from commonplace.core.history.blame import (
    BEFORE_HISTORY,
    Blame,
    BlameRun,
    begun_by,
    spliced,
    started,
)
from commonplace.core.history.deltas import (
    Delta,
    PassageChange,
    apply,
    between,
    decode,
    encode,
    from_edits,
    inverse,
    to_edits,
)
from commonplace.core.history.forget import MASK, masked
from commonplace.core.history.undo import Passage, Step, Undone, undo

__all__ = [
    "BEFORE_HISTORY",
    "MASK",
    "Blame",
    "BlameRun",
    "Delta",
    "Passage",
    "PassageChange",
    "Step",
    "Undone",
    "apply",
    "begun_by",
    "between",
    "decode",
    "encode",
    "from_edits",
    "inverse",
    "masked",
    "spliced",
    "started",
    "to_edits",
    "undo",
]
