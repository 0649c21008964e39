"""The modern API in every order of calls, against the model; and the model by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.orders_model import budget
from tests.orders_model.machine import Orders, ThreadedOrders


@pytest.mark.timeout(budget.SECONDS + 120)
@pytest.mark.parametrize("machine", [Orders, ThreadedOrders])
def test_any_order_does_as_the_model_says(
    machine: type[Orders], runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if machine.threaded:
        monkeypatch.setenv("COMCH_PULL", "threaded")
    budget.run(machine, examples=60)
    assert list(runtime_dir.iterdir()) == []
