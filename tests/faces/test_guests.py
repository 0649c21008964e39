"""C programs that were written from the API's documents alone: each tells what stands in the file beside it."""

from __future__ import annotations

import signal
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from tests.faces.conftest import MODULES
from tests.faces.support import compiled, run
from tests.processes import Child

GUESTS = Path(__file__).parent / "guests"
PAIRS = [("control_server", "control_client"), ("bulk_server", "bulk_client"), ("lent_server", "lent_client")]
PAIRS += [("two_threads_service", "two_threads_client")]
ALONE = ["channel", "ending_inside", "forked", "names", "opened", "sizes", "two_endpoints"]
FLAGS = {"gcc": ("-std=gnu11",), "g++": ("-std=c++17", "-pedantic")}

SANITIZED = {
    "ASAN_OPTIONS": "detect_leaks=1:fast_unwind_on_malloc=0",
    "LSAN_OPTIONS": f"print_suppressions=0:suppressions={Path(__file__).parent / 'lsan.supp'}",
}
# A callback, called from Python, that forgets what it has allocated.
LEAKING = """
#include <stdlib.h>
#include <doca_mmap.h>
#include "%s"

static void forget(void *address, size_t length, void *cookie)
{
	volatile char *forgotten = malloc(77);

	(void)address;
	(void)length;
	(void)cookie;
	forgotten[0] = 1;
	forgotten = NULL;
}

int main(void)
{
	struct doca_dev *device = open_device("b1:00.0");
	static char memory[4096];
	struct doca_mmap *mmap;

	MUST(doca_mmap_create(&mmap));
	MUST(doca_mmap_add_dev(mmap, device));
	MUST(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	MUST(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	MUST(doca_mmap_set_free_cb(mmap, forget, NULL));
	MUST(doca_mmap_start(mmap));
	MUST(doca_mmap_destroy(mmap));
	MUST(doca_dev_close(device));
	return 0;
}
""" % (GUESTS / "guest.h")

Guest = Callable[..., Child]


@pytest.fixture(scope="module")
def guest_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("guests")

    @cache
    def build(name: str) -> Path:
        source = GUESTS / f"{name}.c"
        compiler = "gcc" if source.exists() else "g++"
        source = source if source.exists() else source.with_suffix(".cc")
        return compiled(folder, [source], *MODULES, compiler=compiler, flags=(*FLAGS[compiler], "-ldl"))

    return build


@pytest.fixture
def guest(guest_program: Callable[[str], Path]) -> Iterator[Guest]:
    """Start a guest by its name; it is killed if it still runs when the test ends."""
    with ExitStack() as children:

        def begin(name: str, *arguments: str) -> Child:
            child = run(guest_program(name), *arguments)
            children.callback(child.kill)
            return child

        yield begin


def check(name: str, child: Child, returncode: int = 0) -> None:
    ended = child.finish()
    assert (ended.returncode, ended.stderr) == (returncode, ""), ended
    assert ended.stdout == (GUESTS / f"{name}.golden").read_text()


@pytest.mark.parametrize(("serving", "connecting"), PAIRS)
def test_a_pair_tells_what_its_documents_say(serving: str, connecting: str, guest: Guest) -> None:
    server = guest(serving)
    server.wait_for("listening")
    check(connecting, guest(connecting))
    check(serving, server)


@pytest.mark.parametrize("name", ALONE)
def test_a_program_tells_what_its_documents_say(name: str, guest: Guest) -> None:
    check(name, guest(name))


def test_a_client_learns_of_a_service_that_was_killed(guest: Guest) -> None:
    server = guest("lost_peer", "serve")
    server.wait_for("listening")
    client = guest("lost_peer")
    server.wait_for("received")
    server.signal(signal.SIGKILL)
    check("lost_peer", client)


def names_its_own() -> bool:
    """Whether the interpreter's library has the names of its functions, by which what it allocates is known."""
    folder, name = map(sysconfig.get_config_var, ("LIBDIR", "INSTSONAME"))
    return b"_PyObject_Malloc" in Path(folder, name).read_bytes()


named = pytest.mark.skipif(not names_its_own(), reason="this Python's library has been stripped of its names")


@named
@pytest.mark.parametrize("name", ["ending_inside", "sizes", "two_endpoints"])
def test_the_address_and_leak_sanitizers_find_nothing(name: str, tmp_path: Path) -> None:
    program = compiled(tmp_path, [GUESTS / f"{name}.c"], *MODULES, flags=(*FLAGS["gcc"], "-fsanitize=address"))
    check(name, run(program, env=SANITIZED))


@named
def test_the_leak_sanitizer_finds_what_is_not_the_interpreters(tmp_path: Path) -> None:
    """Else the other test could not fail: its suppressions might hide all that is called from Python."""
    source = tmp_path / "leaking.c"
    source.write_text(LEAKING, encoding="ascii")
    program = compiled(tmp_path, [source], *MODULES, flags=(*FLAGS["gcc"], "-O0", "-fsanitize=address"))
    ended = run(program, env=SANITIZED).finish()
    assert ended.returncode != 0
    assert "leak of 77 byte(s)" in ended.stderr
    assert ended.stderr.count(" leak of ") == 1


@pytest.mark.parametrize("manner", [(), ("exit in a callback's place",), ("_exit",)])
def test_a_program_may_leave_with_everything_alive(manner: tuple[str, ...], guest: Guest) -> None:
    check("still_alive", guest("still_alive", *manner), 7)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_a_program_does_not_handle_ends_it(number: signal.Signals, guest: Guest) -> None:
    server = guest("control_server")
    server.wait_for("listening")
    server.signal(number)
    ended = server.finish()
    assert (ended.returncode, ended.stderr) == (-number, "")


def test_the_log_says_why_memory_cannot_be_shared(guest: Guest) -> None:
    ended = guest("refused_import").finish()
    assert (ended.returncode, ended.stderr) == (0, "")
    exported, reason, refused, why, unsupported = ended.stdout.splitlines()
    assert (exported, refused, unsupported) == (
        "doca_mmap_export_pci(lent, device, &description, &length): DOCA_SUCCESS",
        "doca_mmap_create_from_export(NULL, description, length, device, &import): DOCA_ERROR_NOT_PERMITTED",
        "doca_mmap_export_pci(mine, device, &description, &length): DOCA_ERROR_NOT_SUPPORTED",
    )
    assert "[DOCA][WRN][COMCH] mmap_create_from_export: " in reason
    assert "[DOCA][WRN][COMCH] mmap_export_pci: " in why


def test_the_arguments_and_the_log_of_a_program(guest: Guest) -> None:
    ended = guest("arguments", "-t", "hello", "--number", "3", "-f").finish()
    told = [line for line in ended.stdout.splitlines(keepends=True) if not line.startswith("[")]
    logged = [line.partition("[DOCA]")[2].strip() for line in ended.stdout.splitlines() if line.startswith("[")]
    assert (ended.returncode, ended.stderr, "".join(told)) == (0, "", (GUESTS / "arguments.golden").read_text())
    assert [(line[:25], line.rpartition("]")[2]) for line in logged] == [
        ("[INF][GUEST::ARGUMENTS][a", " text of 5 bytes"),
        ("[ERR][GUEST::ARGUMENTS][a", " no arguments"),
    ]
