"""Who may import whom: the arrows of the house, held over every module of the project."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TypeGuard

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("comch_next", "comm_channel_compat", "migrate")
HOUSES = (*PACKAGES, "benchmarks", "samples_legacy", "samples_new", "tools")
PROJECT = (*HOUSES, "tests")
SCRIPTS = ("samples_legacy", "samples_new")  # started by path: one imports another of its folder by the bare name

FACTS = ("comch_next.errors", "comch_next.api", "comch_next._codes")
DRIVER = ("comch_next.driver.protocol", *FACTS)
DRIVERS = ("comch_next.driver.emulated", "comch_next.driver.native")
_STOREYS = ("comch_next.driver.emulated._fabric", "comch_next.driver.emulated._kernel")

# Importer -> (what it may import, what of that it may not); the longest name that fits a module decides.
# Underscored modules of another package are never allowed, so naming a package means its public names.
ARROWS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "comch_next._codes": ((), ()),
    "comch_next.api": (("comch_next.api",), ()),
    "comch_next.declarations": ((), ()),
    "comch_next.errors": (("comch_next._codes",), ()),
    "comch_next.driver": (("comch_next.driver", *FACTS), DRIVERS),
    "comch_next.driver.emulated": (("comch_next.driver.emulated", *DRIVER), ()),
    "comch_next.driver.emulated._fabric": ((*_STOREYS, *DRIVER), ()),
    "comch_next.driver.emulated._kernel": ((_STOREYS[-1], *DRIVER), ()),
    "comch_next.driver.native": (("comch_next.driver.native", *DRIVER), ()),
    "comch_next.capi": (("comch_next",), ()),
    "comch_next": (("comch_next",), (*DRIVERS, "comch_next.capi")),
    "comm_channel_compat.capi": (("comm_channel_compat", "comch_next"), ("comch_next.driver",)),
    "comm_channel_compat": (
        ("comm_channel_compat", "comch_next"),
        ("comm_channel_compat.capi", "comch_next.capi", "comch_next.driver"),
    ),
    "migrate.python": (("migrate.python",), ()),
    "migrate.old_api": (("migrate.old_api", "migrate.python"), ()),
    "migrate.facts": (("migrate.facts", "migrate.old_api", "migrate.python"), ()),
    "migrate.bindings": (
        ("migrate.bindings", "migrate.facts", "migrate.old_api", "migrate.python", "migrate.text"),
        (),
    ),
    "migrate.successors": (
        (
            "migrate.successors",
            "migrate.bindings",
            "migrate.facts",
            "migrate.old_api",
            "migrate.python",
            "migrate.text.pieces",
        ),
        (),
    ),
    "migrate.text": (("migrate.text", "migrate.python", "migrate.outcome"), ()),
    "migrate.rules": (
        (
            "migrate.rules",
            "migrate.facts",
            "migrate.old_api",
            "migrate.python",
            "migrate.text.builtin_names",
            "migrate.text.code",
        ),
        (),
    ),
    "migrate.evidence": (
        (
            "migrate.evidence",
            "migrate.codes",
            "migrate.facts",
            "migrate.old_api",
            "migrate.python",
            "migrate.text.pieces",
        ),
        (),
    ),
    "migrate": (("migrate",), ()),
    "samples_new": (("samples_new", "comch_next"), ("comch_next.driver", "comch_next.capi")),
    "samples_legacy": (("samples_legacy",), ()),
    "benchmarks": (("benchmarks", "comch_next", "comm_channel_compat", "tools"), ()),
    "tools": (("tools", "comch_next", "comm_channel_compat", "migrate", "tests"), ()),
}

# tomllib came with Python 3.11, annotationlib with 3.14; each is asked for only from there on
STANDARD = sys.stdlib_module_names | {"annotationlib", "tomllib"}

# What each house may take from outside; pyproject.toml names all of it as a dependency. Samples take nothing.
OUTSIDE: dict[str, set[str]] = {
    "benchmarks": {"cffi", "iceoryx2", "libcst", "packaging", "pynng", "rich", "zmq"},
    "comch_next": {"cffi", "packaging", "tomli"},
    "comch_next.driver.native._declared": {"_cffi_backend"},  # cffi's own compiled part: cffi has generated the module
    "comm_channel_compat": {"cffi"},
    "migrate": {"packaging", "rich", "tomli"},
    "migrate.text": {"libcst"},
    "samples_legacy": {"cffi", "doca_comm_channel", "doca_cc"},
    "tools": {"rich", "tomli", "mkdocs", "mkdocstrings"},
}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules() -> list[Path]:
    found = (path for house in HOUSES for path in sorted((ROOT / house).rglob("*.py")))
    return [path for path in found if not path.name.endswith(".case.py")]


def stubs() -> list[Path]:
    """What stands for the compiled modules."""
    return [path for house in HOUSES for path in sorted((ROOT / house).rglob("*.pyi"))]


def exists(name: str) -> bool:
    """Whether a dotted name is a module of the project; a compiled one has only a stub or a .so."""
    base = ROOT.joinpath(*name.split("."))
    return base.is_dir() or base.with_suffix(".py").exists() or any(base.parent.glob(f"{base.name}.*"))


def is_type_checking(node: ast.AST) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def drop_typing_extensions(tree: ast.Module) -> Iterator[ast.AST]:
    """Every node but imports of typing_extensions under TYPE_CHECKING: type checkers bring it themselves."""
    checking = [inner for node in ast.walk(tree) if is_type_checking(node) for inner in node.body]
    dropped = {node for node in checking if isinstance(node, ast.ImportFrom) and node.module == "typing_extensions"}
    return (node for node in ast.walk(tree) if node not in dropped)


def run_on_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that wait for a call, or are there for type checkers alone."""
    for node in tree.orelse if is_type_checking(tree) else ast.iter_child_nodes(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield node
            yield from run_on_import(node)


def imports(
    path: Path, nodes_of: Callable[[ast.Module], Iterable[ast.AST]] = drop_typing_extensions
) -> Iterator[tuple[str, int]]:
    """Every imported dotted name with its line: the module, or the module's submodule or private name."""
    package = path.relative_to(ROOT).parent.parts
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            source = ".".join((*above, *((node.module,) if node.module else ())))
            for alias in node.names:
                full = f"{source}.{alias.name}"
                inner = source.split(".")[0] in PROJECT and (alias.name.startswith("_") or exists(full))
                yield (full if inner else source), node.lineno


def within(name: str, prefixes: tuple[str, ...]) -> bool:
    return any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes)


