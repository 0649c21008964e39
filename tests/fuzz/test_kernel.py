"""The ring and the posts in C, with the sanitizers watching, while the other side writes anything anywhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.fuzz.findings import SECONDS, keep, new_cases, to_replay
from tests.fuzz.grammar import KERNEL, Case, render
from tests.processes import ROOT, SOON_S

KERNELS = ROOT / "comch_next" / "driver" / "emulated" / "_kernel"
_BATCH = 300
_DEADLINE_S = 2 * SOON_S
_SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


class Harness:
    """kernel.c, compiled with the kernels of a folder."""

    def __init__(self, folder: Path, kernels: Path = KERNELS) -> None:
        self._program = folder / "kernel"
        self._kernels = kernels
        self.lacking = ""  # what the compiler says to the sanitizers
        told = self._compile(*_SANITIZE)
        if told.returncode:
            self.lacking = told.stderr.strip().splitlines()[-1]
            plain = self._compile()
            assert plain.returncode == 0, plain.stderr

    def _compile(self, *options: str) -> subprocess.CompletedProcess[str]:
        source = ROOT / "tests" / "fuzz" / "kernel.c"
        warnings = ("-Wall", "-Wextra", "-Werror")
        command = ["cc", "-g", "-O1", "-std=gnu11", *warnings, *options, f"-I{self._kernels}", str(source)]
        command += ["-o", str(self._program)]
        return subprocess.run(command, capture_output=True, text=True, timeout=_DEADLINE_S, check=False)

    def play(self, cases: dict[str, Case]) -> tuple[str, str] | None:
        """All of them, one after the other; the first that breaks a promise, crashes or hangs, and what was said."""
        text = "".join(f"case {name}\n{render(case)}" for name, case in cases.items())
        with subprocess.Popen(
            [self._program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                out, err = process.communicate(text, timeout=_DEADLINE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
        said = out.splitlines()
        return None if said[-1:] == ["done"] and not process.returncode else (said[-1].removeprefix("case "), err)


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    return Harness(tmp_path_factory.mktemp("kernel"))


def check(harness: Harness, cases: dict[str, Case]) -> None:
    if fault := harness.play(cases):
        name, told = fault
        raise AssertionError(f"{told}\n{keep(KERNEL, name, cases[name])}")


@pytest.mark.timeout(SECONDS + 300)
def test_no_step_leads_out_of_shared_memory(harness: Harness) -> None:
    check(harness, to_replay(KERNEL))
    for cases in new_cases(KERNEL, _BATCH):
        check(harness, cases)
    if harness.lacking:
        pytest.skip(f"played without sanitizers, which this compiler lacks: {harness.lacking}")


CHECKS = [  # the kernel, a check as it stands there, and the first case that needs it
    ("ring.c", "header->length > rx->max_msg ||", "ring-length-above-limit"),
    ("posts.c", "post.offset > target->memory_size ||", "posts-offset-and-room-wrap"),
]


@pytest.mark.parametrize(("kernel", "missing", "name"), CHECKS, ids=[name for _, _, name in CHECKS])
def test_a_kernel_that_lacks_a_check_is_noticed(tmp_path: Path, kernel: str, missing: str, name: str) -> None:
    for path in (*KERNELS.glob("*.c"), *KERNELS.glob("*.h")):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    whole = (tmp_path / kernel).read_text(encoding="ascii")
    assert missing in whole
    (tmp_path / kernel).write_text(whole.replace(missing, ""), encoding="ascii")
    broken = Harness(tmp_path, tmp_path)
    if broken.lacking:
        pytest.skip(f"only the sanitizers see it: {broken.lacking}")
    fault = broken.play(KERNEL.seeds())
    assert fault is not None
    assert fault[0] == name
