"""Command lines, and files in their place, that no program expects: each gets its code, and a line that says why."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from comch_next.capi._argp import Kind, Param, Parser
from comch_next.driver.protocol import text_of
from tests.faces.world import check, ffi, lib, made

taken: list[str] = []
_kept: list[Any] = []  # C has their addresses only


def _take(value: Any, _: object) -> int:
    text: Any = ffi.string(ffi.cast("char *", value))
    taken.append(text.decode())
    return 0


take = ffi.callback("doca_error_t(void *, void *)", _take)


@pytest.fixture(autouse=True)
def parser() -> Iterator[None]:
    _kept.append(ffi.new("char[]", b"program"))
    check(lib.doca_argp_init(_kept[-1], ffi.NULL))
    taken.clear()
    yield
    check(lib.doca_argp_destroy())


def registered(short: str, long: str, kind: int = lib.DOCA_ARGP_TYPE_STRING, callback: Any = take) -> int:
    """The code of a parameter's registration, which takes text unless told otherwise."""
    param = made(lib.doca_argp_param_create)
    if short:
        lib.doca_argp_param_set_short_name(param, short.encode())
    if long:
        lib.doca_argp_param_set_long_name(param, long.encode())
    lib.doca_argp_param_set_description(param, b"text")
    lib.doca_argp_param_set_callback(param, callback)
    lib.doca_argp_param_set_type(param, kind)
    return int(lib.doca_argp_register_param(param))


def started(*words: str) -> int:
    """The code of the parser's start with these arguments."""
    texts = [ffi.new("char[]", word.encode()) for word in ("program", *words)]
    return int(lib.doca_argp_start(len(texts), ffi.new("char *[]", [*texts, ffi.NULL])))


@pytest.mark.parametrize(("short", "long"), [("ab", ""), ("-", ""), (":", ""), ("", "a=b"), ("", "a="), ("", "--text")])
def test_a_name_that_no_flag_can_have(short: str, long: str) -> None:
    assert registered(short, long) == lib.DOCA_ERROR_INVALID_VALUE
    assert started() == 0


def test_a_parameter_is_made_while_there_is_a_parser() -> None:
    param = ffi.new("struct doca_argp_param **")
    check(lib.doca_argp_destroy())
    code = lib.doca_argp_param_create(param)
    check(lib.doca_argp_init(_kept[-1], ffi.NULL))
    assert (code, param[0]) == (lib.DOCA_ERROR_BAD_STATE, ffi.NULL)


@pytest.mark.parametrize("level", ["99999999999", "9" * 5000, "\N{SUPERSCRIPT TWO}", "55", "-10", ""])
@pytest.mark.parametrize("flag", ["--log-level", "--sdk-log-level"])
def test_what_is_no_level(capfd: pytest.CaptureFixture[str], flag: str, level: str) -> None:
    assert started(flag, level) == lib.DOCA_ERROR_INVALID_VALUE
    assert "is not a log level; legal are 10=DISABLE" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[1]", "IO_FAILED"),
        ('{"doca_program_flags": [1]}', "IO_FAILED"),
        ('{"doca_program_flags": 5}', "IO_FAILED"),
        ('{"doca_general_flags": {"json": "other"}}', "NOT_SUPPORTED"),
        ('{"doca_general_flags": {"log-level": 99999999999}}', "INVALID_VALUE"),
        ('{"doca_program_flags": {"other": "x"}}', "NOT_SUPPORTED"),
        ('{"doca_program_flags": ' + "[" * 100_000, "IO_FAILED"),
    ],
    ids=lambda value: value[:40],
)
def test_a_file_that_is_none_of_flags(capfd: pytest.CaptureFixture[str], tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "flags.json"
    path.write_text(text)
    assert registered("t", "text") == 0
    assert started("-j", str(path)) == getattr(lib, f"DOCA_ERROR_{code}")
    told = capfd.readouterr().err
    assert told.startswith("program: ")
    assert "Traceback" not in told
    assert not taken


@ffi.callback("doca_error_t(void *, void *)")
def take_number(value: Any, _: object) -> int:
    taken.append(str(ffi.cast("int *", value)[0]))
    return 0


@pytest.mark.parametrize("text", ["1_0", "0x10", "\N{ARABIC-INDIC DIGIT THREE}", " 1", "1.0", "", "9" * 11, "9" * 5000])
def test_what_is_no_number(capfd: pytest.CaptureFixture[str], text: str) -> None:
    assert registered("n", "number", lib.DOCA_ARGP_TYPE_INT, take_number) == 0
    assert started("-n", text) == lib.DOCA_ERROR_INVALID_VALUE
    assert "is not a whole number" in capfd.readouterr().err
    assert not taken


@pytest.mark.parametrize(
    ("value", "number"), [("-7", "-7"), ('"-7"', "-7"), ("1.9", None), ("1.0", None), ("true", None), ("[1]", None)]
)
def test_numbers_of_a_file(tmp_path: Path, value: str, number: str | None) -> None:
    path = tmp_path / "flags.json"
    path.write_text(f'{{"doca_program_flags": {{"number": {value}}}}}')
    assert registered("n", "number", lib.DOCA_ARGP_TYPE_INT, take_number) == 0
    assert started("-j", str(path)) == (lib.DOCA_ERROR_INVALID_VALUE if number is None else 0)
    assert taken == ([] if number is None else [number])


def test_arguments_that_end_before_their_number() -> None:
    texts = [ffi.new("char[]", word) for word in (b"program", b"-h")]
    assert lib.doca_argp_start(5, ffi.new("char *[]", [texts[0], ffi.NULL])) == lib.DOCA_ERROR_INVALID_VALUE
    assert registered("t", "text") == 0
    assert started("-t", "well") == 0
    assert taken == ["well"]


@pytest.mark.parametrize("description", [b"Gr\xc3\xb6\xc3\x9fe", b"Gr\xf6\xdfe"], ids=["UTF-8", "Latin-1"])
def test_help_has_the_bytes_of_the_program(monkeypatch: pytest.MonkeyPatch, description: bytes) -> None:
    """Whatever the encoding of standard output: the interpreter that a C program starts may have chosen ASCII."""
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "ascii"))
    parser = Parser(ffi, SimpleNamespace(exit=sys.exit))
    parser.init("program", 0)
    parser._params.append(Param("s", "size", text_of(description), Kind.INT))
    with pytest.raises(SystemExit):
        parser._show_usage(True)
    assert b"  -s, --size <value>           " + description + b"\n" in written.getvalue()


@pytest.mark.parametrize("words", [("-t",), ("--text",), ("--te",), ("--help=yes",)])
def test_a_known_flag_with_too_few_or_too_many_values(words: tuple[str, ...]) -> None:
    assert registered("t", "text") == 0
    assert started(*words) == lib.DOCA_ERROR_INVALID_VALUE
    assert started("-u") == started("--unknown") == lib.DOCA_ERROR_NOT_SUPPORTED
