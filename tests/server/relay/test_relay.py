"""Many `mcp` processes on one vault, with a stand-in for what they serve."""

import json
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.server.processes import HERE, STANDIN, Client
from tests.wait import until

Start = Callable[..., Client]


@pytest.fixture
def start(tmp_path: Path) -> Generator[Start]:
    """Start clients of one vault; they end with the test."""
    (tmp_path / "vault").mkdir()
    with ExitStack() as stack:

        def client(*more: str, state: str = "state") -> Client:
            command = (*STANDIN, "mcp", str(tmp_path / "vault"), str(tmp_path / state), *more)
            return stack.enter_context(Client(*command))

        yield client


@pytest.mark.slow
def test_twelve_clients_share_one_owner_and_none_of_their_calls_fails(start: Start):
    clients = [start() for _ in range(12)]
    for client in clients:
        client.shake_hands()
    for _ in range(25):
        for client in clients:
            client.ask(random.choice(["echo", "tools/list", "tools/call"]))
    owners: set[int] = set()
    for client in clients:
        until(lambda c=client: sum(c.answer_counts().values()) == 26)
        assert set(client.answer_counts().values()) == {1}
        owners |= {message["result"]["pid"] for message in client.heard()}
    assert len(owners) == 1
    assert owners <= {client.pid for client in clients}


@pytest.mark.slow
def test_owners_killed_with_calls_in_flight_cost_no_client_an_answer(start: Start):
    clients = [start() for _ in range(6)]
    for client in clients:
        client.shake_hands()
    for _ in range(3):
        for client in clients:
            for n in range(10):
                client.ask("slow" if n % 2 else "echo", seconds=n * 0.05)
        owner_pid = clients[-1].call("echo")["pid"]
        (owner,) = [client for client in clients if client.pid == owner_pid]
        owner.kill()
        clients.remove(owner)
    for client in clients:
        until(lambda c=client: len(c.answer_counts()) == c.asked)
        assert set(client.answer_counts().values()) == {1}
        assert all("result" in message for message in client.heard())
        assert client.call("echo")["initialized"] is True


@pytest.mark.slow
def test_an_owner_that_ends_in_order_hands_over_without_a_false_answer(start: Start):
    owner = start().shake_hands()
    relay = start().shake_hands()
    assert relay.call("resources/subscribe", uri="note:///a.md")["pid"] == owner.pid
    call = relay.ask("slow", seconds=0.4)
    until(lambda: relay.call("echo"))
    owner.close_stdin()
    assert owner.wait(3) == 0
    answer = relay.answer(call)["result"]
    assert answer["pid"] == relay.pid
    assert answer["initialized"] is True
    assert answer["subscribed"] == ["note:///a.md"]
    assert set(relay.answer_counts().values()) == {1}


def test_an_answer_torn_by_the_owners_death_never_reaches_the_client(start: Start, tmp_path: Path):
    owner = start().shake_hands()
    relay = start().shake_hands()
    answer = relay.call("torn", once=str(tmp_path / "once"))
    assert owner.wait() == -signal.SIGKILL
    assert answer["pid"] == relay.pid
    assert set(relay.answer_counts().values()) == {1}


@pytest.mark.slow
def test_a_request_that_kills_owners_is_given_up_before_all_are_dead(start: Start):
    clients = [start().shake_hands() for _ in range(7)]
    sender = clients[-1]
    poison = sender.ask("poison")
    # Whoever owns the vault dies of it; when that is the sender itself, it takes it along.
    until(lambda: sender.answers(poison) or sender.process.poll() is not None)
    survivors = [client for client in clients if client.process.poll() is None]
    assert len(survivors) >= 3
    for client in survivors:
        assert client.call("echo")["pid"] in {c.pid for c in survivors}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["close", "SIGTERM", "SIGINT"])
def test_the_process_ends_soon_when_it_is_told_to(start: Start, how: str):
    client = start().shake_hands()
    client.ask("slow", seconds=60)
    client.call("echo")
    began = time.monotonic()
    if how == "close":
        client.close_stdin()
    else:
        client.kill(signal.Signals[how])
    assert client.wait(10) == 0
    assert time.monotonic() - began < 6


@pytest.mark.slow
def test_what_was_asked_before_stdin_closed_is_still_answered(start: Start):
    client = start()
    client.ask("initialize")
    client.ask("slow", seconds=0.2)
    client.close_stdin()
    assert client.wait(10) == 0
    assert client.answer_counts() == {1: 1, 2: 1}


