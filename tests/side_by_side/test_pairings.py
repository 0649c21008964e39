"""Every pairing of old and new ends tells the same as the old pair did."""

import hashlib
from collections.abc import Callable

import pytest

from tools.side_by_side import GENERATION_2, PAIRINGS, SAMPLES, PairOutcome, Stage, differences, script_of

Reference = Callable[[str], PairOutcome]


@pytest.mark.parametrize(("service", "client"), PAIRINGS)
@pytest.mark.parametrize("sample", [*SAMPLES, *GENERATION_2])
def test_pairing_tells_the_same(stage: Stage, reference: Reference, sample: str, service: str, client: str) -> None:
    outcome = stage.run_pair(sample, service, client)
    assert outcome.failures() + differences(reference(sample), outcome) == []


@pytest.mark.parametrize(("service", "client"), PAIRINGS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_pairing_tells_the_same_with_helper_threads(
    stage: Stage, reference: Reference, monkeypatch: pytest.MonkeyPatch, sample: str, service: str, client: str
) -> None:
    """As on a driver that only pushes."""
    expected = reference(sample)
    monkeypatch.setenv("COMCH_PULL", "threaded")
    outcome = stage.run_pair(sample, service, client)
    assert outcome.failures() + differences(expected, outcome) == []


def test_hello_transcript_shows_what_was_said(reference: Reference) -> None:
    """Equal transcripts prove nothing if they are empty: the texts of the guide's programs are in them."""
    outcome = reference("hello")
    greeting, answer = b"Hello from the host", b"Hello from the DPU"
    digests = [hashlib.sha256(text).hexdigest()[:16] for text in (greeting, answer)]
    assert outcome.client.messages["1"][:2] == (
        f"sent {len(greeting)} bytes {digests[0]}",
        f"received {len(answer)} bytes {digests[1]}",
    )
    assert outcome.service.statistics == {
        "1": "sent 1 messages 18 bytes, received 2 messages 22 bytes",
    }
    assert outcome.client.results == outcome.service.results == ("DOCA_SUCCESS",)
    assert outcome.client.exit_status == outcome.service.exit_status == 0


@pytest.mark.parametrize("sample", GENERATION_2)
def test_the_texts_of_the_second_api_are_told(reference: Reference, sample: str) -> None:
    there, here = "19 bytes 'Hello from the host'", "18 bytes 'Hello from the DPU'"
    outcome = reference(sample)
    assert outcome.client.messages == {"1": (f"received {here}", f"sent {there}")}
    assert outcome.service.messages == {"1": (f"received {there}", f"sent {here}")}


def test_the_file_arrives_whole(stage: Stage, reference: Reference) -> None:
    outcome = reference("file_transfer")
    assert outcome.written == stage.payload
    sent = [fact for fact in outcome.client.messages["1"] if fact.startswith("sent")]
    assert len(sent) == 1 + -(-len(stage.payload) // 4080) + 1  # header, segments, goodbye


@pytest.mark.parametrize("manner", ["old", "new"])
@pytest.mark.parametrize(
    ("script", "arguments", "result"),
    [
        ("hello_client.py", (), "DOCA_ERROR_CONNECTION_ABORTED"),
        ("hello_client.py", ("-p", "99:00.0"), "DOCA_ERROR_NOT_FOUND"),
        ("hello_service.py", ("-r", "b1:00.7"), "DOCA_ERROR_NOT_FOUND"),
        ("hello_service.py", ("-p", "b1:00.0"), "DOCA_ERROR_NOT_SUPPORTED"),
        ("ctrl_path_client.py", (), "DOCA_ERROR_CONNECTION_ABORTED"),
        ("ctrl_path_client.py", ("-p", "99:00.0"), "DOCA_ERROR_NOT_FOUND"),
        ("ctrl_path_service.py", ("-r", "b1:00.7"), "DOCA_ERROR_NOT_FOUND"),
        ("data_path_high_speed_client.py", (), "DOCA_ERROR_CONNECTION_ABORTED"),
        ("data_path_high_speed_service.py", ("-p", "b1:00.0"), "DOCA_ERROR_NOT_SUPPORTED"),
        ("file_transfer_client.py", ("-f", "/dev/null"), "DOCA_ERROR_CONNECTION_ABORTED"),
        ("file_transfer_client.py", ("-f", "/dev/null", "-p", "99:00.0"), "DOCA_ERROR_NOT_FOUND"),
        ("file_transfer_service.py", ("-f", "/dev/null", "-r", "b1:00.7"), "DOCA_ERROR_NOT_FOUND"),
        ("file_transfer_service.py", ("-f", "/dev/null", "-t", "0.01"), "DOCA_ERROR_TIME_OUT"),
    ],
)
def test_failures_are_told_alike(
    stage: Stage, manner: str, script: str, arguments: tuple[str, ...], result: str
) -> None:
    sample, _, end = script.removesuffix(".py").rpartition("_")
    transcript = stage.run(manner, script_of(sample, end, manner), *arguments)
    assert (transcript.results, transcript.exit_status) == ((result,), 1), transcript.errors


@pytest.mark.parametrize("manner", ["old", "new"])
@pytest.mark.parametrize("script", ["hello_client.py", "hello_service.py"])
def test_version_and_help_end_well(stage: Stage, manner: str, script: str) -> None:
    for flag in ("--version", "--help"):
        assert stage.run(manner, script, flag).exit_status == 0
