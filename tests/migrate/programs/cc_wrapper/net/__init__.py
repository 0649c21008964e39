"""Talking to the other side of the card."""

from .channel import Dialer, Listener

__all__ = ["Dialer", "Listener"]
