"""[tool.migrate] in pyproject.toml: settings of a project, which options of the command line override."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from migrate.files import FileError, read


class ConfigError(Exception):
    """An invalid pyproject.toml; the message names the file and the key."""


@dataclass(frozen=True)
class Config:
    """The settings; a field is a key of the table. `folder` is where the file lies, and no key."""

    exclude: tuple[str, ...] = ()
    unsafe: bool = False
    idioms: bool = False
    jobs: int | None = None
    width: int | None = None
    folder: Path = Path()


_KINDS = {"exclude": list, "unsafe": bool, "idioms": bool, "jobs": int, "width": int}
_WANTED = {list: "a list of texts", bool: "true or false", int: "a number above 0"}
assert [field.name for field in fields(Config)] == [*_KINDS, "folder"]


def load(paths: Sequence[Path]) -> Config:
    """Read the nearest pyproject.toml at or above all of some absolute paths; without one, nothing is set."""
    start = Path(os.path.commonpath([path if path.is_dir() else path.parent for path in paths]))
    for folder in (start, *start.parents):
        if (folder / "pyproject.toml").is_file():
            return _read(folder / "pyproject.toml")
    return Config(folder=start)


def _read(path: Path) -> Config:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        document = tomllib.loads(read(path).decode())
    except (FileError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {getattr(error, 'message', error)}") from error
    table = document.get("tool", {}).get("migrate", {})
    for key, value in table.items():
        if key not in _KINDS:
            raise ConfigError(f"{path}: [tool.migrate] has no key {key}; its keys are {', '.join(_KINDS)}")
        if not _fits(value, _KINDS[key]):
            raise ConfigError(f"{path}: {key} in [tool.migrate] must be {_WANTED[_KINDS[key]]}")
    return _config(table, path.parent)


def _fits(value: object, kind: type) -> bool:
    if type(value) is not kind:
        return False
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return kind is not int or (isinstance(value, int) and value > 0)


def _config(table: Mapping[str, object], folder: Path) -> Config:
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return Config(**values, folder=folder)  # type: ignore[arg-type]
