"""Protocol, for type checkers alone: every start would wait for the making of two dozen of them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol as Protocol
else:
    Protocol = object

__all__ = ["Protocol"]
