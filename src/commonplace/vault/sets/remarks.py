"""The open comments in the notes of a change set: what people want before they decide."""

from commonplace.errors import CommonplaceError
from commonplace.vault.search.texts import Texts
from commonplace.vault.sets.contents import SetContents
from commonplace.vault.suggestions.comments import Comments, Thread


class SetRemarks:
    """Finds them."""

    def __init__(self, texts: Texts, comments: Comments) -> None:
        self._texts = texts
        self.comments = comments

    async def __call__(
        self, contents: SetContents, *, decided: bool = False
    ) -> dict[str, list[Thread]]:
        """Return the threads of each note in which something of the set waits, or was decided."""
        found: dict[str, list[Thread]] = {}
        concerned = [*contents.pending, *(contents.ended if decided else ())]
        for path in dict.fromkeys(each.path for each in concerned):
            try:
                marked = await self._texts.marked(path)
            except CommonplaceError:
                continue
            if "{>>" in marked:
                found[path] = await self.comments.threads(path, marked)
        return found
