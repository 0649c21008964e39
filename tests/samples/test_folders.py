"""Samples are pairs of programs, or one that talks to the DPA; the folders pair where the old API had such a thing."""

from pathlib import Path

import pytest

from tools.side_by_side import ALONE, GENERATION_2, LEGACY, MODERN, MODERN_ONLY, SAMPLES, SPELLED

ENDS = ("service", "client")


def ends_of(folder: Path, *samples: str) -> set[str]:
    names = [sample if folder == MODERN else GENERATION_2.get(sample, sample) for sample in samples]
    return {f"{name}_{end}" for name in names for end in ENDS}


def programs(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.py") if '__name__ == "__main__"' in path.read_text(encoding="utf-8")}


@pytest.mark.parametrize(
    ("folder", "samples"),
    [
        (LEGACY, (*SAMPLES, *GENERATION_2)),
        (MODERN, (*SAMPLES, *GENERATION_2, *MODERN_ONLY)),
        SPELLED["cffi"],
        SPELLED["ctypes"],
    ],
)
def test_a_folder_has_both_ends_of_its_samples(folder: Path, samples: tuple[str, ...]) -> None:
    alone = set(ALONE) if folder == MODERN else set()
    assert programs(folder) == ends_of(folder, *samples) | alone


def test_what_is_no_program_belongs_to_a_sample() -> None:
    shared = {path.stem for path in MODERN.glob("*.py")} - programs(MODERN) - {"msgq_common"}
    assert shared
    assert not [name for name in shared if name.rpartition("_")[0] not in (*GENERATION_2, *MODERN_ONLY)]


def test_the_samples_in_c_are_pairs() -> None:
    folder, samples = SPELLED["c"]
    assert {path.stem for path in folder.glob("*.c") if "int main(" in path.read_text("ascii")} == ends_of(
        folder, *samples
    )
