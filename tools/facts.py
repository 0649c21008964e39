"""The fact tables without the rest of comch_next, which needs the very files that are made from them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

__all__ = ["ROOT", "api"]

ROOT = Path(__file__).resolve().parent.parent

if TYPE_CHECKING:
    import comch_next.api as api
else:
    folder = ROOT / "comch_next" / "api"
    spec = importlib.util.spec_from_file_location(
        "_fact_tables", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    api = sys.modules["_fact_tables"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(api)