def test_each_client_keeps_its_own_choices_beside_one_owner(start: Start):
    writer = start().shake_hands()
    reader = start("--read-only").shake_hands()
    assert writer.call("echo")["read_only"] is False
    assert reader.call("echo")["read_only"] is True
    assert reader.call("echo")["pid"] == writer.pid


def test_a_question_of_the_owner_reaches_the_client_and_its_answer_comes_back(start: Start):
    client = start().shake_hands()
    asked = client.ask("ask")
    (question,) = until(lambda: [m for m in client.heard() if m.get("method")])
    client.tell({"id": question["id"], "result": {"action": "accept"}})
    assert client.answer(asked)["result"]["said"] == {"action": "accept"}


def test_a_message_over_the_limit_is_refused_and_the_conversation_goes_on(start: Start):
    client = start().shake_hands()
    call = client.ask("echo", text="x" * 5_000_000)
    assert "4 MiB" in client.answer(call)["error"]["message"]
    assert client.call("echo")["method"] == "echo"


@pytest.mark.slow
def test_another_state_folder_cannot_own_the_same_vault(start: Start):
    owner = start().shake_hands()
    other = start(state="other")
    call = other.ask("initialize")
    assert other.wait(10) == 1
    assert f"already open in Commonplace (process {owner.pid})" in other.complaint()
    assert "already open" in other.answer(call)["error"]["message"]
    assert owner.call("echo")["pid"] == owner.pid


def test_an_owner_of_another_protocol_is_refused_with_clear_words(start: Start, tmp_path: Path):
    owner = start().shake_hands()
    (found,) = (tmp_path / "state").glob("owner.sock")
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(str(found))
        link.sendall(json.dumps({"commonplace": 99, "kind": "mcp"}).encode() + b"\n")
        answer = json.loads(link.makefile().readline())
    assert answer["ok"] is False
    assert "another protocol" in answer["error"]
    assert owner.call("echo")


@pytest.mark.parametrize(
    ("vault", "answer", "log"),
    [
        ("broken", "The vault is broken. Mend it.", "The vault is broken. Mend it."),
        ("bug", "The vault could not be opened; the log says why.", "RuntimeError: a bug"),
    ],
)
def test_a_vault_that_cannot_be_opened_ends_the_process_with_the_reason(
    tmp_path: Path, vault: str, answer: str, log: str
):
    (tmp_path / vault).mkdir()
    command = (*STANDIN, "mcp", str(tmp_path / vault), str(tmp_path / "state"))
    with Client(*command) as client:
        call = client.ask("initialize")
        assert client.wait(10) == 1
        assert client.answer(call)["error"]["message"] == answer
        assert log in client.complaint()


def test_an_owner_of_another_version_is_noticed_and_used(start: Start, tmp_path: Path):
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(state / "owner.sock"))
        listener.listen()
        client = start()
        call = client.ask("initialize")
        link, _ = listener.accept()
        with link, link.makefile("rw") as lines:
            assert json.loads(lines.readline())["kind"] == "mcp"
            lines.write(json.dumps({"ok": True, "version": "9.9.9", "pid": 7}) + "\n")
            lines.flush()
            assert json.loads(lines.readline())["id"] == call
            lines.write(json.dumps({"jsonrpc": "2.0", "id": call, "result": {}}) + "\n")
            lines.flush()
            assert client.answer(call)["result"] == {}
    until(lambda: "(process 7) is Commonplace 9.9.9" in client.complaint())


def test_the_sockets_are_for_this_user_alone(start: Start, tmp_path: Path):
    start().shake_hands()
    state = tmp_path / "state"
    assert state.stat().st_mode & 0o777 == 0o700
    assert (state / "owner.sock").stat().st_mode & 0o777 == 0o600


def test_the_vault_itself_stays_empty(start: Start, tmp_path: Path):
    start().shake_hands()
    assert list((tmp_path / "vault").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("then", ["read", "SIGTERM"])
def test_a_client_that_does_not_read_blocks_neither_its_questions_nor_the_end(
    tmp_path: Path, then: str
):
    (tmp_path / "vault").mkdir()
    command = [*STANDIN, "mcp", str(tmp_path / "vault"), str(tmp_path / "state")]
    with subprocess.Popen(command, cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as it:
        assert it.stdin
        assert it.stdout
        for n in range(100):
            message = {"id": n, "method": "big", "params": {"size": 50_000, "pad": "x" * 2000}}
            it.stdin.write(json.dumps(message).encode() + b"\n")
            it.stdin.flush()
        if then == "read":
            lines = [json.loads(it.stdout.readline()) for _ in range(100)]
            assert sorted(line["id"] for line in lines) == list(range(100))
            it.stdin.close()
        else:
            it.send_signal(signal.SIGTERM)
        assert it.wait(5) == 0
