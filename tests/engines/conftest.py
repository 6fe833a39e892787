"""A Neo4j server for all tests of a run, emptied before each."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncGraphDatabase, GraphDatabase

from commonplace.vault.store_settings import StoreChoice
from tests.engines.neo4j_server import CLASSPATH, PASSWORD, Neo4jServer

MEMORY = Path("/dev/shm")
MEMORY_BYTES_MIN = 3_000_000_000

Ask = Callable[..., Awaitable[list[dict[str, Any]]]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.engines)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Generator[Neo4jServer]:
    """One server, whose data nobody keeps."""
    if not CLASSPATH.exists():
        pytest.skip("Neo4j is not there: `make engines` gets it ready.")
    with _scratch(tmp_path_factory) as folder:
        server = Neo4jServer(folder)
        if port := os.environ.get("COMMONPLACE_NEO4J_PORT"):  # for the loop while you work
            server.port = int(port)
        else:
            server.start()
        yield server
        server.stop()


@contextmanager
def _scratch(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """A folder in memory where there is room: a database waits for its disk at every commit."""
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > MEMORY_BYTES_MIN:
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            yield Path(folder)
    else:
        yield tmp_path_factory.mktemp("neo4j")


def empty(server: Neo4jServer) -> None:
    driver = GraphDatabase.driver(server.url, auth=("neo4j", PASSWORD))
    with driver, driver.session() as session:
        session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS").consume()


@pytest.fixture
def server(running: Neo4jServer) -> Neo4jServer:
    """The server, with nothing in it."""
    empty(running)
    return running


@pytest.fixture
def choice(server: Neo4jServer) -> StoreChoice:
    return choice_of(server)


def choice_of(server: Neo4jServer, **options: str) -> StoreChoice:
    return StoreChoice(server.url, options, "neo4j", PASSWORD)


@pytest.fixture
async def ask(server: Neo4jServer) -> AsyncGenerator[Ask]:
    """Ask the database in Cypher, as a person would."""
    async with AsyncGraphDatabase.driver(server.url, auth=("neo4j", PASSWORD)) as driver:

        async def put(statement: Any, **parameters: object) -> list[dict[str, Any]]:
            records, _, _ = await driver.execute_query(statement, parameters)
            return [record.data() for record in records]

        yield put
