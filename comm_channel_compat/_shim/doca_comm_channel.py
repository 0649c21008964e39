"""What `import doca_comm_channel` finds under the launcher: the compatibility module of the release chosen."""

import importlib
import os
import sys
from pathlib import Path

_OF_RELEASE = {"1.4": "comm_channel_compat.blocking"}  # any other release: the package itself
_chosen = _OF_RELEASE.get(os.environ.get("COMCH_COMPAT_DOCA", ""), "comm_channel_compat")

try:
    importlib.import_module(_chosen)
except ModuleNotFoundError as error:
    if error.name != "comm_channel_compat":
        raise
    # The launcher ran from a folder where the package is not installed: this file lies inside it.
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    importlib.import_module(_chosen)

sys.modules["comm_channel_compat._old_calls"].stand_in(sys.modules[_chosen], globals())
