"""A running product and programs that connect to it, for one test each."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.live.processes import Clients
from tests.live.product import Product


@pytest.fixture
def product(tmp_path: Path) -> Generator[Product]:
    with Product(tmp_path) as product:
        yield product


@pytest.fixture
def clients() -> Generator[Clients]:
    with Clients() as clients:
        yield clients
