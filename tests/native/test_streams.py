"""The programs of the guide that send and receive a file, on the native driver and between the two drivers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.support import block
from tests.native.faces import ENV
from tests.processes import StartPython

SIZE = 3_000_001


@pytest.mark.parametrize(("receiver", "sender"), [("native", "native"), ("native", "emulated"), ("emulated", "native")])
def test_a_file(start_python: StartPython, tmp_path: Path, receiver: str, sender: str) -> None:
    for title in ("receive_file.py", "send_file.py"):
        (tmp_path / title).write_text(block("docs/guide.md", title))
    data = (bytes(range(251)) * (SIZE // 251 + 1))[:SIZE]
    (tmp_path / "source.bin").write_bytes(data)
    receiving = start_python("receive_file.py", cwd=tmp_path, env={**ENV, "COMCH_DRIVER": receiver})
    receiving.wait_for("listening")
    env = {**ENV, "COMCH_DRIVER": sender}
    sending = start_python("send_file.py", "source.bin", cwd=tmp_path, env=env).finish()
    assert (sending.returncode, sending.stderr) == (0, "")
    assert receiving.finish() == (0, f"listening\n{SIZE} bytes received\n", "")
    assert (tmp_path / "received.bin").read_bytes() == data
