import pytest
from hypothesis import given, strategies as st

from commonplace.core.yjs import frames
from commonplace.core.yjs.encoding import CLOCK_MAX, NUMBER_MAX, HostileUpdate
from commonplace.core.yjs.frames import (
    Awareness,
    DeniedFrame,
    Message,
    Presence,
    QueryAwareness,
    SyncStatus,
    SyncStep1,
    SyncStep2,
    Unknown,
    UpdateFrame,
)

messages = st.one_of(
    st.builds(SyncStep1, st.binary()),
    st.builds(SyncStep2, st.binary()),
    st.builds(UpdateFrame, st.binary()),
    st.builds(Awareness, st.binary()),
    st.builds(DeniedFrame, st.text()),
    st.builds(QueryAwareness),
    st.builds(SyncStatus, st.binary()),
)
presences = st.builds(
    Presence,
    st.integers(0, NUMBER_MAX),
    st.integers(0, CLOCK_MAX),
    st.sampled_from(["null", "{}", '{"user": {"name": "Ana 😀"}}', "[1, 2.5]"]),
)


@given(messages)
def test_a_frame_is_read_as_it_was_written(message: Message) -> None:
    assert frames.decode(frames.encode(message)) == message


@pytest.mark.parametrize(
    ("message", "written"),
    [
        (SyncStep1(b"\0"), "00000100"),
        (SyncStep2(b"\0\0"), "0001020000"),
        (UpdateFrame(b"\0\0"), "0002020000"),
        (Awareness(b"\0"), "010100"),
        (DeniedFrame("no"), "0200026e6f"),
        (QueryAwareness(), "03"),
        (SyncStatus(b"\x07"), "660107"),
    ],
)
def test_frames_are_those_of_y_websocket_and_y_sweet(message: Message, written: str) -> None:
    assert frames.encode(message).hex() == written


def test_a_frame_of_another_protocol_is_known_by_its_number_alone() -> None:
    assert frames.decode(b"\x05anything") == Unknown(5)


@pytest.mark.parametrize("frame", ["", "00", "0003", "000001", "00020200", "0300", "01"])
def test_a_frame_that_is_cut_off_or_too_long_is_refused(frame: str) -> None:
    with pytest.raises(HostileUpdate):
        frames.decode(bytes.fromhex(frame))


@given(st.lists(presences))
def test_presences_are_read_as_they_were_written(found: list[Presence]) -> None:
    assert frames.decode_awareness(frames.encode_awareness(found)) == found


def test_null_takes_leave() -> None:
    assert Presence(1, 2, "null").gone
    assert not Presence(1, 2, "{}").gone


@pytest.mark.parametrize(
    "state",
    [
        "",
        "{",
        "NaN",
        "[-Infinity]",
        "[" * 8_000 + "]" * 8_000,
        "1" * 5_000,
        '"' + "a" * frames.PRESENCE_MAX + '"',
    ],
    ids=["empty", "open", "NaN", "Infinity", "deep", "many digits", "long"],
)
def test_a_presence_that_other_clients_could_not_parse_is_refused(state: str) -> None:
    with pytest.raises(HostileUpdate):
        frames.decode_awareness(frames.encode_awareness([Presence(1, 1, state)]))


def test_too_many_presences_are_refused() -> None:
    crowd = [Presence(client, 1, "{}") for client in range(frames.PRESENCES_MAX + 1)]
    with pytest.raises(HostileUpdate):
        frames.decode_awareness(frames.encode_awareness(crowd))


@given(st.binary(max_size=60))
def test_any_bytes_are_presences_or_are_refused(payload: bytes) -> None:
    try:
        frames.decode_awareness(payload)
    except HostileUpdate:
        return
