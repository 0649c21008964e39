"""What traces show, drawn by `python -m comch_next timeline`."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from migrate.verify.stage import Line

_MOST = 500  # lines; a picture of more is not a picture
_TIMEOUT_S = 300


class Drawing(NamedTuple):
    """A timeline as a picture (SVG) and as text; `left_out` are the lines of the traces behind what it shows."""

    picture: str
    text: str
    left_out: int

    @property
    def width(self) -> int:
        """The width of the picture in pixels."""
        return int(ElementTree.fromstring(self.picture).get("width", "0"))


def draw(trace: Iterable[Line]) -> Drawing | None:
    """Draw the traces of a run; None where nothing happened on a channel."""
    shown = (line for line in trace if "service" in line and "handle" not in line)  # of what is opened nothing is drawn
    lines = sorted(shown, key=lambda line: int(line["t"]))
    if not lines:
        return None
    with tempfile.TemporaryDirectory(prefix="timeline-") as folder:
        traces, picture = Path(folder) / "run.jsonl", Path(folder) / "run.svg"
        traces.write_text("".join(f"{json.dumps(line)}\n" for line in lines[:_MOST]), "ascii")
        command = [sys.executable, "-m", "comch_next", "timeline", str(traces), "--svg", str(picture)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=_TIMEOUT_S)
        text = done.stdout.decode("utf-8", "replace")
        return Drawing(picture.read_text("utf-8"), text, max(0, len(lines) - _MOST))
