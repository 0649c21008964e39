"""The backends of the log, as programs make them."""

from __future__ import annotations

from pathlib import Path

from tests.faces.support import compiled, run
from tests.processes import StartPython

PROGRAM = """
import ctypes, os
from pathlib import Path
import comch_next
lib = ctypes.CDLL(str(Path(comch_next.__file__).parent / "capi" / "lib" / "libdoca_common.so.2"))
buffer, backend, source = ctypes.create_string_buffer(1 << 13), ctypes.c_void_p(), ctypes.c_int()
flush = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(print)
most = ctypes.c_size_t((1 << 32) + 1)
assert lib.doca_log_backend_create_with_buf(buffer, most, flush, ctypes.byref(backend)) == 0
lib.doca_log_register_source(b"me", ctypes.byref(source))
lib.doca_log(20, source, b"f.c", 1, b"main", b"hello")
print(buffer.value.decode().split()[-1])
nowhere = os.open(os.devnull, os.O_WRONLY)
while lib.doca_log_backend_create_with_fd(nowhere, ctypes.byref(backend)) == 0:
    pass
print([lib.doca_log_backend_create_standard() for _ in range(2)])
"""

# The pipe of the backend is full, so the thread waits within the log when the program ends.
ENDS = """
#define _GNU_SOURCE
#include <doca_log.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

DOCA_LOG_REGISTER(ENDS);

static void *talk(void *none)
{
	for (;;)
		DOCA_LOG_ERR("nobody reads");
	return none;
}

int main(void)
{
	struct doca_log_backend *backend;
	pthread_t thread;
	int ends[2], before = -1, now = 0;

	if (pipe(ends) || doca_log_backend_create_with_fd(ends[1], &backend) || pthread_create(&thread, NULL, talk, NULL))
		return 1;
	while (!now || now != before) {
		before = now;
		usleep(100000);
		ioctl(ends[0], FIONREAD, &now);
	}
	puts("ends");
	return 0;
}
"""

FORK = """
import ctypes, os, threading
from pathlib import Path
import comch_next
lib = ctypes.CDLL(str(Path(comch_next.__file__).parent / "capi" / "lib" / "libdoca_common.so.2"))
buffer, backend, source = ctypes.create_string_buffer(256), ctypes.c_void_p(), ctypes.c_int()
inside, forked = threading.Event(), threading.Event()

def flush(_):
    inside.set()
    forked.wait()

def log(text):
    lib.doca_log(20, source, b"f.c", 1, b"main", text)

def fill():
    while not inside.is_set():
        log(b"of the parent")
    log(b"the last")

handler = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(flush)
assert lib.doca_log_backend_create_with_buf(buffer, ctypes.c_size_t(256), handler, ctypes.byref(backend)) == 0
lib.doca_log_register_source(b"me", ctypes.byref(source))
thread = threading.Thread(target=fill)
thread.start()
inside.wait()
child = os.fork()
if not child:
    log(b"of the child")
    os._exit(buffer.value.count(b" of the ") + 10 * buffer.value.count(b" of the child"))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
forked.set()
thread.join()
print(buffer.value.decode().split("] ")[-1])
"""

SOURCES = """
import ctypes
from pathlib import Path
import comch_next
lib = ctypes.CDLL(str(Path(comch_next.__file__).parent / "capi" / "lib" / "libdoca_common.so.2"))
first, source = ctypes.c_int(), ctypes.c_int()

def log(source):
    return lib.doca_log(20, source, b"f.c", 1, b"main", b"hello")

assert lib.doca_log_register_source(b"first", ctypes.byref(first)) == 0
for _ in range(10_000):
    assert lib.doca_log_register_source(b"again", ctypes.byref(source)) == 0
    assert log(source) == 0
    assert lib.doca_log_unregister_source(source) == 0
print(lib.doca_log_unregister_source(source), log(source), log(first), log(-1), log(1 << 30))
while (result := lib.doca_log_register_source(b"more", ctypes.byref(source))) == 0:
    assert log(source) == 0
print(result, lib.doca_log_unregister_source(-1), lib.doca_log_unregister_source(1 << 30))
"""

PLUGIN = """
#include <doca_log.h>
DOCA_LOG_REGISTER(PLUGIN);
void say(void);
void say(void)
{
	DOCA_LOG_ERR("hello");
}
"""

HOST = r"""
#include <doca_log.h>

#include <dlfcn.h>

DOCA_LOG_REGISTER(HOST);

int main(int argc, char **argv)
{
	struct doca_log_backend *backend;
	int i;

	if (argc != 2 || doca_log_backend_create_with_file(stdout, &backend))
		return 1;
	for (i = 0; i < 5000; i++) {
		void *const plugin = dlopen(argv[1], RTLD_NOW);
		void (*say)(void) = NULL;

		if (!plugin)
			return 2;
		*(void **)&say = dlsym(plugin, "say");
		say();
		dlclose(plugin);
	}
	DOCA_LOG_ERR("hello");
	return 0;
}
"""


def test_a_source_is_given_back(start_python: StartPython) -> None:
    done = start_python("-c", SOURCES).finish()
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "6 6 0 6 6\n24 6 6\n")


def test_a_library_gives_its_source_back_when_it_is_closed(tmp_path: Path) -> None:
    for name, text in (("plugin.c", PLUGIN), ("host.c", HOST)):
        (tmp_path / name).write_text(text)
    compiled(tmp_path, [tmp_path / "plugin.c"], "doca-common", flags=("-shared", "-fPIC"))
    host = compiled(tmp_path, [tmp_path / "host.c"], "doca-common")
    done = run(host, str(tmp_path / "plugin")).finish()
    said = [line.split("][")[4] for line in done.stdout.splitlines()]
    assert (done.returncode, said) == (0, ["PLUGIN"] * 5000 + ["HOST"])


def test_a_program_ends_while_a_thread_waits_for_the_reader_of_a_backend(tmp_path: Path) -> None:
    (tmp_path / "ends.c").write_text(ENDS)
    done = run(compiled(tmp_path, [tmp_path / "ends.c"], "doca-common", flags=("-lpthread",))).finish()
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "ends\n")


def test_a_fork_while_a_buffer_is_flushed(start_python: StartPython) -> None:
    """The handler waits for the thread that forks; in the child the buffer takes messages, and none of the parent's."""
    done = start_python("-W", "ignore", "-c", FORK).finish()
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "11\nthe last\n\n")


def test_what_has_no_place_is_not_there_and_a_large_buffer_takes_what_comes(start_python: StartPython) -> None:
    done = start_python("-c", PROGRAM).finish()
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "hello\n[24, 24]\n")
