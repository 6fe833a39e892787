"""Presences: whose they are, and how clients with clocks of their own come to agree on them."""

import json

from hypothesis import given, strategies as st

from commonplace.core.yjs.frames import PRESENCES_MAX, Presence, decode_awareness, encode_awareness
from commonplace.server.yjs.presence import (
    OWNED_MAX,
    PRESENCE_BYTES_MAX,
    PRESENCE_CLOCK_MAX,
    Presences,
    assistant,
)

ANA, BO = "Ana's connection", "Bo's connection"


def test_only_what_is_new_is_passed_on() -> None:
    presences = Presences()
    first, second = Presence(7, 1, '"a"'), Presence(7, 2, '"b"')
    assert presences.take(ANA, [first]) == [first]
    assert presences.take(ANA, [first]) == []
    assert presences.take(ANA, [second]) == [second]
    assert presences.take(ANA, [first]) == []
    assert presences.all() == [second]


def test_a_presence_renewed_without_a_change_is_passed_on() -> None:
    presences = Presences()
    presences.take(ANA, [Presence(7, 1, "{}")])
    assert presences.take(ANA, [Presence(7, 2, "{}")]) == [Presence(7, 2, "{}")]


def test_nobody_changes_or_ends_the_presence_of_another() -> None:
    presences = Presences()
    presences.take(ANA, [Presence(7, 1, '"Ana"')])
    assert presences.take(BO, [Presence(7, 99, '"Bo"')]) == []
    assert presences.take(BO, [Presence(7, 99, "null")]) == []
    assert presences.drop(BO) == []
    assert presences.all() == [Presence(7, 1, '"Ana"')]


def test_a_client_takes_its_leave() -> None:
    presences = Presences()
    presences.take(ANA, [Presence(7, 1, "{}")])
    assert presences.take(ANA, [Presence(7, 2, "null")]) == [Presence(7, 2, "null")]
    assert presences.take(ANA, [Presence(7, 2, "null")]) == []
    assert presences.all() == []
    assert presences.history() == [Presence(7, 2, "null")]


def test_a_lost_connection_ends_all_it_told_of() -> None:
    presences = Presences()
    presences.take(ANA, [Presence(7, 1, "{}"), Presence(8, 5, "{}")])
    presences.take(BO, [Presence(9, 1, "{}")])
    assert sorted(presences.drop(ANA), key=lambda p: p.client) == [
        Presence(7, 2, "null"),
        Presence(8, 6, "null"),
    ]
    assert presences.all() == [Presence(9, 1, "{}")]


def test_one_who_returns_with_an_old_clock_is_given_a_higher_one() -> None:
    presences = Presences()
    presences.take(ANA, [Presence(7, 5, "{}")])
    assert presences.drop(ANA) == [Presence(7, 6, "null")]
    again = Presence(7, 7, "{}")
    assert presences.take("Ana's next connection", [Presence(7, 5, "{}")]) == [again]
    # it hears that, takes the clock over and says so
    assert presences.take("Ana's next connection", [again]) == []


def test_news_of_one_who_left_does_not_bring_them_back() -> None:
    presences = Presences()
    presences.take(BO, [Presence(9, 1, "{}")])
    presences.take(ANA, [Presence(7, 5, "{}")])
    presences.drop(ANA)
    assert presences.take(BO, [Presence(7, 5, "{}"), Presence(7, 6, "{}")]) == []


def test_one_who_is_still_there_when_an_old_connection_ends_says_so() -> None:
    presences = Presences()
    presences.take("old", [Presence(7, 5, "{}")])
    assert presences.take("new", [Presence(7, 6, "{}")]) == []
    assert presences.drop("old") == [Presence(7, 6, "null")]
    assert presences.take("new", [Presence(7, 7, "{}")]) == [Presence(7, 7, "{}")]


def test_one_who_was_away_sees_who_stayed() -> None:
    presences = Presences()
    presences.take(ANA, [Presence(7, 5, '"a"')])
    assert presences.welcome() == [Presence(7, 6, '"a"')]
    assert presences.welcome() == [Presence(7, 7, '"a"')]
    # Ana has not heard of that, and goes on from where she was
    assert presences.take(ANA, [Presence(7, 6, '"b"')]) == [Presence(7, 8, '"b"')]
    assert presences.take(ANA, [Presence(7, 8, '"b"')]) == []
    assert presences.take(ANA, [Presence(7, 9, '"c"')]) == [Presence(7, 9, '"c"')]


def test_nobody_can_be_made_to_count_too_far() -> None:
    presences = Presences()
    assert presences.take(ANA, [Presence(7, PRESENCE_CLOCK_MAX + 1, "{}")]) == []
    presences.take(ANA, [Presence(7, PRESENCE_CLOCK_MAX, "{}")])
    told = [*presences.welcome(), *presences.drop(ANA), *presences.take(BO, [Presence(7, 1, "{}")])]
    assert decode_awareness(encode_awareness(told)) == told


