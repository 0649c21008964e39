"""The DOCA result codes as exceptions, one class per code; each extends the natural builtin too.

DocaError
├── Unknown                 RuntimeError
├── NotPermitted            PermissionError
├── InUse                   RuntimeError
├── NotSupported            NotImplementedError
├── Again                   BlockingIOError
├── InvalidValue            ValueError
├── NoMemory                MemoryError
├── Initialization          RuntimeError
├── TimeOut                 TimeoutError
├── Shutdown                BrokenPipeError
├── ConnectionReset         ConnectionResetError
├── ConnectionAborted       ConnectionAbortedError
├── ConnectionInprogress    BlockingIOError
├── NotConnected            ConnectionError
├── NoLock                  OSError
├── NotFound                LookupError
├── IoFailed                OSError
├── BadState                RuntimeError
├── UnsupportedVersion      RuntimeError
├── OperatingSystem         OSError
├── Driver                  RuntimeError
├── Unexpected              RuntimeError
├── AlreadyExist            FileExistsError
├── Full                    RuntimeError
├── Empty                   LookupError
├── InProgress              BlockingIOError
├── TooBig                  ValueError
├── Authentication          PermissionError
├── BadConfig               ValueError
└── Skipped                 RuntimeError
"""

from __future__ import annotations

import errno as _errno
from typing import Any

from comch_next._codes import MEANINGS, ErrorCode

__all__ = [
    "Again",
    "AlreadyExist",
    "Authentication",
    "BadConfig",
    "BadState",
    "ConnectionAborted",
    "ConnectionInprogress",
    "ConnectionReset",
    "DocaError",
    "Driver",
    "Empty",
    "ErrorCode",
    "Full",
    "InProgress",
    "InUse",
    "Initialization",
    "InvalidValue",
    "IoFailed",
    "NoLock",
    "NoMemory",
    "NotConnected",
    "NotFound",
    "NotPermitted",
    "NotSupported",
    "OperatingSystem",
    "Shutdown",
    "Skipped",
    "TimeOut",
    "TooBig",
    "Unexpected",
    "Unknown",
    "UnsupportedVersion",
    "code_name",
    "code_names",
    "describe",
    "from_code",
]

_NO_CODE = "unknown error"


def code_name(code: int) -> str:
    """Return the C name of a result code, such as ``"DOCA_ERROR_AGAIN"`` or ``"DOCA_SUCCESS"``.

    An unknown number has a fixed text, as in C (doca_error_get_name).
    """
    if not isinstance(code, int) or code not in MEANINGS:
        return _NO_CODE
    return f"DOCA_ERROR_{ErrorCode(code).name}" if code else "DOCA_SUCCESS"


def code_names() -> dict[str, ErrorCode]:
    """Return every result code by its C name, in the order of the names."""
    return dict(sorted((code_name(code), code) for code in ErrorCode))


def describe(code: int) -> str:
    """Return a short description of a result code; a fixed text for an unknown number (C: doca_error_get_descr)."""
    if not isinstance(code, int) or code not in MEANINGS:
        return _NO_CODE
    return MEANINGS[ErrorCode(code)]


class DocaError(Exception):
    """The failure of a DOCA call; there is a subclass for each result code.

    ``code`` is the DOCA number, ``errno`` the system's number for the same situation where there is one,
    ``connection`` the connection concerned and ``length`` the size in bytes that would have been needed.
    """

    code: ErrorCode = ErrorCode.UNKNOWN
    errno: int | None = None
    connection: Any = None
    length: int | None = None

    def __init__(
        self,
        message: str = "",
        *,
        connection: Any = None,
        length: int | None = None,
        errno: int | None = None,
    ) -> None:
        # Programs poll, so this runs for every AGAIN: what keeps its default is not set.
        self.message = message = message or describe(self.code)
        if connection is not None:
            self.connection = connection
        if length is not None:
            self.length = length
        if errno is not None:
            self.errno = errno
        if self._is_os_error:
            # With both arguments errno and strerror are what `except OSError` code expects.
            super().__init__(self.errno, message)
        else:
            super().__init__(message)

    _is_os_error = False

    def __init_subclass__(cls) -> None:
        cls._is_os_error = issubclass(cls, OSError)
        if cls.__doc__ is None:
            cls.__doc__ = f"{MEANINGS[cls.code].capitalize()} ({code_name(cls.code)}, {cls.code})."

    @property
    def name(self) -> str:
        """The C name of the code, such as ``"DOCA_ERROR_AGAIN"``."""
        return code_name(self.code)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # A connection is a live handle of this process: an error that travels to another one goes without it.
        state = {key: value for key, value in self.__dict__.items() if key != "connection"}
        return type(self), (self.message,), state


