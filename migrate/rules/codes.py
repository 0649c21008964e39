"""Name result codes, errors and constants in comch_next."""

from migrate import _tables
from migrate._legacy import SAME_NAMES
from migrate._rule import Calls, Rule

RULES: dict[str, Rule] = {
    "doca_error_get_descr": Calls("{comch}.describe", "{error}"),
    "doca_error_get_name": Calls("{comch}.code_name", "{error}"),
}

_PREFIXES = (
    ("DOCA_ERROR_", "ErrorCode"),
    ("DOCA_DEVINFO_REP_FILTER_", "RepFilter"),
    ("DOCA_DEV_REP_FILTER_", "RepFilter"),
    ("DOCA_PCI_FUNC_TYPE_", "PciFuncType"),
)


def _constants() -> dict[str, str]:
    found = {"DOCA_SUCCESS": "{comch}.ErrorCode.SUCCESS", "DOCA_CC_MSG_FLAG_NONE": "0"}
    for name in _tables.CONSTANTS:
        for prefix, enum in _PREFIXES:
            if name.startswith(prefix):
                found[name] = f"{{comch}}.{enum}.{name.removeprefix(prefix)}"
    return found


# Names that are not calls: what each is called now.
NAMES: dict[str, str] = _constants() | {name: f"{{comch}}.{name}" for name in SAME_NAMES}

# Names whose handlers may have to look at more than before.
NOTES = {"ConnectionReset": "CCM061", "DOCA_ERROR_CONNECTION_RESET": "CCM061"}
NOTES_OF_SERVICES = {"ConnectionAborted": "CCM067", "DOCA_ERROR_CONNECTION_ABORTED": "CCM067"}
