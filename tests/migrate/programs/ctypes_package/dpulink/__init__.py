"""Messages between host and DPU."""
from .link import Link, Refused

__all__ = ["Link", "Refused"]
