"""What may go wrong, without the channel's own names."""
from contextlib import contextmanager

from doca_comm_channel import DocaError


class MailboxError(Exception):
    """Anything the channel did not like."""

    def __init__(self, what, code=None):
        super().__init__(what)
        self.code = code


class Timeout(MailboxError):
    """Nobody answered."""


@contextmanager
def translated(what):
    """Turn the channel's errors into ours."""
    try:
        yield
    except DocaError as error:
        raise MailboxError(f"{what}: {error.name}", int(error.code)) from error
