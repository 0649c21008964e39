from .ends import Guest, Host
from .lib import ChannelError

__all__ = ["ChannelError", "Guest", "Host"]
