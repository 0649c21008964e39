# case: numbers and names of one's own
DOCA_ERROR_AGAIN = 5


def retry(r):
    return r == 5 or r == DOCA_ERROR_AGAIN


# case: a shadowed name
def use(cc):
    cc.listen("svc")
    return cc.Again, [cc.close() for cc in cc.all]


# case: names in every place
import functools
import sys

import doca_comm_channel as cc


def retry_on(*errors):
    return functools.partial(retry_on, *errors)


@retry_on(cc.Again, cc.ConnectionInprogress)
def work(code=cc.DOCA_SUCCESS):
    if code in (cc.DOCA_ERROR_AGAIN, cc.DOCA_ERROR_CONNECTION_INPROGRESS):
        raise cc.TimeOut("late") from None
    if code == cc.DOCA_ERROR_NOT_FOUND:
        sys.exit(code)
    print(f"{cc.doca_error_get_descr(code)!r:>20}", "%s" % cc.doca_get_error_name(code))
    return cc.DOCA_SUCCESS if code < cc.DOCA_ERROR_EMPTY else {cc.DocaError: 1}

# output
import functools
import sys

import comch_next as comch


def retry_on(*errors):
    return functools.partial(retry_on, *errors)


@retry_on(comch.Again, comch.ConnectionInprogress)
def work(code=comch.ErrorCode.SUCCESS):
    if code in (comch.ErrorCode.AGAIN, comch.ErrorCode.CONNECTION_INPROGRESS):
        raise comch.TimeOut("late") from None
    if code == comch.ErrorCode.NOT_FOUND:
        sys.exit(code)
    print(f"{comch.describe(code)!r:>20}", "%s" % comch.code_name(code))
    return comch.ErrorCode.SUCCESS if code < comch.ErrorCode.EMPTY else {
        comch.DocaError: 1
    }


# case: in a match
import doca_comm_channel as cc


def tell(code):
    match code:
        case cc.DOCA_SUCCESS:
            return "done"
        case cc.DOCA_ERROR_AGAIN | cc.DOCA_ERROR_IN_PROGRESS:
            return "not yet"
        case cc.ErrorCode.TIME_OUT if code:
            raise cc.TimeOut

# output
import comch_next as comch


def tell(code):
    match code:
        case comch.ErrorCode.SUCCESS:
            return "done"
        case comch.ErrorCode.AGAIN | comch.ErrorCode.IN_PROGRESS:
            return "not yet"
        case comch.ErrorCode.TIME_OUT if code:
            raise comch.TimeOut


# case: not every constant has a successor
import doca_comm_channel as cc

level = cc.DOCA_LOG_LEVEL_INFO
flag = cc.DOCA_CC_MSG_FLAG_DONTWAIT
cc.doca_log_backend_create_standard()

# output
import doca_comm_channel as cc

level = 50
# CCM022: comch_next has no counterpart (python -m migrate explain CCM022)
flag = cc.DOCA_CC_MSG_FLAG_DONTWAIT
pass


# case: an error text in a file whose handles stay old
from doca_comm_channel import *


def send(ep, peer):
    return doca_comm_channel_ep_sendto(ep, b"m", 1, 0, peer)


def show(rc):
    print(doca_get_error_string(rc))

# output
from doca_comm_channel import *


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
def send(ep, peer):
    # CCM034: migrate cannot see where this handle comes from (python -m migrate explain CCM034)
    return doca_comm_channel_ep_sendto(ep, b"m", 1, 0, peer)


def show(rc):
    print(doca_get_error_string(rc))
