"""LibCST's own codemod runner over a folder, changing nothing: python -m benchmarks._codemod FOLDER."""

from __future__ import annotations

import contextlib
import io
import sys

from libcst.codemod import CodemodContext, VisitorBasedCodemodCommand, gather_files
from libcst.codemod import parallel_exec_transform_with_prettyprint as run

from benchmarks._cost import report_cost


class Nothing(VisitorBasedCodemodCommand):
    """At the top of a module, since the runner's processes are told where it is."""

    DESCRIPTION = "Changes nothing"


def main() -> None:
    from benchmarks import _codemod  # as the module that other processes can import, not as __main__

    files = gather_files([sys.argv[1]])
    with contextlib.redirect_stderr(io.StringIO()):
        result = run(_codemod.Nothing(CodemodContext()), files, jobs=2, hide_progress=True)
    if result.successes != len(files):
        raise RuntimeError(f"the codemod runner failed: {result}")
    report_cost()


if __name__ == "__main__":
    main()
