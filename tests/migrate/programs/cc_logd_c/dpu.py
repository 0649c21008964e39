"""Thin classes around the C names of DOCA 2.5."""

import os

from doca_cc import *

DEFAULT_LOG_DEPTH = 3


class DocaFailure(Exception):
    def __init__(self, call, code):
        Exception.__init__(self, "%s: %s" % (call, doca_error_get_name(code)))
        self.code = code


def must(code, call):
    if code != DOCA_SUCCESS:
        raise DocaFailure(call, code)


def log_depth(default=DEFAULT_LOG_DEPTH):
    """The depth of the queue as a log2, as the configuration has it."""
    return int(os.environ.get("LOGD_DEPTH", default))


class Loop(object):
    def __init__(self):
        code, self.handle = doca_pe_create()
        must(code, "doca_pe_create")

    def turn(self):
        return doca_pe_progress(self.handle)

    def drain(self, ctx):
        code, state = doca_ctx_get_state(ctx)
        while state != DOCA_CTX_STATE_IDLE:
            self.turn()
            code, state = doca_ctx_get_state(ctx)
        must(code, "doca_ctx_get_state")

    def close(self):
        must(doca_pe_destroy(self.handle), "doca_pe_destroy")


class Card(object):
    def __init__(self, bdf):
        code, infos, count = doca_devinfo_list_create()
        must(code, "doca_devinfo_list_create")
        self.dev = None
        for i in range(count):
            code, same = doca_devinfo_get_is_pci_addr_equal(infos[i], bdf)
            if code == DOCA_SUCCESS and same == 1:
                code, self.dev = doca_dev_open(infos[i])
                must(code, "doca_dev_open")
        doca_devinfo_list_destroy(infos)
        if self.dev is None:
            raise DocaFailure("card " + bdf, DOCA_ERROR_NOT_FOUND)

    def representor(self):
        code, reps, count = doca_devinfo_rep_list_create(self.dev, DOCA_DEV_REP_FILTER_NET)
        must(code, "doca_devinfo_rep_list_create")
        code, rep = doca_dev_rep_open(reps[0])
        must(code, "doca_dev_rep_open")
        doca_devinfo_rep_list_destroy(reps)
        return rep

    def close(self):
        must(doca_dev_close(self.dev), "doca_dev_close")


def counters(connection):
    must(doca_cc_connection_update_info(connection), "update_info")
    values = []
    for which in (
        DOCA_CC_COUNTER_SENT_MESSAGES,
        DOCA_CC_COUNTER_SENT_BYTES,
        DOCA_CC_COUNTER_RECV_MESSAGES,
        DOCA_CC_COUNTER_RECV_BYTES,
    ):
        code, value = doca_cc_connection_get_counter(connection, which)
        must(code, "get_counter")
        values.append(value)
    return values
