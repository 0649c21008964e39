"""``python -m migrate``."""

import sys

if __name__ == "__main__":
    try:
        from migrate.cli import main
    except KeyboardInterrupt:
        sys.exit("python -m migrate: interrupted")
    sys.exit(main())
