"""A socket-like channel of the storage team: `connect(name)` and `serve(name)`, blocking send and recv."""
from netpkg.channel import connect, serve

__all__ = ["connect", "serve"]
