"""Ways to import an old name beside the statement: what `importlib` documents for lazy and direct imports."""

from __future__ import annotations

import pytest

from tests.processes import StartPython

LAUNCH = ("-m", "comm_channel_compat", "run", "-c")
FOUND = """\
import importlib.util, sys
spec = importlib.util.find_spec({name!r})
{how}
assert module.__name__ == {name!r} and not hasattr(module, "doca_nothing")
import {name}
print(module.DOCA_ERROR_AGAIN, module.Device is {name}.Device, module.flat.doca_error_get_name(5))
"""
WAYS = {
    "lazy": """\
spec.loader = loader = importlib.util.LazyLoader(spec.loader)
module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
loader.exec_module(module)""",
    "direct": "module = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(module)",
    "run": "import runpy, types\nmodule = types.SimpleNamespace(**runpy.run_module(spec.name, alter_sys=False))",
}


def test_an_unknown_release_in_the_environment(start_python: StartPython) -> None:
    """The launcher refuses one itself; a program may set it later."""
    code = "import os; os.environ['COMCH_COMPAT_DOCA'] = '3.0'; import doca_comm_channel"
    finished = start_python(*LAUNCH, code).finish()
    assert finished.returncode == 1
    assert finished.stderr.endswith("InvalidValue: COMCH_COMPAT_DOCA: '3.0' is not one of 1.4, 2.5, 2.6\n")


@pytest.mark.parametrize("name", ["doca_comm_channel", "doca_cc"])
@pytest.mark.parametrize("way", WAYS)
def test_a_module_that_the_program_executes_has_all_names(start_python: StartPython, way: str, name: str) -> None:
    code = FOUND.format(name=name, how=WAYS[way])
    assert start_python(*LAUNCH, code).finish() == (0, "5 True DOCA_ERROR_AGAIN\n", "")
