"""What `import doca_cc` finds under the launcher: the compatibility module itself."""

import importlib
import sys
from pathlib import Path

try:
    _module = importlib.import_module("comm_channel_compat.cc")
except ModuleNotFoundError as error:
    if error.name != "comm_channel_compat":
        raise
    # The launcher ran from a folder where the package is not installed: this file lies inside it.
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    _module = importlib.import_module("comm_channel_compat.cc")

sys.modules["comm_channel_compat._old_calls"].stand_in(_module, globals())
