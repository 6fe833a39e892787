"""Words for the person, on stderr; what they asked for goes to stdout."""

import sys

from commonplace.errors import BadArgument, CommonplaceError, NotFound


def notice(text: str) -> None:
    """Say something that is not the answer."""
    print(f"commonplace: {text}", file=sys.stderr, flush=True)


def log_to_stderr() -> None:
    """Let warnings and bugs be seen."""
    import logging

    logging.basicConfig(level=logging.WARNING, format="commonplace: %(message)s")


def end_within(seconds: float) -> None:
    """See to it that the process ends: a thread that hangs is shown, and does not hold it up."""
    import faulthandler

    faulthandler.dump_traceback_later(seconds, exit=True)


def fail(error: CommonplaceError) -> int:
    """Say what went wrong and give the exit code: 2 when the command was asked wrongly, else 1."""
    notice(str(error))
    return 2 if isinstance(error, BadArgument | NotFound) else 1
