"""Programs of generation 2 that call the C library, in other people's manner: each prints what its guide promises.

They were written from the API's documents, their transcripts before they ran.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.migrate.programs import Program, Way, run
from tests.processes import StartPython

GUESTS = Path(__file__).parent / "guests_of_cc"
OF_2_5 = {"cffi/c_port", "cffi/caps_of_25", "ctypes/bulk_of_25", "ctypes/c_port"}  # the others are of 2.6
NAMES = sorted(f"{path.parent.parent.name}/{path.parent.name}" for path in GUESTS.glob("*/*/expected.txt"))


@pytest.mark.parametrize("name", NAMES)
def test_a_guest_prints_what_its_documents_promise(start_python: StartPython, name: str) -> None:
    guest = Program(name, GUESTS)
    release = "2.5" if name in OF_2_5 else "2.6"
    ends = guest.ends()
    way = Way(guest.folder, launched=True, release=release)
    assert list(run(start_python, guest, [way] * len(ends))) == ends


def test_there_are_ten_in_each_spelling() -> None:
    assert [sum(name.startswith(spelling) for name in NAMES) for spelling in ("cffi/", "ctypes/")] == [10, 10]
    assert set(NAMES) > OF_2_5
