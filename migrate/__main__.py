"""``python -m migrate``."""

import os
import sys

__all__ = ["main"]

_INTERRUPTED = 130  # as in migrate.cli, which is not there yet


def main() -> int:
    """Run the command; return its exit status, also if it is interrupted while it is imported."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed when Python started: what is printed is lost
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # to the end
    try:
        from migrate.cli import main as command
    except KeyboardInterrupt:
        print("python -m migrate: interrupted", file=sys.stderr)
        return _INTERRUPTED
    return command()


if __name__ == "__main__":
    sys.exit(main())
