"""The command line that Python was started with: what stood before our own words."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing alone would take longer than the launcher
if TYPE_CHECKING:
    from collections.abc import Sequence


_SCRIPT = "comm-channel-run"  # the installed command


def is_running(package: str) -> bool:
    """Whether a package is imported only because ``python -m``, or the command, is about to run its ``__main__``."""
    # While Python looks for the module, "-m" stands first in argv; the word before our own then names the module.
    argv = getattr(sys, "argv", [])
    if argv and argv[0].endswith(f"/{_SCRIPT}"):
        return True
    return argv[:1] == ["-m"] and _module_option(sys.orig_argv[-len(argv)], package) is not None


def interpreter_options(original: Sequence[str], argv: Sequence[str], package: str) -> list[str]:
    """What stood on the command line between Python and ``-m package``."""
    *options, last = original[1 : len(original) - len(argv[1:])]
    option = None if last == argv[0] else _module_option(last, package)
    if option is None:
        return options  # the folder itself was run, or the command
    if not option:
        option = options.pop()
    option = option.removesuffix("m")
    return options if option == "-" else [*options, option]


def _module_option(word: str, package: str) -> str | None:
    """What stands before a package's name in the word that names the module to run; None if another module is run."""
    name = word.removesuffix(".__main__")
    if name == package:
        return ""  # "-m", or options joined to it as in "-Bm", is a word of its own
    joined = name.removesuffix(package)
    return joined if joined != name and joined.startswith("-") and joined.endswith("m") else None
