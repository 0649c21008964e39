"""libdoca_cc as DOCA 2.5 and 2.6 had it: symbols, headers, types, and programs of both against every other end."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from comch_next import api
from tests.faces.support import PROGRAMS, WARNINGS, compiled, of_release, pkg_config, settings
from tests.processes import SOON_S, Child, StartPython, python
from tools.side_by_side import LEGACY, MODERN

RELEASES = ("2.5", "2.6")
HEADERS = ("doca_cc.h", "doca_cc_consumer.h", "doca_cc_producer.h")
EXPORTED = {"2.5": 66, "2.6": 70}  # of 2.5: counted in the real library
COMPILERS = [("gcc", "c99"), ("gcc", "gnu17"), ("g++", "c++11"), ("g++", "c++20")]


def _read(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=SOON_S).stdout


@pytest.mark.parametrize("doca", RELEASES)
def test_the_library_has_what_that_release_had(doca: str) -> None:
    path = of_release(doca) / "lib" / "libdoca_cc.so.2"
    symbols = {line.split()[-1] for line in _read("nm", "--dynamic", "--defined-only", str(path)).splitlines()}
    assert symbols == {row.name for row in api.functions("cc") if row.available_in(doca)}
    assert len(symbols) == EXPORTED[doca]
    assert "Library soname: [libdoca_cc.so.2]" in _read("readelf", "--dynamic", str(path))
    assert (path.parent / "libdoca_cc.so").resolve() == path.resolve()


@pytest.mark.parametrize(("compiler", "standard"), COMPILERS)
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("doca", RELEASES)
def test_a_header_stands_by_itself(doca: str, header: str, compiler: str, standard: str, tmp_path: Path) -> None:
    source = tmp_path / ("alone.cc" if compiler == "g++" else "alone.c")
    source.write_text(f"#include <{header}>\n#include <{header}>\nint main(void) {{ return 0; }}\n", encoding="ascii")
    flags = pkg_config("--cflags", "doca-cc", doca=doca)
    command = [compiler, f"-std={standard}", *WARNINGS, "-pedantic", "-fsyntax-only", *flags, str(source)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SOON_S)
    assert ended.returncode == 0, ended.stderr


TYPES = """
#include <doca_cc.h>
#include <doca_cc_producer.h>
#define IS(call, type) _Static_assert(__builtin_types_compatible_p(__typeof__(&call), type), #call)
"""
OF_RELEASE = {
    "2.5": """
IS(doca_cc_server_set_max_msg_size, doca_error_t (*)(struct doca_cc_server *, size_t));
IS(doca_cc_cap_get_max_clients, doca_error_t (*)(const struct doca_devinfo *, size_t *));
IS(doca_cc_producer_send_task_get_consumer_id, int (*)(struct doca_cc_producer_send_task *));
IS(*(doca_cc_event_msg_recv_cb_t)0,
   void (*)(struct doca_cc_event_msg_recv *, uint8_t *, size_t, struct doca_cc_connection *));
""",
    "2.6": """
IS(doca_cc_server_set_max_msg_size, doca_error_t (*)(struct doca_cc_server *, uint32_t));
IS(doca_cc_cap_get_max_clients, doca_error_t (*)(const struct doca_devinfo *, uint32_t *));
IS(doca_cc_producer_task_send_get_consumer_id, uint32_t (*)(struct doca_cc_producer_task_send *));
IS(*(doca_cc_event_msg_recv_cb_t)0,
   void (*)(struct doca_cc_event_msg_recv *, uint8_t *, uint32_t, struct doca_cc_connection *));
