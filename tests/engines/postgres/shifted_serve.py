"""`commonplace` on a machine whose clock is wrong, by as many seconds as `CLOCK_ERROR` says."""

import os
import time

real, ERROR = time.time, float(os.environ["CLOCK_ERROR"])
time.time = lambda: real() + ERROR

from commonplace.cli import main  # noqa: E402 (whatever it loads is to see that clock)

if __name__ == "__main__":
    main()
