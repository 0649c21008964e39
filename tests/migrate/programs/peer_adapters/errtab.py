"""Texts for result codes, our own where the library's are too short."""
import doca_comm_channel as cc

TEXTS = {
    cc.DOCA_SUCCESS: "success",
    cc.DOCA_ERROR_AGAIN: "try again",
    cc.DOCA_ERROR_INVALID_VALUE: "message is too big",
    cc.DOCA_ERROR_CONNECTION_ABORTED: "nobody answers",
}
LEVELS = {cc.DOCA_SUCCESS: 20, cc.DOCA_ERROR_AGAIN: 10}
SEVERITY = dict.fromkeys((cc.DOCA_ERROR_CONNECTION_RESET, cc.DOCA_ERROR_UNEXPECTED), 50)


def text(code):
    return TEXTS.get(code) or "code %d" % code


def level(code):
    return {**LEVELS, **SEVERITY}.get(code, 40)


def short(code):
    name = cc.doca_error_get_name(code)
    for prefix in ("DOCA_ERROR_", "DOCA_"):
        if name.startswith(prefix):
            return name[len(prefix):]
    return name
