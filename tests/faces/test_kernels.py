"""Kernels in C: compiled programs, and functions of cffi and ctypes scripts (docs/dpa.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faces.support import PROGRAMS, compiled, run
from tests.processes import ROOT, SOON_S, python

SAMPLES = ROOT / "samples_new" / "in_c"
SOURCE = PROGRAMS / "kernels.c"
REFUSED = ["the DPA: DOCA_ERROR_BAD_STATE", "the kernel went on: 0"]
NULL = "doca_dpa_dev_comch_consumer_get_completion: comp_element is NULL"

# scene -> what the program prints, but for its last line, and what the library reports
SCENES = {
    "too_much": (REFUSED, "post_send_imm_only in the DPA thread of kernels+0x"),
    "acknowledged": (REFUSED, "1 receive is above the 0 of 16 that consumer 1 has left"),
    "null": (REFUSED, NULL),
    "runs": (["runs: several", "went on: 0"], ""),
    "copies": (
        [
            "more DOCA_SUCCESS",
            *["beyond: DOCA_ERROR_INVALID_VALUE", "twice: DOCA_ERROR_NOT_PERMITTED", "started: DOCA_ERROR_BAD_STATE"],
            *["map DOCA_SUCCESS", "map DOCA_SUCCESS", "run DOCA_SUCCESS"],
            "thread DOCA_SUCCESS",
            "type 0, user data 42, read copied by the DPA",
            "received done: copied by the DPA",
            *["thread DOCA_SUCCESS", "went on: 0"],
            *["map DOCA_SUCCESS", "map DOCA_SUCCESS", "free DOCA_SUCCESS"],
        ],
        "",
    ),
    "host_calls": (
        [*["in a kernel: DOCA_ERROR_BAD_STATE"] * 3, *["in a kernel: DOCA_SUCCESS", "the DPA: DOCA_SUCCESS"]],
        "",
    ),
    "endless": (
        ["stop: DOCA_ERROR_TIME_OUT", "destroy: DOCA_ERROR_IN_USE", "stop: DOCA_SUCCESS", "start: DOCA_SUCCESS"],
        "",
    ),
    "wrong_place": (["outside of a kernel: 0, 7", "the DPA: DOCA_SUCCESS"], ""),
    "memory": (
        [
            *["to it: DOCA_SUCCESS", "back: DOCA_SUCCESS", "the same: 1"],
            *["beyond: DOCA_ERROR_INVALID_VALUE"] * 2,
            *["nothing: DOCA_ERROR_INVALID_VALUE", "left alone: 1"],
            *["free: DOCA_SUCCESS", "free: DOCA_ERROR_INVALID_VALUE", "another: DOCA_SUCCESS"],
        ],
        "",
    ),
}


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = [SOURCE, SAMPLES / "msgq_common.c"]
    return compiled(tmp_path_factory.mktemp("kernels"), sources, "doca-dpa", flags=(f"-I{SAMPLES}",))


@pytest.mark.parametrize("scene", SCENES)
def test_a_kernel_in_c(scenes: Path, scene: str) -> None:
    told, reported = SCENES[scene]
    ended = run(scenes, scene).finish()
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [*told, *["close: DOCA_SUCCESS"] * 2]
    assert reported in ended.stderr
    assert bool(reported) == bool(ended.stderr), ended.stderr


@pytest.mark.parametrize("scene", ["exit", "exit_polling"])
def test_a_process_ends_while_its_kernel_runs(scenes: Path, scene: str) -> None:
    ended = run(scenes, scene).finish()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "the process ends\n", "")


def test_the_sample(tmp_path: Path) -> None:
    names = ("msgq_ping_pong", "msgq_ping_pong_kernel", "msgq_common")
    program = compiled(tmp_path, [SAMPLES / f"{name}.c" for name in names], "doca-dpa")
    ended = run(program, "-n", "50").finish()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "50 round trips\nresult DOCA_SUCCESS\n"
    ended = run(program, "-p", "07:00.0").finish()
    assert (ended.returncode, ended.stdout) == (1, "result DOCA_ERROR_NOT_FOUND\n")


# Scripts: a kernel is a callback, whose calls return even where a kernel in C would end


@pytest.mark.parametrize("lane", ["WithCffi", "WithCtypes"])
class TestInScripts:
    def told(self, lane: str, scene: str) -> tuple[list[str], str]:
        ended = python("-m", "tests.faces.kernel_in_script", lane, scene, deadline_s=4 * SOON_S).finish()
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.splitlines(), ended.stderr

    def test_it_answers(self, lane: str) -> None:
        assert self.told(lane, "answer") == (["5 -> 25", "6 -> 36", "7 -> 49", "DOCA_SUCCESS"], "")

    def test_the_process_ends_while_it_runs(self, lane: str) -> None:
        assert self.told(lane, "leave") == (["polling"], "")

    def test_a_refused_call_returns_and_every_later_one_is_refused(self, lane: str) -> None:
        told, reported = self.told(lane, "refuse")
        assert told == ["later: 0", "DOCA_ERROR_BAD_STATE"]
        assert "17 receives are above the 16 of 16" in reported
        assert "Traceback" not in reported
