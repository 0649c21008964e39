"""Result codes as an enum, and what to do about each."""
import enum

import doca_comm_channel as cc


class Status(enum.IntEnum):
    OK = cc.DOCA_SUCCESS
    AGAIN = cc.DOCA_ERROR_AGAIN
    PENDING = cc.DOCA_ERROR_CONNECTION_INPROGRESS
    INVALID = cc.DOCA_ERROR_INVALID_VALUE
    RESET = cc.DOCA_ERROR_CONNECTION_RESET
    ABORTED = cc.DOCA_ERROR_CONNECTION_ABORTED
    UNKNOWN = cc.DOCA_ERROR_UNKNOWN

    @classmethod
    def _missing_(cls, value):
        return cls.UNKNOWN

    @property
    def transient(self):
        return self in (Status.AGAIN, Status.PENDING)

    def __str__(self):
        return cc.doca_error_get_name(int(self))


class Verdict(enum.Flag):
    RETRY = enum.auto()
    REPORT = enum.auto()
    LEAVE = enum.auto()


def verdict(rc):
    match Status(rc):
        case Status.OK:
            return Verdict(0)
        case Status.AGAIN | Status.PENDING:
            return Verdict.RETRY
        case Status.INVALID:
            return Verdict.REPORT
        case Status.RESET | Status.ABORTED as lost:
            return Verdict.LEAVE | (Verdict.REPORT if lost is Status.ABORTED else Verdict(0))
        case _:
            return Verdict.LEAVE | Verdict.REPORT
