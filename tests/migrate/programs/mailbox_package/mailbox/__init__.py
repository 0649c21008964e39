"""A mailbox between the host and the DPU."""
from .errors import MailboxError, Timeout
from .message import Letter

__version__ = "0.4"
__all__ = ["Letter", "MailboxError", "Timeout", "open_mailbox"]


def open_mailbox(kind, **options):
    """A post office or a customer."""
    from .backends import BACKENDS

    return BACKENDS[kind](**options)
