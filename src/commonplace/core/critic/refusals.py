"""Why a suggestion is not made, or not decided.

    BadArgument
    ├── NoMatch          `old` is not in the accepted view
    ├── NotUnique        it is there more than once (`count`)
    ├── NoChange         `old` and `new` say the same
    ├── HasDelimiter     `param` holds CriticMarkup that would be read as such (`token`)
    ├── FormsDelimiter   `new` would become CriticMarkup together with what stands around it
    └── NotEmpty         an empty `old` on a document that has text
    Conflict
    ├── Unwritable       no markup can say it: what stands around it would be misread
    └── Undecidable      the suggestion is gone, or deciding it alone would change others

Each is the caller's to mend; nothing was changed.
"""

from commonplace.errors import BadArgument, Conflict


class NoMatch(BadArgument):
    """The text to replace is not there."""

    def __init__(self) -> None:
        super().__init__("old_string not found. Make sure it matches exactly.")


class NotUnique(BadArgument):
    """The text to replace is there more than once."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"old_string is not unique ({count} occurrences found). "
            "Include more surrounding context to make it unique, or set replace_all."
        )
        self.count = count


class NoChange(BadArgument):
    """The replacement says the same."""

    def __init__(self) -> None:
        super().__init__("No changes to make: old_string and new_string are exactly the same.")


class HasDelimiter(BadArgument):
    """An argument holds CriticMarkup."""

    def __init__(self, param: str, token: str) -> None:
        super().__init__(
            f"{param} contains CriticMarkup syntax '{token}'. "
            "Write plain text: the change is wrapped for review automatically."
            + (" Code that holds it can stand in a code fence." if param == "new_string" else "")
        )
        self.param = param
        self.token = token


class FormsDelimiter(BadArgument):
    """The new text would become CriticMarkup where it stands."""

    def __init__(self) -> None:
        super().__init__(
            "Once accepted, new_string and the text around it would read as CriticMarkup. "
            "Leave the code fence as it is, or put other text between the braces and the signs."
        )


class NotEmpty(BadArgument):
    """Nothing to replace was named, but there is text."""

    def __init__(self) -> None:
        super().__init__(
            "An empty old_string is allowed on an empty document only. "
            "Name the text to replace, or some text next to where the new text belongs."
        )


class Unwritable(Conflict):
    """No markup says this change so that it is read back."""

    def __init__(self) -> None:
        super().__init__(
            "The change cannot be written as a suggestion: the document's own text around it would "
            "read as CriticMarkup. Ask a person to remove the stray delimiters there."
        )


class Undecidable(Conflict):
    """A suggestion cannot be decided as asked."""
