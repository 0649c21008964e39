"""The two devices have limits of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from comch_next import State
from tests.fast_path.lane import Inbox, Lane

TOPOLOGY = """
[[device]]
pci_addr = "03:00.0"
side = "dpu"
limits = { max_consumers = 3 }
representor = [{ pci_addr = "b1:00.0" }]
[[device]]
pci_addr = "b1:00.0"
side = "host"
limits = { max_consumers = 1 }
"""


def test_more_consumers_than_this_side_may_have(
    runtime_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its limit is for its own ones: the other side keeps to the other device's."""
    (tmp_path / "topology.toml").write_text(TOPOLOGY)
    monkeypatch.setenv("COMCH_TOPOLOGY", str(tmp_path / "topology.toml"))
    lane = Lane()
    others = [Inbox(lane.there.connection, lane.there.context.device) for _ in range(2)]
    lane.run()
    for inbox in others:
        inbox.consumer.start()
        lane.until(lambda: inbox.consumer.state is State.RUNNING and inbox.consumer.id in lane.news)  # noqa: B023
    assert lane.here.state is State.RUNNING
    for inbox in others:
        inbox.consumer.close()
        inbox.close()
    lane.close()
