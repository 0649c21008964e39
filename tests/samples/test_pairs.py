"""The samples of the modern folder alone: each pair runs to its good end and tells what it should."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import SOON_S, StartPython
from tests.samples.support import assert_failed, assert_refused, changed, run_pair, start_client, start_service
from tools.side_by_side import LEGACY, MODERN

ENDS = ("service", "client")
TEXT_SAMPLES = ["ctrl_path", "data_path_high_speed"]
CONVENIENT = ["hello", "many_clients", "two_threads"]


def test_control_path(start_python: StartPython) -> None:
    """Whether the client hears first of its own completion or of the answer is open."""
    service, client = run_pair(start_python, "ctrl_path")
    assert service == [
        "listening on ctrl_path",
        "peer 1 received 19 bytes 'Hello from the host'",
        "peer 1 sent 18 bytes 'Hello from the DPU'",
    ]
    assert sorted(client) == [
        "peer 1 received 18 bytes 'Hello from the DPU'",
        "peer 1 sent 19 bytes 'Hello from the host'",
    ]


def test_data_path(start_python: StartPython) -> None:
    """Which of the two texts comes first is open."""
    service, client = run_pair(start_python, "data_path_high_speed")
    assert service[0] == "listening on data_path_high_speed"
    assert set(service[1:]) == {
        "peer 1 received 19 bytes 'Hello from the host'",
        "peer 1 sent 18 bytes 'Hello from the DPU'",
    }
    assert set(client) == {
        "peer 1 sent 19 bytes 'Hello from the host'",
        "peer 1 received 18 bytes 'Hello from the DPU'",
    }
    assert (len(service), len(client)) == (3, 2)


@pytest.mark.parametrize("sample", TEXT_SAMPLES)
def test_the_flags_of_the_guide(start_python: StartPython, sample: str) -> None:
    service, client = run_pair(
        start_python,
        sample,
        ["--pci-addr", "03:00.0", "--rep-pci", "b1:00.2", "--text", "down"],
        ["-p", "b1:00.2", "-r", "ignored", "-t", "up there"],
    )
    assert "peer 1 received 8 bytes 'up there'" in service
    assert "peer 1 received 4 bytes 'down'" in client


@pytest.mark.parametrize(
    ("sample", "end", "arguments", "result"),
    [
        ("ctrl_path", "client", ("-p", "99:00.0"), "DOCA_ERROR_NOT_FOUND"),
        ("ctrl_path", "client", (), "DOCA_ERROR_CONNECTION_ABORTED"),
        ("ctrl_path", "service", ("-r", "b1:00.7"), "DOCA_ERROR_NOT_FOUND"),
        ("data_path_high_speed", "client", (), "DOCA_ERROR_CONNECTION_ABORTED"),
        ("data_path_high_speed", "service", ("-p", "b1:00.0"), "DOCA_ERROR_NOT_SUPPORTED"),
        ("bulk_transfer", "client", (), "DOCA_ERROR_CONNECTION_ABORTED"),
        ("bulk_transfer", "service", ("-r", "b1:00.7"), "DOCA_ERROR_NOT_FOUND"),
        ("scale_probe", "client", (), "DOCA_ERROR_CONNECTION_ABORTED"),
        ("scale_probe", "service", ("-p", "99:00.0"), "DOCA_ERROR_NOT_FOUND"),
        *((sample, "client", (), "DOCA_ERROR_CONNECTION_ABORTED") for sample in CONVENIENT),
        *((sample, "service", ("-r", "b1:00.7"), "DOCA_ERROR_NOT_FOUND") for sample in CONVENIENT),
    ],
)
def test_failures_are_told(
    start_python: StartPython, sample: str, end: str, arguments: tuple[str, ...], result: str
) -> None:
    assert_failed(start_python(str(MODERN / f"{sample}_{end}.py"), *arguments).finish(), result)


@pytest.mark.parametrize("end", ["service", "client"])
@pytest.mark.parametrize("text", ["", "x" * 4097, "\N{EURO SIGN}" * 1366])
def test_a_text_that_no_buffer_holds(start_python: StartPython, end: str, text: str) -> None:
    refused = start_python(str(MODERN / f"data_path_high_speed_{end}.py"), "-t", text).finish()
    assert_refused(refused, "1 to 4096 bytes", str(len(text.encode())))


STREAMED = re.compile(r"peer 1 (sent|received) (\d+) buffers of (\d+) bytes, checksum ([0-9a-f]{8})")


@pytest.mark.parametrize(("count", "size"), [(1, 1), (50, 1000), (40, 1 << 20), (3, 3_000_001)])
def test_bulk_transfer(start_python: StartPython, count: int, size: int) -> None:
    told = run_pair(start_python, "bulk_transfer", client_args=["-n", str(count), "-s", str(size)])
    checksums = []
    for lines in told:
        streams = [found.groups() for line in lines if (found := STREAMED.fullmatch(line))]
        assert [stream[:3] for stream in streams] == [(way, str(count), str(size)) for way in ("sent", "received")]
        checksums.append([stream[3] for stream in streams])
        times = [line for line in lines if re.fullmatch(r"time: \w+ in \d+\.\d{3} s, \d+\.\d\d GB/s", line)]
        assert len(times) == 2
    assert checksums[0] == checksums[1][::-1]
    assert size < 8 or checksums[0][0] != checksums[0][1]  # the two sides do not stream the same
    service, client = ([line for line in lines if line.split()[-1] in ("start", "stop")] for lines in told)
    assert service == ["peer 1 received start", "peer 1 received stop", "peer 1 sent stop"]
    assert client == ["peer 1 sent start", "peer 1 sent stop", "peer 1 received stop"]


@pytest.mark.parametrize("arguments", ["-s 0", "-n 0", "-n -1", "-s -1", "-n 2 -s 1073741825", "-s 67108865"])
def test_bulk_transfer_takes_no_plan_that_cannot_be_carried_out(start_python: StartPython, arguments: str) -> None:
    refused = start_python(str(MODERN / "bulk_transfer_client.py"), *arguments.split()).finish()
    assert_refused(refused, "1 to 67108864 bytes")


@pytest.mark.parametrize("start", ["2 1073741825", "0 1", "-1 1", "1", "1 1 1", "many large", ""])
def test_bulk_transfer_does_not_trust_what_the_client_asks_for(
    start_python: StartPython, tmp_path: Path, start: str
) -> None:
    folder = changed(tmp_path, "bulk_transfer_client.py", '"start {plan.buffers} {plan.size}"', f'"start {start}"')
    service = start_service(start_python, "bulk_transfer")
    client = start_client(start_python, "bulk_transfer", folder=folder)
    assert_failed(service.finish(), "DOCA_ERROR_UNEXPECTED")
    assert_failed(client.finish(), "DOCA_ERROR_CONNECTION_ABORTED", "DOCA_ERROR_CONNECTION_RESET")


ERROR = "comch.NoMemory('no more of it')"
FAILS = {
    "incoming-at-once": (f"raise {ERROR}", "self.context = self.consumer = consumer"),
    "incoming-later": (f"self.fail({ERROR})", "assert task.buf is not None"),
    "outgoing-at-once": (f"raise {ERROR}", "self.context = producer"),
    "outgoing-later": (f"self.fail({ERROR})", "task.user_data = slot\n            self.submit(task)"),
}

# By the end that did not fail: a consumer that has gone, a buffer that it did not take, or the connection.
FIRST_NOTICED = ("INVALID_VALUE", "SHUTDOWN", "CONNECTION_RESET", "CONNECTION_ABORTED")


@pytest.mark.parametrize("end", ["service", "client"])
@pytest.mark.parametrize(("fault", "place"), FAILS.values(), ids=FAILS)
def test_bulk_transfer_ends_when_one_stream_fails(
    start_python: StartPython, tmp_path: Path, end: str, fault: str, place: str
) -> None:
    """Early, before there is anything to wait for, or half-way; in either thread of either end."""
    folders = {"service": MODERN, "client": MODERN}
    folders[end] = changed(tmp_path, "bulk_transfer_streams.py", place, f"{fault}; {place}")
    service = start_service(start_python, "bulk_transfer", folder=folders["service"])
    client = start_client(start_python, "bulk_transfer", "-n", "1000000000", folder=folders["client"])
    ended = {"service": service.finish(), "client": client.finish()}
    assert_failed(ended.pop(end), "DOCA_ERROR_NO_MEMORY")
    (other,) = ended.values()
    assert_failed(other, *(f"DOCA_ERROR_{name}" for name in FIRST_NOTICED))


@pytest.mark.parametrize("honest", ["service", "client"])
def test_bulk_transfer_notices_one_changed_byte(start_python: StartPython, tmp_path: Path, honest: str) -> None:
    """The other end changes a byte of its last buffer after it has taken the checksum."""
    sent = "task = producer.task_send_alloc_init"
    folders = {"service": MODERN, "client": MODERN}
    tampered = f"view[-1] ^= number == self.plan.buffers - 1; {sent}"
    folders["client" if honest == "service" else "service"] = changed(
        tmp_path, "bulk_transfer_streams.py", sent, tampered
    )
    service = start_service(start_python, "bulk_transfer", folder=folders["service"])
    client = start_client(start_python, "bulk_transfer", "-n", "20", "-s", "4096", folder=folders["client"])
    finished = (service if honest == "service" else client).finish()
    assert_failed(finished, "DOCA_ERROR_IO_FAILED")
    assert "checksum" in finished.stderr


@pytest.mark.parametrize(("count", "rounds"), [(1, 1), (8, 5), (64, 3)])
def test_scale_probe(start_python: StartPython, count: int, rounds: int) -> None:
    number = ["-n", str(count)]
    service, client = run_pair(start_python, "scale_probe", number, [*number, "-k", str(rounds)])
    peers = range(1, count + 1)
    assert service == [
        f"listening on scale_probe-1 to scale_probe-{count}",
        *(f"peer {peer} received {rounds} numbers, sent {rounds} numbers" for peer in peers),
        f"all {count} idle",
    ]
    assert client == [
        "rounds begin",
        *(f"peer {peer} sent {rounds} numbers, received {rounds} numbers" for peer in peers),
        f"all {count} idle",
    ]


COUNTING = [
    *((f"{sample}_{end}", "--count") for sample in ("many_clients", "two_threads", "scale_probe") for end in ENDS),
    ("scale_probe_client", "--rounds"),
]


@pytest.mark.parametrize("number", ["0", "-4"])
@pytest.mark.parametrize(("script", "option"), COUNTING)
def test_a_number_below_one_is_refused(start_python: StartPython, script: str, option: str, number: str) -> None:
    """Old and new refuse it in the same words."""
    run_old = ("-m", "comm_channel_compat", "run", str(LEGACY / f"{script}.py"))
    ways = [(str(MODERN / f"{script}.py"),), *([run_old] if (LEGACY / f"{script}.py").exists() else [])]
    refused = [start_python(*way, option, number).finish() for way in ways]
    for finished in refused:
        assert_refused(finished, f"{option} is {number}: it must be at least 1")
    assert len({finished.stderr for finished in refused}) == 1


def test_a_file_that_cannot_be_read(start_python: StartPython, tmp_path: Path) -> None:
    """Old and new say so in the same words."""
    name, absent = "file_transfer_client.py", tmp_path / "absent"
    for way in ((str(MODERN / name),), ("-m", "comm_channel_compat", "run", str(LEGACY / name))):
        finished = start_python(*way, "-f", str(absent)).finish()
        told = f"cannot read {absent}: No such file or directory\n"
        assert (finished.returncode, finished.stdout, finished.stderr) == (1, "", told)


def test_scale_probe_notices_a_number_out_of_turn(start_python: StartPython, tmp_path: Path) -> None:
    """The service leaves one number out."""
    sent = "self.server.task_send_alloc_init(connection, data).submit()"
    folder = changed(tmp_path, "scale_probe_service.py", sent, f"if self.received != 2: {sent}")
    start_service(start_python, "scale_probe", "-n", "2", folder=folder)
    client = start_client(start_python, "scale_probe", "-n", "2", "-k", "4")
    assert_failed(client.finish(), "DOCA_ERROR_UNEXPECTED")


@pytest.mark.parametrize("end", ["service", "client"])
def test_scale_probe_tells_that_descriptors_ran_out(end: str) -> None:
    """What was made before does not hide it."""
    few = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)); runpy.run_path"
    script = MODERN / f"scale_probe_{end}.py"
    code = f"{few}({str(script)!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code, "-n", "100"], capture_output=True, text=True, timeout=SOON_S)
    assert (done.returncode, done.stdout) == (1, "result DOCA_ERROR_INITIALIZATION\n"), done
    assert "Too many open files" in done.stderr
    assert "still use" not in done.stderr


def test_scale_probe_may_go_on_with_fewer(start_python: StartPython) -> None:
    """Three clients, but two servers: with the third one asked for it fails, else not."""
    for arguments, status in ((["-m", "2"], 0), ([], 1)):
        service = start_service(start_python, "scale_probe", "-n", "2")
        client = start_client(start_python, "scale_probe", "-n", "3", "-k", "2", *arguments).finish()
        assert client.returncode == status, client
        assert service.finish().returncode == 0
