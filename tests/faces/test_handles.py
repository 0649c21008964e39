"""The table of handles, which C reads while Python changes it."""

from __future__ import annotations

from typing import Any

from comch_next.capi.handles import Handle, Handles


def test_what_is_found_while_it_is_dropped_is_not_kept() -> None:
    """C keeps what it has found until the count of drops changes: another thread may look in between."""
    handles = Handles()
    dropped: Any = handles.for_c()[-2]
    found: list[int] = []

    class Table(dict[int, Handle]):
        def pop(self, *args: Any) -> Any:
            found.append(dropped[0])
            return super().pop(*args)

    handles._by_tag["doca_dev"] = Table()
    handles.drop(handles.new("doca_dev", object()))
    assert len(found) == 1
    assert found[0] != dropped[0]
