"""What --keep leaves: both sides of the program, and the output and traces of each end of each run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from migrate.verify.peers import Peer
from migrate.verify.rounds import Runner
from migrate.verify.stage import Remains
from migrate.verify.trees import Trees
from migrate.verify.verdict import Run


class Keeper:
    """A stage whose runs are kept: `old` and `new` in a folder, and in `runs` of each end output, errors and trace."""

    def __init__(self, stage: Runner, folder: Path) -> None:
        self._stage = stage
        self._folder = folder
        for new in (False, True):
            shutil.copytree(stage.trees.folder(new=new), folder / ("new" if new else "old"), symlinks=True)

    @property
    def trees(self) -> Trees:
        """Both sides of the program."""
        return self._stage.trees

    @property
    def peers(self) -> Sequence[Peer]:
        """The ends."""
        return self._stage.peers

    def run(
        self, name: str, new: Sequence[bool], faults: str = "", held: int | None = None, *, apart: bool = False
    ) -> list[Remains]:
        """Run all ends, and keep what they leave."""
        remains = self._stage.run(name, new, faults, held, apart=apart)
        folder = self._folder / "runs" / f"{name}-{Run(tuple(new)).pairing}"
        folder.mkdir(parents=True)
        for peer, left in zip(self.peers, remains, strict=True):
            (folder / f"{peer.name}.stdout").write_text(left.stdout, "utf-8")
            (folder / f"{peer.name}.stderr").write_text(left.stderr, "utf-8")
            (folder / f"{peer.name}.jsonl").write_text("".join(_traced(left)), "utf-8")
        return remains


def _traced(left: Remains) -> list[str]:
    """The lines of a trace, with places in the program relative to its folder, which is gone."""
    return [json.dumps(line).replace(f'"{left.folder}/', '"') + "\n" for line in left.trace]
