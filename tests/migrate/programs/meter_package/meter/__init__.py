"""A meter: services on the DPU answer the host's questions; what they answer is plugins."""
from .settings import Settings

__all__ = ["Settings"]