def objection(importer: str, imported: str) -> str | None:
    """Why an arrow must not be there, or None."""
    house = importer.split(".")[0]
    if house in SCRIPTS and exists(beside := f"{importer.rpartition('.')[0]}.{imported}"):
        imported = beside
    target = imported.split(".")[0]
    if target not in PROJECT:
        taken = {package for owner, packages in OUTSIDE.items() if within(importer, (owner,)) for package in packages}
        return None if target in STANDARD | taken else f"{house} takes nothing from {target}"
    allowed, barred = ARROWS[max((each for each in ARROWS if within(importer, (each,))), key=len)]
    # An importer reaches what it lives in: a barred package may import itself.
    barred = tuple(each for each in barred if not within(importer, (each,)))
    if not within(imported, allowed) or within(imported, barred):
        return "there is no such arrow"
    if house != target and any(part.startswith("_") and not part.endswith("__") for part in imported.split(".")):
        return f"it is private to {target}"
    return None


@pytest.mark.parametrize("path", modules(), ids=lambda path: module_name(path))
def test_imports_follow_the_arrows(path: Path) -> None:
    importer = module_name(path)
    faults = [
        f"line {line}: {importer} -> {imported}: {told}"
        for imported, line in imports(path)
        if (told := objection(importer, imported))
    ]
    assert not faults


def graph(
    package: str, nodes_of: Callable[[ast.Module], Iterable[ast.AST]] = drop_typing_extensions
) -> dict[str, set[str]]:
    """Module -> the modules of the same package that it imports, those for types alone included."""
    inside = {module_name(path): path for path in (*modules(), *stubs()) if within(module_name(path), (package,))}
    return {
        importer: {
            max((module for module in inside if within(imported, (module,))), key=len)
            for imported, _ in imports(path, nodes_of)
            if within(imported, (package,))
        }
        - {importer}
        for importer, path in inside.items()
    }


