"""A key-value store behind a channel: on the DPU `make_server`, on the host `make_client`."""
from .factory import make_client, make_server
from .protocol import Reply, Request

__all__ = ["Reply", "Request", "make_client", "make_server"]
