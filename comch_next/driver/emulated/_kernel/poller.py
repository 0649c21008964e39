"""The rings that are read together, in order of arrival."""

from comch_next.driver.emulated._kernel import calls

__all__ = ["Poller"]


class Poller(calls.Poller):
    """One per engine, and one per port. `links` are the connections whose rings it reads."""

    def __init__(self) -> None:
        self.follow(())

    # What makes a tuple may start the collector, and what that finalizes may end a connection: then it is made again.

    def add(self, link: calls.Link) -> None:
        """Read this connection's ring, too. Idempotent."""
        while link not in (links := self.links):
            more = (*links, link)
            if self.links is links:
                self.follow(more)

    def remove(self, link: calls.Link) -> None:
        """Stop reading the connection's ring. Idempotent."""
        while link in (links := self.links):
            rest = tuple(other for other in links if other is not link)
            if self.links is links:
                self.follow(rest)
