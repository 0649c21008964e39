"""Programs that call the C library: names for several things, and questions which functions a release has."""

from __future__ import annotations

import pytest

from migrate.rewriting import rewrite
from tests.migrate.test_bindings import CFFI, CTYPES, SECOND, last_lines

NEW, OLD = "doca_cc_producer_cap_get_max_num_tasks", "doca_cc_producer_cap_get_max_log_num_tasks"
TRIED = f"try:\n    lib.{NEW}\nexcept AttributeError:\n    print('older')\n"


def stays(text: str, code: str) -> None:
    """A program stays as it is, for a code."""
    outcome = rewrite(text.encode())
    assert code in {finding.code for finding in outcome.findings}
    kept = [line for line in outcome.new.decode().splitlines() if not line.lstrip().startswith("# CCM")]
    assert kept == text.splitlines()


def test_a_name_that_is_a_buffer_first_and_a_text_later() -> None:
    lines = "print(ffi.string(buf))\nfor buf in ('a', 'b'):\n    print(buf, buf + 'c')\n"
    assert last_lines(CFFI + lines, 2) == "for buf in ('a', 'b'):\n    print(buf, buf + 'c')"


@pytest.mark.parametrize(
    "lines",
    [
        "while input():\n    print(buf)\n    for buf in ('a', 'b'):\n        pass\n",  # it may be the buffer still
        "def show():\n    print(buf)\nshow()\nbuf = 'text'\n",  # nobody knows when it is called
        "for buf in input():\n    pass\nprint(buf)\n",  # the loop may go through nothing
    ],
)
def test_a_name_that_may_still_be_the_buffer_stays(lines: str) -> None:
    stays(CFFI + lines, "CCM092")


@pytest.mark.parametrize(
    ("before", "new"),
    [
        (f"print(lib.{OLD}(devs[0][0], n))\n", f'    raise AttributeError("{NEW}")'),
        (f"for way in (1, 2):\n    print(lib.{OLD}(devs[0][0], n))\n", f'    raise AttributeError("{NEW}")'),
        (f"print(lib.{NEW}(devs[0][0], n))\n", "    pass"),
    ],
)
def test_a_look_up_is_answered_by_what_was_called_before(before: str, new: str) -> None:
    lines = rewrite((SECOND + before + TRIED).encode()).new.decode().splitlines()
    assert lines[lines.index("try:") + 1] == new
    assert not [line for line in lines if "ffi" in line]


def test_hasattr_is_answered_by_what_was_called_before() -> None:
    called = f"print(lib.{OLD}(devs[0][0], n))\n"
    assert last_lines(SECOND + called + f"print(hasattr(lib, '{NEW}'))\n") == "print(False)"
    assert last_lines(SECOND + "print(hasattr(lib, 'doca_cc_client_create'))\n") == 'print(hasattr(comch, "Client"))'


@pytest.mark.parametrize(
    "lines",
    [
        TRIED,
        f"print(hasattr(lib, '{NEW}'))\n",
        TRIED + f"print(lib.{OLD}(devs[0][0], n))\n",  # that is called behind it
        f"if input():\n    print(lib.{OLD}(devs[0][0], n))\n" + TRIED,
        f"for way in input():\n    print(lib.{OLD}(devs[0][0], n))\n" + TRIED,
        f"print(lib.{OLD}(devs[0][0], n))\n" + TRIED.replace("AttributeError:", "AttributeError as error:"),
    ],
)
def test_a_look_up_without_an_answer_stays(lines: str) -> None:
    stays(SECOND + lines, "CCM006")


SOUGHT = """import sys
from ctypes.util import find_library
path = find_library("doca_comm_channel")
"""
NAME = '"libdoca_comm_channel.so.2"'


@pytest.mark.parametrize("text", [CFFI, CTYPES])
@pytest.mark.parametrize(
    "asked",
    [
        "if path is None:\n    sys.exit(f'not found: {path}')\n",
        "if not path:\n    print(path)\n    raise SystemExit(1)\n",
        "assert path, 'not found'\n",
        "assert path is not None\n",
        "if path is None or not path:\n    sys.exit(1)\n",
        "if not (path and path is not None):\n    if 1 > 0:\n        print(path)\n    raise SystemExit(1)\n",
    ],
)
def test_a_question_for_a_library_goes_with_it(asked: str, text: str) -> None:
    new = rewrite((SOUGHT + asked + text.replace(NAME, "path")).encode()).new.decode()
    assert not [name for name in ("path", "find_library", "ctypes", "ffi", "exit") if name in new], new


def test_a_question_in_a_function_goes_with_the_library() -> None:
    function = """from ctypes.util import find_library
def load():
    path = find_library("doca_comm_channel")
    if not path:
        raise OSError("not found")
    return ctypes.CDLL(path)
"""
    new = rewrite((function + CTYPES.replace(f"ctypes.CDLL({NAME})", "load()")).encode()).new.decode()
    assert "def load():\n    return comch\n" in new


@pytest.mark.parametrize(
    "asked",
    [
        "if path is None:\n    path = 'libdoca_comm_channel.so.2'\n",
        "if path is None:\n    sys.exit(1)\nelse:\n    print('found')\n",
        "if path is None:\n    found = False\n",
        "if path is None:\n    sys.exit(1)\nprint(path)\n",
        "if path is None or len(sys.argv) > 1:\n    sys.exit(1)\n",
        "if path:\n    print('found')\n",
        "if len(sys.argv) > 1:\n    print('more')\nelif path is None:\n    sys.exit(1)\n",
        "other = find_library('z')\nif path is None or other is None:\n    sys.exit(1)\n",
    ],
)
def test_other_questions_for_a_library_stay(asked: str) -> None:
    stays(SOUGHT + asked + CTYPES.replace(NAME, "path"), "CCM089")
