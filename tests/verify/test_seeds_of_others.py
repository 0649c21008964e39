"""Wrong rewrites of programs in other people's manner, of two ends, and of kinds that the seeds do not have."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from migrate.verify import report
from migrate.verify.rounds import Rounds
from migrate.verify.verdict import Verdict
from tests.verify.cases import PROGRAMS, Heard

pytestmark = pytest.mark.usefixtures("forked")


class Seed(NamedTuple):
    """A wrong rewrite of a file: `right` is there once."""

    kind: str
    program: str
    file: str
    right: str
    wrong: str


SEEDS = (
    Seed("completions", "cc_broadcast", "hub.py",
         "callbacks = self.sent, self.lost", "callbacks = self.lost, self.sent"),
    Seed("data of another task", "cc_broadcast", "hub.py", '"user_data", connection.user_data)', '"user_data", 1)'),
    Seed("back to the sender", "cc_broadcast", "hub.py", "if number != connection", "if number == connection"),
    Seed("a broadcast in another order", "cc_broadcast", "hub.py",
         "each in self.members.values()", "each in reversed(list(self.members.values()))"),
    Seed("prints behind a send", "rpc_acks", "client.py",
         "    print(remote.call(WRITE, 7, len(payload), payload))\n    print(remote.call(SUM, 7))\n",
         "    print(*(remote.call(WRITE, 7, len(payload), payload), remote.call(SUM, 7)), sep='\\n')\n"),
    Seed("bytes as they came", "cc_broadcast", "members.py", "append(data.decode())", "append(data)"),
    Seed("data of another peer", "stats_exporter", "exporter.py",
         '"user_data", self.known)', '"user_data", self.known + 1)'),
    Seed("one number for all peers", "stats_exporter", "exporter.py",
         "peer.user_data)\n            rows", "self.scrapes)\n            rows"),
    Seed("another getter", "stats_exporter", "exporter.py",
         "comch.outcome(comch.Connection.in_flight.fget, peer_addr)",
         "comch.outcome(comch.Connection.get_counter, peer_addr, comch.Counter.SENT_MESSAGES)"),
    Seed("another code", "stats_exporter", "exporter.py",
         "return comch.ErrorCode.SUCCESS", "return comch.ErrorCode.TIME_OUT"),
    Seed("an old buffer", "rpc_acks", "client.py", "payload[offset:offset + PIECE]", "payload[:PIECE]"),
    Seed("an answer too early", "rpc_acks", "service.py", "pieces % WINDOW == 0", "pieces % WINDOW == 1"),
    Seed("a text for a name", "rpc_acks", "service.py", '"destroyed", comch.code_name', '"destroyed", comch.describe'),
)  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.kind)
def test_a_wrong_rewrite_is_seen(
    tmp_path: Path, runtime_dir: Path, capfd: pytest.CaptureFixture[str], seed: Seed
) -> None:
    case = PROGRAMS[seed.program]
    sides = case.migrated(tmp_path)
    script = sides.new / seed.file
    text = script.read_text()
    assert text.count(seed.right) == 1
    script.write_text(text.replace(seed.right, seed.wrong))
    result = Rounds(Heard(case.stage(sides, runtime_dir)), pairings=[(True, True)], faults=()).result()
    assert result.verdict is Verdict.DIVERGED, report.text(result)
    assert "Traceback" not in capfd.readouterr().err
