from . import _c


class Refused(Exception):
    """The library did not do it."""

    def __init__(self, code):
        super().__init__(_c.core.doca_get_error_string(code).decode())
        self.code = code


def check(code):
    if code:
        raise Refused(code)
