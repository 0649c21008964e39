"""What the program has dropped may lie in circles: it counts until it is collected."""

import gc

from comch_next.driver.protocol._signals import uninterrupted

__all__ = ["collect_garbage"]

# Signals wait: what a handler raises in a finalizer of the program's would be lost.
collect_garbage = uninterrupted(gc.collect)
