"""``python -m migrate``."""

import sys

__all__ = ["main"]

_INTERRUPTED = 130  # as in migrate.cli, which is not there yet


def main() -> int:
    """Run the command; return its exit status, also if it is interrupted while it is imported."""
    try:
        from migrate.cli import main as command
    except KeyboardInterrupt:
        print("python -m migrate: interrupted", file=sys.stderr)
        return _INTERRUPTED
    return command()


if __name__ == "__main__":
    sys.exit(main())
