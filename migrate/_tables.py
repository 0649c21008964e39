"""The old tables in the shape that this folder's modules read."""

from migrate.old_api import _tables
from migrate.old_api._tables import ALIASES, ERROR_CLASSES, RENAMES, Rename

__all__ = ["ALIASES", "CONSTANTS", "ERROR_CLASSES", "PARAMS", "RENAMES", "Rename"]

# (generation, function) -> its parameters in C order, each (name, direction)
PARAMS: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    key: tuple((name, direction) for name, direction, _ in params) for key, (_, params) in _tables.FUNCTIONS.items()
}
CONSTANTS: dict[str, int] = {name: value for (_, name), value in _tables.CONSTANTS.items()}