class Unknown(DocaError, RuntimeError):
    code = ErrorCode.UNKNOWN


class NotPermitted(DocaError, PermissionError):
    code = ErrorCode.NOT_PERMITTED
    errno = _errno.EPERM


class InUse(DocaError, RuntimeError):
    code = ErrorCode.IN_USE


class NotSupported(DocaError, NotImplementedError):
    code = ErrorCode.NOT_SUPPORTED


class Again(DocaError, BlockingIOError):
    code = ErrorCode.AGAIN
    errno = _errno.EAGAIN


class InvalidValue(DocaError, ValueError):
    code = ErrorCode.INVALID_VALUE


class NoMemory(DocaError, MemoryError):
    code = ErrorCode.NO_MEMORY


class Initialization(DocaError, RuntimeError):
    code = ErrorCode.INITIALIZATION


class TimeOut(DocaError, TimeoutError):
    code = ErrorCode.TIME_OUT
    errno = _errno.ETIMEDOUT


class Shutdown(DocaError, BrokenPipeError):
    code = ErrorCode.SHUTDOWN
    errno = _errno.EPIPE


class ConnectionReset(DocaError, ConnectionResetError):
    code = ErrorCode.CONNECTION_RESET
    errno = _errno.ECONNRESET


class ConnectionAborted(DocaError, ConnectionAbortedError):
    code = ErrorCode.CONNECTION_ABORTED
    errno = _errno.ECONNABORTED


class ConnectionInprogress(DocaError, BlockingIOError):
    code = ErrorCode.CONNECTION_INPROGRESS
    errno = _errno.EINPROGRESS


class NotConnected(DocaError, ConnectionError):
    code = ErrorCode.NOT_CONNECTED
    errno = _errno.ENOTCONN


class NoLock(DocaError, OSError):
    code = ErrorCode.NO_LOCK
    errno = _errno.ENOLCK


class NotFound(DocaError, LookupError):
    code = ErrorCode.NOT_FOUND


class IoFailed(DocaError, OSError):
    code = ErrorCode.IO_FAILED
    errno = _errno.EIO


class BadState(DocaError, RuntimeError):
    code = ErrorCode.BAD_STATE


class UnsupportedVersion(DocaError, RuntimeError):
    code = ErrorCode.UNSUPPORTED_VERSION


class OperatingSystem(DocaError, OSError):
    code = ErrorCode.OPERATING_SYSTEM  # errno is that of the call that failed, so it comes with the instance


class Driver(DocaError, RuntimeError):
    code = ErrorCode.DRIVER


class Unexpected(DocaError, RuntimeError):
    code = ErrorCode.UNEXPECTED


class AlreadyExist(DocaError, FileExistsError):
    code = ErrorCode.ALREADY_EXIST
    errno = _errno.EEXIST


class Full(DocaError, RuntimeError):
    code = ErrorCode.FULL


class Empty(DocaError, LookupError):
    code = ErrorCode.EMPTY


class InProgress(DocaError, BlockingIOError):
    code = ErrorCode.IN_PROGRESS
    errno = _errno.EINPROGRESS


class TooBig(DocaError, ValueError):
    code = ErrorCode.TOO_BIG


class Authentication(DocaError, PermissionError):
    code = ErrorCode.AUTHENTICATION
    errno = _errno.EACCES


class BadConfig(DocaError, ValueError):
    code = ErrorCode.BAD_CONFIG


class Skipped(DocaError, RuntimeError):
    code = ErrorCode.SKIPPED


_CLASSES: dict[int, type[DocaError]] = {cls.code: cls for cls in DocaError.__subclasses__()}


def from_code(code: int, message: str = "", **details: Any) -> DocaError:
    """Return the exception for a result code; `details` are the keywords of DocaError.

    A number that no table has, as a newer library may return, becomes Unknown with that number in its message.
    """
    if code == ErrorCode.SUCCESS:
        raise ValueError("DOCA_SUCCESS is not an error: there is no exception for it")
    if (kind := _CLASSES.get(code)) is None:
        return Unknown(f"{message or describe(ErrorCode.UNKNOWN)} (code {code}, in no table)", **details)
    return kind(message, **details)
