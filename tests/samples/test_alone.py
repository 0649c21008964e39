"""The samples that are one program: they talk to kernels on the DPA."""

from __future__ import annotations

import pytest

from tests.processes import StartPython
from tools.side_by_side import MODERN

SAMPLES = {
    "msgq_ping_pong": (["-n", "50"], "50 round trips, "),
    "msgq_dma_copy": (["-n", "40", "-s", "1000"], "40 blocks of 1000 bytes copied"),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_it_does_what_it_says(start_python: StartPython, name: str) -> None:
    arguments, told = SAMPLES[name]
    done = start_python(str(MODERN / f"{name}.py"), *arguments).finish()
    assert (done.returncode, done.stderr) == (0, "")
    line, result = done.stdout.splitlines()
    assert line.startswith(told)
    assert result == "result DOCA_SUCCESS"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_device_that_is_not_there(start_python: StartPython, name: str) -> None:
    done = start_python(str(MODERN / f"{name}.py"), "-p", "07:00.0").finish()
    assert (done.returncode, done.stdout) == (1, "result DOCA_ERROR_NOT_FOUND\n")
    assert "07:00.0" in done.stderr


@pytest.mark.parametrize("name", SAMPLES)
def test_a_count_of_nothing(start_python: StartPython, name: str) -> None:
    done = start_python(str(MODERN / f"{name}.py"), "-n", "0").finish()
    assert (done.returncode, done.stdout) == (2, "")
    assert "must be at least 1" in done.stderr
