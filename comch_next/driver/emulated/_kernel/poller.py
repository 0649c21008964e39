"""The rings that are read together, in order of arrival."""

from comch_next.driver.emulated._kernel import calls

__all__ = ["Poller"]


class Poller(calls.Poller):
    """One per engine, and one per port. `links` are the connections whose rings it reads."""

    def __init__(self) -> None:
        self.follow(())

    def add(self, link: calls.Link) -> None:
        """Read this connection's ring, too."""
        self.follow((*self.links, link))

    def remove(self, link: calls.Link) -> None:
        """Stop reading the connection's ring. Idempotent."""
        if link in self.links:
            self.follow(tuple(other for other in self.links if other is not link))
