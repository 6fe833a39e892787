"""Words for the person, on stderr; what they asked for goes to stdout."""

import sys

from commonplace.errors import BadArgument, CommonplaceError, NotFound


def notice(text: str) -> None:
    """Say something that is not the answer."""
    from commonplace.core.text.invisible import visible  # slow to load, and most say nothing

    print(f"commonplace: {visible(text)}", file=sys.stderr, flush=True)


def log_to_stderr(level: str = "warning", form: str = "text") -> None:
    """Let warnings and bugs be seen, and more if that is chosen."""
    from commonplace.cli import log_lines

    log_lines.log_to_stderr(level, form)


def end_within(seconds: float) -> None:
    """See to it that the process ends: a thread that hangs is shown, and does not hold it up."""
    import faulthandler

    faulthandler.dump_traceback_later(seconds, exit=True)


def fail(error: CommonplaceError) -> int:
    """Say what went wrong and give the exit code: 2 when the command was asked wrongly, else 1."""
    notice(str(error))
    return 2 if isinstance(error, BadArgument | NotFound) else 1
