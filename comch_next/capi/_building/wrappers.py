"""A face's C source: for each function a wrapper, which calls the Python function of the same name after `py_`.

What crosses the border is plain, see comch_next.api.crossing. The wrapper answers DOCA_ERROR_INITIALIZATION until
there is an interpreter, and INVALID_VALUE for a NULL where the result belongs or where text is read, so that nothing
in Python has to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from comch_next import api
from comch_next.api.crossing import by_value, crossing
from comch_next.api.prototypes import declaration, prototype
from comch_next.capi._building.errors import error_texts
from comch_next.capi._building.libraries import Face

__all__ = ["ENTER", "KERNEL", "NULLABLE", "SOURCES", "c_source", "python_side", "wrapped"]

SOURCES = Path(__file__).resolve().parent.parent / "_sources"
KERNEL = SOURCES.parent.parent / "driver" / "emulated" / "_kernel"  # direct.h

# Pointers that may be NULL though a result belongs there, or something is read, with the guide's reason.
NULLABLE = {
    ("doca_buf_dec_refcount", "refcount"),  # the count may not be wanted
    ("doca_comm_channel_ep_get_event_channel", "send_event_channel"),  # either may be NULL, but not both
    ("doca_comm_channel_ep_get_event_channel", "recv_event_channel"),
    ("doca_mmap_create_from_export", "user_data"),
    ("doca_comch_producer_task_send_alloc_init", "imm_data"),  # none, or nothing else
    ("doca_comch_producer_task_send_set_imm_data", "imm_data"),
}

_DEFINITION = re.compile(r"^FACE [\w *]*?\b(doca_\w+)\(", re.MULTILINE)


def _result(row: api.Function) -> str:
    return "uintptr_t" if "*" in row.returns else crossing(row.returns)


def _crossed(param: api.Param) -> str:
    return crossing(param.ctype, is_output=param.is_output)


def _argument(param: api.Param) -> str:
    return f"{param.name}.u64" if by_value(param.ctype) else f"({_crossed(param)}){param.name}"


def python_side(row: api.Function) -> str:
    """The Python function as C declares it."""
    listed = ", ".join(declaration(_crossed(param), param.name) for param in row.params) or "void"
    return f"{declaration(_result(row), f'py_{row.name}')}({listed})"


def _refusals(row: api.Function) -> Iterator[str]:
    """The NULLs that need no Python."""
    if row.returns != "doca_error_t":
        return
    for param in row.params:
        read = param.ctype in ("const char *", "const void *")
        if (read or (param.is_output and param.ctype.endswith("*"))) and (row.name, param.name) not in NULLABLE:
            yield f"\tREQUIRE({param.name});\n"


def _wrapper(row: api.Function) -> str:
    call = f"py_{row.name}({', '.join(map(_argument, row.params))})"
    if row.returns == "void":
        run = f"\tif (started())\n\t\t{call};\n"
    elif row.returns == "doca_error_t":
        run = f"\treturn started() ? (doca_error_t){call} : DOCA_ERROR_INITIALIZATION;\n"
    elif by_value(row.returns):
        run = f"\tunion doca_data result = {{ .u64 = 0 }};\n\n\tif (started())\n\t\tresult.u64 = {call};\n"
        run += "\treturn result;\n"
    else:
        run = f"\treturn started() ? ({row.returns}){call} : ({row.returns})0;\n"
    return f"FACE {prototype(row)}\n{{\n{''.join(_refusals(row))}{run}}}\n"


def _newer(row: api.Function) -> api.Function | None:
    """The later spelling of a function that takes the same arguments."""
    newer = api.function(row.replaced_by, row.generation) if row.replaced_by else None
    return newer if newer is not None and len(newer.params) == len(row.params) else None


def _forward(row: api.Function, newer: api.Function) -> str:
    arguments = ", ".join(f"({param.ctype}){old.name}" for old, param in zip(row.params, newer.params, strict=True))
    return f"FACE {prototype(row)}\n{{\n\treturn {newer.name}({arguments});\n}}\n"


def _cast(row: api.Function) -> str:
    return f"FACE {prototype(row)}\n{{\n\treturn ({row.returns}){row.params[0].name};\n}}\n"


def _by_hand(face: Face) -> str:
    """What is C already: sources, and the texts of the result codes."""
    texts = [(SOURCES / name).read_text(encoding="ascii") for name in face.sources]
    return "\n".join(texts + ([error_texts()] if "doca_error.h" in face.headers else []))


def wrapped(face: Face) -> list[api.Function]:
    """List the functions of a face that call Python."""
    by_hand = frozenset(_DEFINITION.findall(_by_hand(face)))
    rows = (row for row in face.functions() if row.name not in by_hand)
    return [row for row in rows if _newer(row) is None and not _is_cast(row)]


def _is_cast(row: api.Function) -> bool:
    """Whether the function names its argument's other type: one pointer is both."""
    return row.name.endswith(("_as_ctx", "_as_task"))


_HEAD = """
#define FACE __attribute__((visibility("default")))
{includes}
#include <doca_version.h>
#include "interpreter.h"
#include "log.h"

static {enter};

/* Whether there is an interpreter that has this face's functions. */
static int started(void)
{{
	return comch_face_interpreter() == 0 && cffi_start_python() == 0;
}}
{by_hand}
"""

# Does nothing: cffi keeps the state that Python has of a thread which has called any function, until the thread ends.
ENTER = "void comch_face_enter(void)"


def c_source(face: Face) -> str:
    """Write the source of a face: what was written by hand, the wrappers, casts, older spellings."""
    includes = "\n".join(f"#include <{header}>" for header in face.headers)
    rows = wrapped(face)
    declarations = "".join(f"static {python_side(row)};\n" for row in rows)
    older = [(row, newer) for row in face.functions() if (newer := _newer(row)) is not None]
    forwards = [_forward(row, newer) for row, newer in older]
    forwards += [_cast(row) for row in face.functions() if _is_cast(row)]
    head = _HEAD.format(includes=includes, enter=ENTER, by_hand=_by_hand(face))
    return head + declarations + "\n" + "\n".join([*map(_wrapper, rows), *forwards])
