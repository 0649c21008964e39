"""One class per result code: its number, its builtin, its errno, its words, its way to another process."""

from __future__ import annotations

import copy
import errno
import pickle
import re

import pytest

from comch_next import errors
from comch_next.errors import DocaError, ErrorCode

CODES = [code for code in ErrorCode if code]
BUILTINS = {
    "Unknown": RuntimeError,
    "NotPermitted": PermissionError,
    "InUse": RuntimeError,
    "NotSupported": NotImplementedError,
    "Again": BlockingIOError,
    "InvalidValue": ValueError,
    "NoMemory": MemoryError,
    "Initialization": RuntimeError,
    "TimeOut": TimeoutError,
    "Shutdown": BrokenPipeError,
    "ConnectionReset": ConnectionResetError,
    "ConnectionAborted": ConnectionAbortedError,
    "ConnectionInprogress": BlockingIOError,
    "NotConnected": ConnectionError,
    "NoLock": OSError,
    "NotFound": LookupError,
    "IoFailed": OSError,
    "BadState": RuntimeError,
    "UnsupportedVersion": RuntimeError,
    "OperatingSystem": OSError,
    "Driver": RuntimeError,
    "Unexpected": RuntimeError,
    "AlreadyExist": FileExistsError,
    "Full": RuntimeError,
    "Empty": LookupError,
    "InProgress": BlockingIOError,
    "TooBig": ValueError,
    "Authentication": PermissionError,
    "BadConfig": ValueError,
    "Skipped": RuntimeError,
}
ERRNOS = {
    "NotPermitted": errno.EPERM,
    "Again": errno.EAGAIN,
    "TimeOut": errno.ETIMEDOUT,
    "Shutdown": errno.EPIPE,
    "ConnectionReset": errno.ECONNRESET,
    "ConnectionAborted": errno.ECONNABORTED,
    "ConnectionInprogress": errno.EINPROGRESS,
    "NotConnected": errno.ENOTCONN,
    "NoLock": errno.ENOLCK,
    "IoFailed": errno.EIO,
    "AlreadyExist": errno.EEXIST,
    "InProgress": errno.EINPROGRESS,
    "Authentication": errno.EACCES,
}


def test_there_is_a_class_for_every_code_and_the_tree_shows_it() -> None:
    assert [type(errors.from_code(code)).__name__ for code in CODES] == list(BUILTINS)
    drawn = re.findall(r"[├└]── (\w+) +(\w+)", errors.__doc__ or "")
    assert drawn == [(name, builtin.__name__) for name, builtin in BUILTINS.items()]


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.name)
def test_an_error_is_its_builtin_too(code: ErrorCode) -> None:
    error = errors.from_code(code, "what was attempted")
    name = type(error).__name__
    assert isinstance(error, DocaError)
    assert isinstance(error, BUILTINS[name])
    assert (error.code, error.errno, str(error)) == (code, ERRNOS.get(name), "what was attempted")
    assert error.name == f"DOCA_ERROR_{code.name}"


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.name)
def test_an_error_goes_to_another_process_without_its_connection(code: ErrorCode) -> None:
    error = errors.from_code(code, "told", connection=object(), length=7)
    error.note = "kept"  # type: ignore[attr-defined]
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert isinstance(other, DocaError)
        assert (str(other), other.code, other.errno, other.length) == ("told", code, error.errno, 7)
        assert (other.connection, vars(other)["note"]) == (None, "kept")


def test_details_are_attributes() -> None:
    connection = object()
    error = errors.ConnectionReset("peer died", connection=connection, length=3)
    assert (error.connection, error.length) == (connection, 3)
    assert (errors.Again().connection, errors.Again().length) == (None, None)


def test_an_error_without_words_says_its_meaning() -> None:
    assert str(errors.Again()) == errors.describe(ErrorCode.AGAIN) == "no room or nothing yet, retry"


def test_a_system_call_that_failed_lends_its_errno() -> None:
    error = errors.OperatingSystem("memfd_create failed", errno=errno.EMFILE)
    assert (error.errno, error.strerror, errors.OperatingSystem().errno) == (
        errno.EMFILE,
        "memfd_create failed",
        None,
    )
    assert pickle.loads(pickle.dumps(error)).errno == errno.EMFILE
    assert errors.from_code(ErrorCode.OPERATING_SYSTEM, errno=errno.EIO).errno == errno.EIO


def test_success_is_no_error() -> None:
    with pytest.raises(ValueError, match="DOCA_SUCCESS is not an error"):
        errors.from_code(0)


def test_a_code_of_a_later_library_is_told_by_its_number() -> None:
    error = errors.from_code(99, "start failed", length=1)
    assert type(error) is errors.Unknown
    assert str(error) == "start failed (code 99, in no table)"
    assert str(errors.from_code(99)) == "unclassified (code 99, in no table)"


def test_names_and_meanings_of_codes() -> None:
    assert errors.code_name(5) == "DOCA_ERROR_AGAIN"
    assert errors.code_name(0) == "DOCA_SUCCESS"
    assert errors.describe(0) == "done"
    assert errors.code_name(99) == errors.describe(99) == "unknown error"
    assert errors.describe(-1) == "unknown error"


def test_every_code_by_its_name() -> None:
    names = errors.code_names()
    assert list(names) == sorted(names)
    assert {code: name for name, code in names.items()} == {code: errors.code_name(code) for code in ErrorCode}


def test_a_class_of_ones_own_keeps_its_code() -> None:
    class Mine(errors.BadState):
        pass

    assert Mine("x").code is ErrorCode.BAD_STATE
    assert type(errors.from_code(ErrorCode.BAD_STATE)) is errors.BadState


def test_a_code_is_formatted_as_its_number() -> None:
    assert f"{ErrorCode.AGAIN:d} {ErrorCode.AGAIN:03} {ErrorCode.AGAIN} {ErrorCode.AGAIN!r}" == "5 005 5 5"
