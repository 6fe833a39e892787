"""Everything that can go wrong and is somebody's to mend.

    CommonplaceError
    ├── BadArgument          the caller's input is wrong; the message says how to put it right
    │   └── BadPath          a path that no note can have
    ├── NotFound             the note, folder or id does not exist
    ├── Conflict             the thing changed or exists already; nothing was written
    ├── Forbidden            a policy or a person said no
    ├── Unreadable           the file exists but is not text that Commonplace edits
    └── Unavailable          an outside thing (disk, model, owner) failed; try later
        ├── OwnedElsewhere   another process owns one of the vault's folders
        └── Starting         it is not ready yet, and will be in a moment

The message is for the person or assistant who can mend it: what happened, then what to do. It
never holds an absolute path of the host. Errors are caught where a protocol meets the code
(`server.mcp`, `server.api`, `cli`) and nowhere else. Anything outside this tree is a bug.
"""


class CommonplaceError(Exception):
    """Something that the caller, or the person at the machine, can mend."""


class BadArgument(CommonplaceError):
    """The input is wrong."""


class BadPath(BadArgument):
    """The path is one that no note can have."""


class NotFound(CommonplaceError):
    """There is no such note, folder or id."""


class Conflict(CommonplaceError):
    """It changed, or exists already; nothing was written."""


class Forbidden(CommonplaceError):
    """A policy or a person said no."""


class Unreadable(CommonplaceError):
    """The file is there but is not text that Commonplace can show or edit."""


class Unavailable(CommonplaceError):
    """An outside thing failed."""


class OwnedElsewhere(Unavailable):
    """Another process owns one of the vault's folders."""


class Starting(Unavailable):
    """An outside thing is not ready yet."""