def test_the_emulated_library_has_no_circle_of_modules() -> None:
    TopologicalSorter(graph("comch_next.driver.emulated")).prepare()  # a CycleError shows the circle


@pytest.mark.parametrize("package", PACKAGES)
def test_no_import_leads_back_to_its_importer(package: str) -> None:
    """Public nouns hand each other out, as a connection its client, so their annotations name each other."""
    TopologicalSorter(graph(package, run_on_import)).prepare()


def test_imports_that_run_are_told_from_the_others() -> None:
    assert "comch_next.device" in graph("comch_next", run_on_import)["comch_next.client"]
    assert "comch_next._control" not in graph("comch_next", run_on_import)["comch_next._peer"]
    assert "comch_next._threaded" not in graph("comch_next", run_on_import)["comch_next.pull"]


def test_imports_for_types_alone_count_as_well() -> None:
    assert "comch_next._control" in graph("comch_next")["comch_next._peer"]


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("comch_next.engine", "comch_next.driver.emulated"),
        ("comch_next.driver.emulated._engine", "comch_next.engine"),
        ("comch_next.driver.emulated._engine", "comch_next.driver.native._engine"),
        ("comch_next.driver.emulated._fabric.greeting", "comch_next.driver.emulated._server"),
        ("comch_next.driver.emulated._fabric.greeting", "comch_next.driver.emulated"),
        ("comch_next.driver.emulated._kernel.ring", "comch_next.driver.emulated._fabric.bells"),
        ("comch_next.errors", "comch_next.api"),
        ("comch_next.pull", "comm_channel_compat"),
        ("comm_channel_compat.endpoint", "comch_next._codes"),
        ("comm_channel_compat.endpoint", "comch_next.driver.emulated"),
        ("comm_channel_compat.endpoint", "comch_next.errors._CLASSES"),
        ("migrate.rewriting", "comch_next.api"),
        ("migrate.rules.gen1.sendto", "comm_channel_compat"),
        ("migrate.rules.gen1.sendto", "numpy"),
        ("migrate.facts.handles", "libcst"),
        ("migrate.rules.gen1.sendto", "migrate.text.render"),
        ("migrate.facts.handles", "migrate.rules.gen1.sendto"),
        ("migrate.facts.handles", "migrate.evidence.runs"),
        ("migrate.old_api.vocabulary", "migrate.facts.program"),
        ("migrate.python.values", "migrate.old_api.vocabulary"),
        ("samples_new.hello_client", "comm_channel_compat"),
        ("samples_new.bulk_transfer_client", "numpy"),
        ("samples_legacy.hello_client", "comch_next"),
        ("samples_legacy.hello_client", "channel"),
        ("samples_legacy.with_cffi.hello_client", "hello_service_of_another_folder"),
        ("tools.demo", "bulk_transfer_common"),
        ("comch_next.engine", "tests.processes"),
    ],
)
def test_a_wrong_arrow_is_refused(importer: str, imported: str) -> None:
    assert objection(importer, imported)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("comch_next.engine", "comch_next.driver.protocol"),
        ("comch_next.driver.emulated._engine", "comch_next.driver.emulated._kernel.ring"),
        ("comch_next.driver.emulated._fabric.status", "comch_next.driver.emulated._kernel.ring"),
        ("comch_next.driver.emulated._engine", "comch_next._codes"),
        ("comch_next.capi", "comch_next.driver.emulated"),
        ("comm_channel_compat.endpoint", "comch_next.pull"),
        ("comm_channel_compat.endpoint", "comch_next.__version__"),
        ("comm_channel_compat.capi", "comch_next.capi"),
        ("migrate.rules.gen1.sendto", "migrate.facts.program"),
        ("migrate.evidence.proofs", "migrate.codes"),
        ("samples_legacy.hello_client", "doca_comm_channel"),
        ("samples_new.bulk_transfer_client", "bulk_transfer_common"),
    ],
)
def test_a_right_arrow_is_not(importer: str, imported: str) -> None:
    assert objection(importer, imported) is None
