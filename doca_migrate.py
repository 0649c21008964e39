"""The command ``doca-migrate``: runs migrate, unless another module of that name would be imported instead."""

import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["main"]

_OURS = Path(__file__).resolve().with_name("migrate") / "__init__.py"
_NOT_AVAILABLE = 69


def main() -> int:
    """Run migrate with the words of the command line; return its exit status."""
    spec = find_spec("migrate")
    found = Path(spec.origin).resolve() if spec is not None and spec.origin is not None else None
    if found != _OURS:
        text = f"{found or 'nothing'} is imported as migrate, not {_OURS.parent}"
        if sys.stderr is not None:  # else print would take standard output
            print(f"doca-migrate: {text}; start in another folder, or change PYTHONPATH", file=sys.stderr)
        return _NOT_AVAILABLE
    from migrate.__main__ import main as migrate

    return migrate()


if __name__ == "__main__":
    sys.exit(main())
