"""What `import doca_comm_channel` finds under the launcher: the compatibility module of the release chosen."""

import importlib
import sys
from pathlib import Path

try:
    _libraries = importlib.import_module("comm_channel_compat.libraries")
except ModuleNotFoundError as error:
    if error.name != "comm_channel_compat":
        raise
    # The launcher ran from a folder where the package is not installed: this file lies inside it.
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    _libraries = importlib.import_module("comm_channel_compat.libraries")

_OF_RELEASE = {"1.4": "comm_channel_compat.blocking"}  # any other release: the package itself
_chosen = importlib.import_module(_OF_RELEASE.get(_libraries.release(), "comm_channel_compat"))
sys.modules["comm_channel_compat._old_calls"].stand_in(_chosen, globals())
