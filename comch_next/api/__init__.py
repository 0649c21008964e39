"""The fact tables of every generation of the channel API: names, C signatures, codes, releases."""

# _rows.py  the shapes of the rows      _load.py  the questions      *.json  the facts, see README.md
# prototypes.py  the rows as C text      crossing.py  their types where C meets Python
# The imports are relative, so that tools/generate.py can load this folder without the rest of comch_next.

from ._load import (
    GENERATIONS,
    UnknownName,
    aliases,
    callbacks,
    constants,
    enum,
    enums,
    function,
    functions,
    in_release,
    library,
    macros,
    rename,
    renames,
    structs,
    typedefs,
    unconfirmed_constants,
)
from ._rows import (
    Callback,
    EnumTable,
    ErrorRow,
    Function,
    Generation,
    Library,
    Param,
    Rename,
    Struct,
    Typedef,
    Variant,
)

__all__ = [
    "Callback",
    "EnumTable",
    "ErrorRow",
    "Function",
    "GENERATIONS",
    "Generation",
    "Library",
    "Param",
    "Rename",
    "Struct",
    "Typedef",
    "UnknownName",
    "Variant",
    "aliases",
    "callbacks",
    "constants",
    "enum",
    "enums",
    "function",
    "functions",
    "in_release",
    "library",
    "macros",
    "rename",
    "renames",
    "structs",
    "typedefs",
    "unconfirmed_constants",
]
