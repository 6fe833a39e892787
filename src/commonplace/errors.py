"""Everything that can go wrong and is somebody's to mend.

    CommonplaceError
    ├── BadArgument          the caller's input is wrong; the message says how to put it right
    │   ├── BadPath          a path that no note can have
    │   └── BadPattern       a regular expression that cannot be read
    ├── NotFound             the note, folder or id does not exist
    ├── Conflict             the thing changed or exists already; nothing was written
    │   └── ChangedSinceRead the note is not any more what the assistant read
    ├── Forbidden            a policy or a person said no
    │   ├── Denied           the person or the settings, for good
    │   ├── NotRead          the assistant has not read the note that it wants to edit
    │   └── PartRead         the assistant has read part of the note that it wants to write whole
    ├── Unreadable           the file exists but is not text that Commonplace edits
    └── Unavailable          an outside thing (disk, model, owner) failed; try later
        ├── OwnedElsewhere   another process owns one of the vault's folders
        └── Starting         it is not ready yet, and will be in a moment

The message is for the person or assistant who can mend it: what happened, then what to do. It
never holds an absolute path of the host; whoever treats an error in a way of its own goes by its
class and attributes, never by its words. Errors become answers where a protocol meets the code
(`tools.table`, `server.mcp`, `server.api`, `cli`); further in they are caught only by code that
knows another way. Modules derive their own from these, as `core.critic.refusals` does. Any other
exception that gets that far is a bug: it goes to the log, with its traceback.
"""


class CommonplaceError(Exception):
    """Something that the caller, or the person at the machine, can mend."""


class BadArgument(CommonplaceError):
    """The input is wrong."""


class BadPath(BadArgument):
    """The path is one that no note can have."""


class BadPattern(BadArgument):
    """The regular expression cannot be read."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Invalid regex pattern: {why}")


class NotFound(CommonplaceError):
    """There is no such note, folder or id; `hint` is the part of the message that helps on."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}. {hint}" if hint else message)
        self.hint = hint


class Conflict(CommonplaceError):
    """It changed, or exists already; nothing was written."""


class ChangedSinceRead(Conflict):
    """The note is not any more what the assistant read."""

    def __init__(self) -> None:
        super().__init__("Document changed since last read. Please re-read and try again.")


class Forbidden(CommonplaceError):
    """A policy or a person said no."""


class Denied(Forbidden):
    """The person said no, or the settings do; `why`, or the person's `reason`, is told with it."""

    def __init__(self, why: str = "", *, reason: str = "") -> None:
        said = f"User denied permission: {why}" if why else "User denied permission"
        super().__init__(f'{said} (reason: "{reason}")' if reason else said)


class NotRead(Forbidden):
    """The assistant has not read the note that it wants to edit."""

    def __init__(self, path: str) -> None:
        super().__init__(
            "You must read this document before editing it. Call the read tool with"
            f' file_path: "{path}" first.'
        )


class PartRead(Forbidden):
    """The assistant was shown only part of the text in whose place it wants to put another."""

    def __init__(self, path: str, lines: int) -> None:
        super().__init__(
            f"You have read only part of {path} ({lines:,} lines), so the content would cut it"
            " off. Read the rest first (read with offset, or read_note with start_line), or change"
            " the passage alone with edit."
        )


class Unreadable(CommonplaceError):
    """The file is there but is not text that Commonplace can show or edit."""


class Unavailable(CommonplaceError):
    """An outside thing failed."""


class OwnedElsewhere(Unavailable):
    """Another process owns one of the vault's folders."""


class Starting(Unavailable):
    """An outside thing is not ready yet."""


CODES: dict[str, type[CommonplaceError]] = {
    "BAD_ARGUMENT": BadArgument,
    "NOT_FOUND": NotFound,
    "FORBIDDEN": Forbidden,
    "CONFLICT": Conflict,
    "UNREADABLE": Unreadable,
    "UNAVAILABLE": Unavailable,
}
"""How an error is called where its class cannot go: in JSON."""
