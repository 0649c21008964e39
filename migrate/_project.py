"""The files of a run: those that it may rewrite and those around them, split into groups that imports connect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from migrate import _prefilter
from migrate._ignore import Ignored
from migrate.files import FileError, find, is_installed, project_of, read


@dataclass(frozen=True)
class Group:
    """Files that can share handles. `context` is read only. public: those that other projects may import."""

    files: dict[Path, bytes]
    context: dict[Path, bytes]
    public: frozenset[Path] = frozenset()


@dataclass
class Project:
    """The groups that name the old API, and what went wrong: in files that were given, and around them."""

    groups: list[Group] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
    warnings: list[FileError] = field(default_factory=list)
    seen: int = 0


Progress = Callable[[int], None]  # the number of files read so far


def load(
    paths: Sequence[Path], excluded: Sequence[Ignored] = (), *, ignore: bool = True, progress: Progress | None = None
) -> Project:
    """Find and read what some absolute paths give, and the rest of the projects that they belong to.

    What `excluded` patterns match belongs to the rest.
    """
    project = Project()
    given = find(paths, ignore=ignore)
    project.errors += given.errors
    files = {path for path in given.files.values() if path in paths or not is_excluded(path, excluded)}
    around = [path for path in given.files.values() if path not in files]
    for root, packages_only in _roots(paths):
        found = find([root], ignore=ignore, packages_only=packages_only)
        known = {error.path for error in project.errors}
        project.warnings += [error for error in found.errors if error.path not in known]
        around += [path for identity, path in found.files.items() if identity not in given.files]
    _fill(project, files, dict.fromkeys(around), progress)
    return project


def _roots(paths: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """The folders around the given paths to look through, and whether only for packages.

    A file outside of any project is read with its neighbours; as its folder may be any, only packages are entered.
    """
    roots: dict[Path, bool] = {}
    for path in paths:
        if (root := project_of(path)) is not None:
            roots[root] = False
        elif not path.is_dir():
            roots.setdefault(path.parent, True)
    yield from ((root, packages_only) for root, packages_only in roots.items() if root not in paths)


def is_excluded(path: Path, excluded: Sequence[Ignored]) -> bool:
    """Whether patterns leave a path out, by itself or by a folder above it."""
    return any(
        ignored.decides(str(step), step != path)
        for ignored in excluded
        for step in (path, *path.parents)
        if Path(ignored.folder) in step.parents
    )


def _fill(project: Project, files: set[Path], around: dict[Path, None], progress: Progress | None) -> None:
    scans: dict[Path, _prefilter.Scan] = {}
    texts: dict[Path, bytes] = {}
    for path in sorted({*files, *around}):
        try:
            data = read(path)
        except FileError as error:
            (project.errors if path in files else project.warnings).append(error)
            continue
        scans[path] = _prefilter.scan(data)
        if scans[path].is_old:
            texts[path] = data
        if progress:
            progress(len(scans))
    project.seen = len(files)
    if not texts:
        return
    from migrate._affected import affected  # here: it reads syntax, and most runs find nothing old

    old = set(texts)
    imports = _prefilter.Imports(scans)
    for paths in _prefilter.groups(affected(imports, lambda path: _text(path, texts)), imports):
        if not old.isdisjoint(paths) and not files.isdisjoint(paths):
            project.groups.append(_group(project, paths, files, texts))


def _text(path: Path, texts: dict[Path, bytes]) -> bytes:
    """Read again what named nothing old and was not kept."""
    return texts[path] if path in texts else read(path)


def _group(project: Project, paths: Sequence[Path], files: set[Path], texts: dict[Path, bytes]) -> Group:
    roots = {folder: project_of(folder) for folder in {path.parent for path in paths}}
    installed = {root for root in {*roots.values()} if root is not None and is_installed(root)}
    group = Group({}, {}, frozenset(path for path in paths if roots[path.parent] in installed))
    for path in paths:
        try:
            (group.files if path in files else group.context)[path] = _text(path, texts)
        except FileError as error:  # it has gone meanwhile
            project.errors.append(error)
    return group
