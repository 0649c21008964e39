"""This program's own exceptions, made from the library's codes and exceptions."""
from doca_comm_channel import (
    DOCA_ERROR_AGAIN,
    DOCA_ERROR_CONNECTION_ABORTED,
    DOCA_ERROR_CONNECTION_INPROGRESS,
    DOCA_ERROR_INVALID_VALUE,
    DOCA_SUCCESS,
    DocaError,
    doca_error_get_name,
)


class ChannelError(Exception):
    def __init__(self, where, code):
        super().__init__(f"{where}: {doca_error_get_name(code)}")
        self.code = code


class Later(ChannelError):
    """Try again."""


class Nobody(ChannelError):
    """There is no such service."""


class Mistake(ChannelError, ValueError):
    """The program's own fault."""


BY_CODE = {
    DOCA_ERROR_AGAIN: Later,
    DOCA_ERROR_CONNECTION_INPROGRESS: Later,
    DOCA_ERROR_CONNECTION_ABORTED: Nobody,
    DOCA_ERROR_INVALID_VALUE: Mistake,
}


def checked(where, result):
    """The outputs of a call, or its exception."""
    code, *outputs = result if isinstance(result, tuple) else (result,)
    if code != DOCA_SUCCESS:
        raise BY_CODE.get(code, ChannelError)(where, code)
    return outputs[0] if len(outputs) == 1 else outputs


class translated:
    """Context manager: what the library raises inside leaves as a ChannelError."""

    def __init__(self, where):
        self.where = where

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and issubclass(kind, DocaError):
            raise BY_CODE.get(error.code, ChannelError)(self.where, error.code) from error
