"""What Python imports at its start under the launcher: it helps cffi and ctypes, then lets the next of its name run.

The environment reaches the dynamic linker and the compiler, but not what these two decide in Python. They are changed
when the program imports them; a program that does not pays nothing for it.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # every Python that the program starts comes through here, and typing takes longer than the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import FrameType, ModuleType
    from typing import Any

_FOLDERS = [folder for folder in os.environ.get("COMCH_COMPAT_LIBRARIES", "").split(os.pathsep) if folder]


def _find_ours_first(ctypes_util: Any) -> None:
    """`find_library` asks tools that do not look where the linker does, and that a machine need not have."""
    find_elsewhere = ctypes_util.find_library

    def find_library(name: str) -> str | None:
        for folder in filter(os.path.isdir, _FOLDERS):
            for file in sorted(os.listdir(folder)):
                if file.startswith(f"lib{name}.so."):
                    return file
        return find_elsewhere(name)  # type: ignore[no-any-return]

    ctypes_util.find_library = find_library


def _refuse_unknown_headers(ffiplatform: Any) -> None:
    """cffi's API mode compiles against DOCA's headers; where one is nowhere to be found, one line names the place."""
    import _thread  # which Python has without importing threading

    compile_extension, one_at_a_time = ffiplatform.compile, _thread.allocate_lock()

    class NoHeader(SystemExit, ffiplatform.VerificationError):  # type: ignore[misc]
        """Ends the program without a traceback, unless it expects cffi's own error."""

    def compile_or_refuse(tmpdir: str, extension: Any, *args: Any, **kwargs: Any) -> Any:
        lacking = _lacking_headers(extension)
        if not lacking:
            return compile_extension(tmpdir, extension, *args, **kwargs)
        # The compiler knows where it looks, and what is compiled at all. A process has one standard error.
        with one_at_a_time, _HeldStderr() as held:
            try:
                return compile_extension(tmpdir, extension, *args, **kwargs)
            except ffiplatform.VerificationError as error:
                if not held.names_one_of(lacking):
                    raise
                held.drop()
                why = f"cffi compiles against headers, and comm_channel_compat has no {', '.join(lacking)}"
                raise NoHeader(f"{_place_outside('cffi')}: {why}") from error

    ffiplatform.compile = compile_or_refuse


def _lacking_headers(extension: Any) -> list[str]:
    """DOCA's headers that sources name and the toolkit does not have; the program may bring them, or do without."""
    import re  # the compiler takes longer

    included = []
    for source in extension.sources:
        if not os.path.isfile(source):
            continue  # which the compiler says better
        with open(source, encoding="utf-8", errors="replace") as file:
            included += re.findall(r'^\s*#\s*include\s*[<"](doca_\w+\.h)', file.read(), re.MULTILINE)
    folders = os.environ.get("CPATH", "").split(os.pathsep)
    return [name for name in included if not any(os.path.exists(os.path.join(folder, name)) for folder in folders)]


class _HeldStderr:
    """Holds back what this process and the compiler write to standard error; it is written at the end, or dropped."""

    def __enter__(self) -> _HeldStderr:
        import tempfile  # cffi has it

        try:
            self._stderr: int | None = os.dup(2)
        except OSError:  # it is closed
            self._stderr = None
        self._file = tempfile.TemporaryFile()  # closed at the end of the block
        os.dup2(self._file.fileno(), 2)
        return self

    def __exit__(self, *_: object) -> None:
        with self._file:
            if self._stderr is None:
                if self._file.fileno() != 2:
                    os.close(2)
            else:
                os.dup2(self._stderr, 2)
                os.close(self._stderr)
                with open(2, "wb", closefd=False) as stderr:
                    stderr.write(self._text())

    def names_one_of(self, headers: list[str]) -> bool:
        """Whether an error is about one: it is in quotes or between colons, whatever the compiler and its language."""
        import re

        names = "|".join(map(re.escape, headers))
        return re.search(rf"(: |')({names})(: |')".encode(), self._text()) is not None

    def drop(self) -> None:
        self._file.truncate(0)

    def _text(self) -> bytes:
        self._file.seek(0)
        return self._file.read()


