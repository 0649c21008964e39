"""Generation 1 in every order of calls, against the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.orders_model import budget
from tests.orders_model.endpoint_machine import EndpointOrders, ThreadedEndpointOrders


@pytest.mark.timeout(budget.SECONDS + 120)
@pytest.mark.parametrize("machine", [EndpointOrders, ThreadedEndpointOrders])
def test_any_order_does_as_the_old_guide_says(
    machine: type[EndpointOrders], runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if machine.threaded:
        monkeypatch.setenv("COMCH_PULL", "threaded")
    budget.run(machine, examples=40)
    assert list(runtime_dir.iterdir()) == []
