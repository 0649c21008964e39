"""What the killed leave at the meeting place is swept by the servers that come after them."""

from __future__ import annotations

from pathlib import Path

from tests.control_path.pair import leave, server
from tests.processes import StartPython

LISTEN = """
import sys
import comch_next as comch
servers = [comch.Server(comch.open_device("03:00.0"), "b1:00.0", sys.argv[1] + str(n)) for n in range(int(sys.argv[2]))]
for server in servers: server.listen()
print("listening", flush=True)
sys.stdin.readline()
"""


def killed(start_python: StartPython, name: str, count: int) -> None:
    child = start_python("-c", LISTEN, name, str(count))
    child.wait_for("listening")
    child.kill()


def test_the_next_server_sweeps_what_the_killed_left(runtime_dir: Path, start_python: StartPython) -> None:
    killed(start_python, "a name of its own ", 5)
    assert len(list(runtime_dir.iterdir())) == 10
    there = server()
    there.context.start()
    assert len(list(runtime_dir.iterdir())) == 2
    leave(there)


def test_no_number_of_them_is_too_many(runtime_dir: Path, start_python: StartPython) -> None:
    """One start does not sweep for ever; several do it all."""
    killed(start_python, "many ", 150)
    for _ in range(20):
        there = server()
        there.context.start()
        leave(there)
    assert list(runtime_dir.iterdir()) == []


def test_the_living_are_not_swept(runtime_dir: Path, start_python: StartPython) -> None:
    child = start_python("-c", LISTEN, "alive ", "5")
    child.wait_for("listening")
    living = sorted(runtime_dir.iterdir())
    killed(start_python, "dead ", 5)
    there = server()
    there.context.start()
    leave(there)
    assert sorted(runtime_dir.iterdir()) == living
    child.succeed()


def test_what_is_none_of_its_own_is_not_swept(runtime_dir: Path) -> None:
    strange = ["notes.txt", "a.lock", "0" * 32 + ".sock", "0" * 31 + ".lock", "1" * 32 + ".lock.old"]
    for name in strange:
        (runtime_dir / name).write_text("precious")
    (runtime_dir / ("2" * 32 + ".lock")).mkdir()
    (runtime_dir / ("3" * 32 + ".lock")).symlink_to("notes.txt")
    there = server()
    there.context.start()
    leave(there)
    assert {path.name for path in runtime_dir.iterdir()} == {*strange, "2" * 32 + ".lock", "3" * 32 + ".lock"}


def test_a_sweep_takes_no_name_from_whoever_comes_for_it(start_python: StartPython) -> None:
    """Servers that start at the same moment over the same remains: each gets its name."""
    killed(start_python, "name ", 20)
    program = LISTEN.replace("for server", "print('ready', flush=True); sys.stdin.readline()\nfor server")
    children = [start_python("-c", program, f"name {digit}", "10") for digit in ("", 1)]
    for child in children:
        child.wait_for("ready")
    for child in children:
        child.say("go\n")
    for child in children:
        child.wait_for("listening")
    for child in children:
        assert child.finish().returncode == 0