def _place_outside(package: str) -> str:
    """File and line of the innermost call that does not come from a package, nor from here."""
    frame = sys._getframe()
    while frame.f_back and _package_of(frame) in (package, __name__):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _package_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def _watch_ctypes(ctypes: Any) -> None:
    """Have the account of the run hold the names that a program reads from DOCA's libraries through ctypes."""
    library = ctypes.CDLL
    _watch(library, lambda opened: object.__getattribute__(opened, "_name"))
    find = library.__getitem__

    def find_watched(opened: Any, name: str) -> Any:
        return _noting(opened, name, sys._getframe(1), find) if _is_doca(vars(opened)["_name"]) else find(opened, name)

    library.__getitem__ = find_watched


def _watch_cffi(api: Any) -> None:
    """Have it hold those that are read through cffi; a library that a module made by cffi opens has no Python."""
    make = api._make_ffi_library

    def make_watched(ffi: Any, file: Any, flags: int) -> Any:
        opened, functions = make(ffi, file, flags)
        if _is_doca(file):
            _watch(type(opened), lambda _: file)
        return opened, functions

    api._make_ffi_library = make_watched


def _watch(library: Any, file_of: Callable[[Any], object]) -> None:
    """Note what is read from the libraries of a class: a name is an attribute once it has been found."""
    read, find = library.__getattribute__, library.__getattr__

    def read_watched(opened: Any, name: str) -> Any:
        value = read(opened, name)
        if not name.startswith("_") and _is_doca(file_of(opened)):
            _note(sys._getframe(1), name, True)
        return value

    def find_watched(opened: Any, name: str) -> Any:
        return _noting(opened, name, sys._getframe(1), find) if _is_doca(file_of(opened)) else find(opened, name)

    library.__getattribute__, library.__getattr__ = read_watched, find_watched


def _noting(opened: Any, name: Any, frame: FrameType, find: Callable[[Any, Any], Any]) -> Any:
    try:
        value = find(opened, name)
    except AttributeError:
        _note(frame, name, False)
        raise
    _note(frame, name, True)
    return value


def _note(frame: FrameType, name: Any, exists: bool) -> None:
    """Have the account hold a name, unless one of the packages reads it that stand between a program and C."""
    if _package_of(frame) in ("ctypes", "cffi", "comm_channel_compat", "comch_next"):
        return
    try:
        from comm_channel_compat._account import the_account  # not before: cffi, which it needs, may be half imported
    except ModuleNotFoundError as error:
        if error.name != "comm_channel_compat":
            raise
        sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
        from comm_channel_compat._account import the_account
    the_account().observed.name((frame.f_code.co_filename, frame.f_lineno), str(name), exists)


def _is_doca(file: object) -> bool:
    return isinstance(file, str) and os.path.basename(file).startswith("libdoca_")


def _end_of_report() -> None:
    """Write it again if exit functions have made calls that the program registered before it imported an old module."""
    if old_calls := sys.modules.get("comm_channel_compat._old_calls"):
        old_calls.end()


_CHANGES = {"ctypes.util": _find_ours_first, "cffi.ffiplatform": _refuse_unknown_headers}
if os.environ.get("COMCH_COMPAT_REPORT"):
    import atexit

    atexit.register(_end_of_report)
    _CHANGES |= {"ctypes": _watch_ctypes, "cffi.api": _watch_cffi}


class _Finder:
    """Changes a module of the table once it has been imported."""

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in _CHANGES:
            return None
        change = _CHANGES.pop(name)  # meanwhile: another finder may ask all of them in its turn
        try:
            return cls._changed(change, name, path, target)
        finally:
            _CHANGES[name] = change

    @classmethod
    def _changed(cls, change: Callable[[Any], None], *wanted: Any) -> ModuleSpec | None:
        for finder in sys.meta_path:
            find = None if finder is cls else getattr(finder, "find_spec", None)  # before Python 3.12 some had none
            spec = None if find is None else find(*wanted)
            if spec is not None:
                spec.loader = _Loader(spec.loader, change)
                return spec  # type: ignore[no-any-return]
        return None


class _Loader:
    """Loads a module as its own loader does, and changes it."""

    def __init__(self, loader: Any, change: Callable[[Any], None]) -> None:
        self._loader = loader
        self._change = change

    def __getattr__(self, name: str) -> Any:
        """Return what else a loader has: `python -m` asks for the code."""
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._change(module)


def _import_next() -> None:
    """Import what Python would have found under this name; the error, where there is none, is the one it expects."""
    here = os.path.dirname(__file__)
    place = sys.path.index(here)
    del sys.path[place], sys.modules[__name__]
    try:
        __import__(__name__)
    finally:
        sys.path.insert(place, here)


if _FOLDERS:
    sys.meta_path.insert(0, _Finder)
_import_next()