def test_there_is_an_end_to_how_many_are_shown() -> None:
    presences = Presences()
    told = presences.take(ANA, [Presence(n, 1, "{}") for n in range(OWNED_MAX + 5)])
    assert len(told) == OWNED_MAX
    for connection in range(PRESENCES_MAX):
        presences.take(connection, [Presence(1000 + connection, 1, "{}")])
    assert len(presences.all()) == PRESENCES_MAX


def test_there_is_an_end_to_how_much_is_shown() -> None:
    presences = Presences()
    big = json.dumps("x" * 16_000)
    for connection in range(100):
        presences.take(connection, [Presence(connection, 1, big)])
    assert sum(len(one.state) for one in presences.all()) <= PRESENCE_BYTES_MAX
    shown = len(presences.all())
    presences.drop(0)
    presences.take("late", [Presence(5000, 1, big)])
    assert len(presences.all()) == shown


def test_those_who_left_are_not_remembered_for_ever() -> None:
    presences = Presences()
    for client in range(PRESENCES_MAX + 10):
        presences.take(client, [Presence(client, 1, "{}")])
        presences.drop(client)
    assert len(presences.history()) == PRESENCES_MAX


class Client:
    """What y-protocols does with presences."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.clocks: dict[int, int] = {}
        self.states: dict[int, str] = {}

    def become(self, state: str) -> Presence:
        self.clocks[self.number] = self.clocks.get(self.number, 0) + 1
        self.states[self.number] = state
        return self.mine()

    def mine(self) -> Presence:
        return Presence(self.number, self.clocks[self.number], self.states[self.number])

    def hear(self, told: list[Presence]) -> list[Presence]:
        """Take it in; answers what it would pass on."""
        news: list[Presence] = []
        for one in told:
            clock = self.clocks.get(one.client, 0)
            known = one.client in self.states
            if clock < one.clock or (clock == one.clock and one.gone and known):
                mine = one.client == self.number and self.number in self.states
                self.clocks[one.client] = one.clock + (one.gone and mine)
                if not one.gone:
                    self.states[one.client] = one.state
                elif not mine:
                    self.states.pop(one.client, None)
                state = self.states.get(one.client, "null")
                news.append(Presence(one.client, self.clocks[one.client], state))
        return news


class House:
    """Clients around one table of presences, each told of everything in order."""

    def __init__(self, count: int) -> None:
        self.presences = Presences()
        self.clients = [Client(100 + n) for n in range(count)]
        self.connections: dict[int, object] = {}
        self.told = 0

    def connect(self, n: int) -> None:
        self.leave(n)
        self.connections[n] = object()
        self.pass_on(n, self.clients[n].hear(self.presences.welcome()))
        if self.clients[n].states.get(100 + n):
            self.tell(n, self.clients[n].mine())

    def leave(self, n: int) -> None:
        if connection := self.connections.pop(n, None):
            client = self.clients[n]
            client.states = {c: s for c, s in client.states.items() if c == client.number}
            self.broadcast(self.presences.drop(connection))

    def become(self, n: int, state: str) -> None:
        presence = self.clients[n].become(state)
        if n in self.connections:
            self.tell(n, presence)

    def tell(self, n: int, presence: Presence) -> None:
        self.broadcast(self.presences.take(self.connections[n], [presence]))

    def pass_on(self, n: int, news: list[Presence]) -> None:
        for one in news:
            self.tell(n, one)

    def broadcast(self, told: list[Presence]) -> None:
        self.told += len(told)
        assert self.told < 10_000, "they tell each other the same things for ever"
        if told:
            for n in list(self.connections):
                self.pass_on(n, self.clients[n].hear(told))


steps = st.lists(
    st.tuples(st.sampled_from(["connect", "leave", "become"]), st.integers(0, 3)), max_size=25
)


@given(steps)
def test_everybody_who_is_connected_sees_the_same(history: list[tuple[str, int]]) -> None:
    house = House(4)
    for n in range(4):
        house.become(n, json.dumps(f"{n} begins"))
    for at, (what, n) in enumerate(history):
        match what:
            case "connect":
                house.connect(n)
            case "leave":
                house.leave(n)
            case _:
                house.become(n, json.dumps(f"{n} at {at}"))
    here = {house.clients[n].number: house.clients[n].mine().state for n in house.connections}
    assert {one.client: one.state for one in house.presences.all()} == here
    for n in house.connections:
        assert house.clients[n].states == here


def test_what_an_assistant_shows_has_a_name_and_a_colour_that_stay() -> None:
    one = json.loads(assistant("Claude"))["user"]
    assert one == json.loads(assistant("Claude"))["user"]
    assert one["colorLight"].startswith(one["color"])
    assert "cursor" not in json.loads(assistant("Claude"))
    assert len(json.loads(assistant("x" * 500))["user"]["name"]) == 64
    assert json.loads(assistant("\x07\u202e"))["user"]["name"] == "assistant"
