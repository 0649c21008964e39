from doca_cc import DOCA_ERROR_IN_PROGRESS, DOCA_SUCCESS, doca_error_get_name


class ParcelError(RuntimeError):
    pass


def check(rc, what, in_progress=False):
    """Raise unless rc is success, or in progress where that is one."""
    if rc == DOCA_SUCCESS or (in_progress and rc == DOCA_ERROR_IN_PROGRESS):
        return
    raise ParcelError(f"{what} failed with {doca_error_get_name(rc)}")