""",
}


@pytest.mark.parametrize("doca", RELEASES)
@pytest.mark.parametrize("types", RELEASES)
def test_the_types_are_those_of_the_release(doca: str, types: str, tmp_path: Path) -> None:
    source = tmp_path / "types.c"
    source.write_text(TYPES + OF_RELEASE[types], encoding="ascii")
    command = ["gcc", "-fsyntax-only", *pkg_config("--cflags", "doca-cc", doca=doca), str(source)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SOON_S)
    assert (ended.returncode == 0) == (doca == types), ended.stderr


@pytest.mark.parametrize("doca", RELEASES)
def test_the_module_of_all_libraries_brings_this_one(doca: str) -> None:
    libraries = set(pkg_config("--libs", "doca", doca=doca))
    assert {"-ldoca_cc", "-ldoca_comm_channel", "-ldoca_common", "-ldoca_argp"} <= libraries
    assert pkg_config("--modversion", "doca-cc", doca=doca) == [doca]


# Programs


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The server in the types of 2.5, the client in those of 2.6."""
    folder = tmp_path_factory.mktemp("programs of generation 2")
    ends = {"server": "2.5", "client": "2.6"}
    return {
        end: compiled(
            folder, [PROGRAMS / f"cc_ctrl_path_{end}.c", PROGRAMS / "common.c"], *("doca-cc", "doca-argp"), doca=doca
        )
        for end, doca in ends.items()
    }


@pytest.fixture
def begin(programs: dict[str, Path], start_python: StartPython) -> Iterator[Callable[[str, str], Child]]:
    """Start an end of the control path in C, or in Python, old or new."""
    with ExitStack() as children:

        def starting(spelling: str, end: str) -> Child:
            script = f"ctrl_path_{'service' if end == 'server' else end}.py"
            if spelling == "new":
                return start_python(str(MODERN / script))
            launcher = ("-m", "comm_channel_compat")
            if spelling == "old":
                return start_python(*launcher, "run", str(LEGACY / f"cc_{script}"))
            if spelling == "exec":
                release = ("--doca", "2.5") if end == "server" else ()
                return start_python(*launcher, "exec", *release, str(programs[end]))
            child = Child([str(programs[end])], env=settings("2.5" if end == "server" else "2.6"))
            children.callback(child.kill)
            return child

        yield starting


@pytest.mark.parametrize(
    ("server", "client"),
    [("c", "c"), ("c", "old"), ("c", "new"), ("old", "c"), ("new", "c"), ("exec", "exec")],
)
def test_both_ends_come_to_their_good_end(server: str, client: str, begin: Callable[[str, str], Child]) -> None:
    serving = begin(server, "server")
    serving.wait_for("listening on ctrl_path")
    connecting = begin(client, "client")
    texts = "19 bytes 'Hello from the host'", "18 bytes 'Hello from the DPU'"
    for child, words in ((connecting, ("sent", "received")), (serving, ("received", "sent"))):
        ended = child.finish()
        assert (ended.returncode, ended.stderr) == (0, ""), ended
        told = [line for line in ended.stdout.splitlines() if not line.startswith("listening")]
        expected = [f"peer 1 {word} {text}" for word, text in zip(words, texts, strict=True)]
        assert (sorted(told[:-1]), told[-1]) == (sorted(expected), "result DOCA_SUCCESS")


def test_a_client_without_a_server_is_aborted(begin: Callable[[str, str], Child]) -> None:
    assert begin("c", "client").finish().stdout == "result DOCA_ERROR_CONNECTION_ABORTED\n"


@pytest.mark.parametrize("doca", RELEASES)
def test_a_bad_pointer_is_refused(doca: str) -> None:
    ended = python("-m", "tests.faces.bad_pointers_of_cc", doca, deadline_s=4 * SOON_S).finish()
    assert (ended.returncode, ended.stderr) == (0, ""), [*ended.stdout.splitlines()[-1:], ended.stderr]
    answers = [line.split() for line in ended.stdout.splitlines()]
    assert {name for name, *_ in answers} == {row.name for row in api.functions("cc") if row.available_in(doca)}
    wrong = [answer for answer in answers if answer[3] != answer[4]]
    assert not wrong
    unlogged = [row[:3] for row in answers if row[5] != "1" and not row[0].endswith(("_as_ctx", "_as_task"))]
    assert all(name.endswith("_set_buf") and kind == "null" for name, _, kind in unlogged), unlogged
