"""`commonplace` whose leases last for minutes: whoever waits for one to run out waits in vain."""

from commonplace.cli import main
from commonplace.vault.lease.leases import Leases
from tests.engines.postgres.node import LONG

assert Leases.__init__.__kwdefaults__ is not None
Leases.__init__.__kwdefaults__["seconds"] = LONG

if __name__ == "__main__":
    main()
