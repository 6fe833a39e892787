"""Which of an agent's questions need no person: calls of our own tools, edits in its own copy.

A rule goes by what the question says of itself, so it must not be met by words that a note could
have put there: a shell command is shown as a question's title, whatever the command is.
"""

import os
from collections.abc import Collection
from pathlib import Path

from commonplace.agent.events import Question

_OF_FILES = ("read", "edit", "delete", "move", "search")


def is_silent(question: Question, server: str, tools: Collection[str], folder: Path) -> bool:
    """Tell whether a question is answered with yes without asking anybody."""
    if question.runs or not question.whole:
        return False
    if question.tool == "other":
        prefix, _, name = question.title.rpartition("__")
        return prefix == f"mcp__{server}" and name in tools
    return question.tool in _OF_FILES and _all_inside(question.paths, folder)


def _all_inside(paths: Collection[str], folder: Path) -> bool:
    top = Path(os.path.realpath(folder))
    return bool(paths) and all(
        "\0" not in path and Path(os.path.realpath(top / path)).is_relative_to(top)
        for path in paths
    )
