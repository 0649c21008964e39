"""A face's two C sources: the library's, without Python, and the extension's, which the interpreter imports.

The library has a wrapper for each function. It answers DOCA_ERROR_INITIALIZATION until there is an interpreter, and
INVALID_VALUE for a NULL where the result belongs or where text is read, so that nothing in Python has to. Otherwise it
makes the call that the extension has in the table of its calls: the Python function of the same name after `py_`, or
where that would be slow the function written in C. What crosses the border is plain, see comch_next.api.crossing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from comch_next import api
from comch_next.api.crossing import by_value, crossing, nothing
from comch_next.api.prototypes import declaration, prototype
from comch_next.capi._building.errors import error_texts
from comch_next.capi._building.libraries import Face

__all__ = ["KERNEL", "NULLABLE", "SOURCES", "declarations", "extension_source", "library_source"]

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


def _crossing_argument(param: api.Param) -> str:
    return f"{param.name}.u64" if by_value(param.ctype) else f"({_crossed(param)}){param.name}"


def _python_side(row: api.Function, name: str = "") -> str:
    """The Python function as C declares it, or a pointer to it."""
    listed = ", ".join(declaration(_crossed(param), param.name) for param in row.params) or "void"
    return f"{declaration(_result(row), name or f'py_{row.name}')}({listed})"


def _refusals(row: api.Function) -> Iterator[str]:
    """The NULLs that need no Python."""
    if row.returns != "doca_error_t":
        return
    for param in row.params:
        read = param.ctype in ("const char *", "const void *")
        if (read or (param.is_output and param.ctype.endswith("*"))) and (row.name, param.name) not in NULLABLE:
            yield f"\tREQUIRE({param.name});\n"


def _kernel_wrapper(row: api.Function, call: str) -> str:
    """A function that kernels call, which may end the kernel: kernels.c."""
    if row.returns == "void":
        run = f"\tif (started()) {{\n\t\t{call};\n\t\tcalls->kernel_called();\n\t}}\n"
    else:
        run = f"\t{_result(row)} result = 0;\n\n\tif (started()) {{\n\t\tresult = {call};\n"
        run += f"\t\tcalls->kernel_called();\n\t}}\n\treturn ({row.returns})result;\n"
    return f"FACE {prototype(row)}\n{{\n{run}}}\n"


def _wrapper(row: api.Function, call: str) -> str:
    """A function of the library: the refusals, and the call."""
    if row.returns == "void":
        run = f"\tif (started())\n\t\t{call};\n\tvisit.ended = 1;\n"
    elif by_value(row.returns):
        run = f"\tunion doca_data result = {{ .u64 = 0 }};\n\n\tif (started())\n\t\tresult.u64 = {call};\n"
        run += "\tvisit.ended = 1;\n\treturn result;\n"
    else:
        refused = "why_not()" if row.returns == "doca_error_t" else f"({row.returns}){nothing(row.returns)}"
        run = f"\t{declaration(row.returns, 'result')} = started() ? ({row.returns}){call} : {refused};\n\n"
        run += "\tvisit.ended = 1;\n\treturn result;\n"
    return f"FACE {prototype(row)}\n{{\n{''.join(_refusals(row))}\tVISIT;\n{run}}}\n"


def _newer(row: api.Function) -> api.Function | None:
    """The later spelling of a function that takes the same arguments."""
    newer = api.function(row.replaced_by, row.generation) if row.replaced_by else None
    return newer if newer is not None and len(newer.params) == len(row.params) else None


def _forward(row: api.Function, newer: api.Function) -> str:
    arguments = ", ".join(f"({param.ctype}){old.name}" for old, param in zip(row.params, newer.params, strict=True))
    return f"FACE {prototype(row)}\n{{\n\treturn {newer.name}({arguments});\n}}\n"


def _cast(row: api.Function) -> str:
    return f"FACE {prototype(row)}\n{{\n\treturn ({row.returns}){row.params[0].name};\n}}\n"


def _is_cast(row: api.Function) -> bool:
    """Whether the function names its argument's other type: one pointer is both."""
    return row.name.endswith(("_as_ctx", "_as_task"))


def _written(names: Iterable[str]) -> str:
    return "\n".join((SOURCES / name).read_text(encoding="ascii") for name in names)


class _Kinds(NamedTuple):
    """The functions of a face: in `hot` C calls Python's objects, of the rest those in `python` call Python."""

    python: list[api.Function]
    hot: list[api.Function]
    casts: list[api.Function]
    older: list[tuple[api.Function, api.Function]]


def _kinds(face: Face) -> _Kinds:
    in_c, hot = (frozenset(_DEFINITION.findall(_written(names))) for names in (face.sources, face.hot))
    if "doca_error.h" in face.headers:
        in_c |= frozenset(_DEFINITION.findall(error_texts()))
    rows = [row for row in face.functions() if row.name not in in_c]
    older = [(row, newer) for row in rows if row.name not in hot and (newer := _newer(row)) is not None]
    casts = [row for row in rows if _is_cast(row)]
    forwarded = {row.name for row in (*casts, *(row for row, _ in older))}
    python = [row for row in rows if row.name not in hot and row.name not in forwarded]
    return _Kinds(python, [row for row in rows if row.name in hot], casts, older)


# Does nothing: cffi keeps the state that Python has of a thread which has called any function, until the thread ends.
_ENTER = "void comch_face_enter(void)"
_REPORTS = ("void comch_face_report(const char *text);", "void comch_face_log(uint32_t level, const char *text);")
_CALLS = "const void *comch_face_calls(void)"


def declarations(face: Face) -> tuple[str, str]:
    """What cffi makes of the extension: the Python functions that C calls, the C functions that Python calls."""
    called = "".join(f"{_python_side(row)};\n" for row in _kinds(face).python)
    return f'extern "Python" {{\n{_ENTER};\n{called}}}\n', "\n".join((*_REPORTS, f"{_CALLS};", *face.calls))


_HEAD = """/* Generated from the fact tables; do not edit. */
{includes}
#include <doca_version.h>

/* What the extension has for the library. */
struct calls {{
{members}}};
"""
_LIBRARY = """
#define FACE __attribute__((visibility("default")))
#include "interpreter.h"
#include "log.h"

#include <pthread.h>

/* The face's calls, once there is an interpreter that has them. */
static const struct calls *calls;

static int started(void)
{{
	static int reported;

	if (!calls && !comch_face_ended)
		calls = comch_face_start("{module}", "{extension}", &reported);
	return calls != NULL && !comch_face_ended;
}}

static doca_error_t why_not(void)
{{
	return comch_face_ended ? comch_face_ended : DOCA_ERROR_INITIALIZATION;
}}

/* A call of the program's: see comch_face_abandon. A thread that is cancelled meanwhile ends after it, as what the call
 * does in between has points of cancellation. */
struct visit {{
	const char *call;
	int ended, cancel_state;
}};

static struct visit enter(const char *call)
{{
	struct visit visit = {{call, 0, 0}};

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &visit.cancel_state);
	if ({waits}) /* for as long as it pleases the peer */
		pthread_setcancelstate(visit.cancel_state, NULL);
	return visit;
}}

static void leave(struct visit *visit)
{{
	if (!visit->ended)
		comch_face_abandon(visit->call);
	pthread_setcancelstate(visit->cancel_state, NULL);
}}

#define VISIT struct visit visit __attribute__((cleanup(leave))) = enter(__func__)
"""
_EXTENSION = """
#define FACE __attribute__((visibility("hidden")))
#include "log.h"

static {enter};
{by_hand}
{declarations}
static {calls}
{{
	static const struct calls all = {{
{members}	}};

	return &all;
}}
"""


def _head(face: Face, kinds: _Kinds) -> str:
    includes = "\n".join(f"#include <{header}>" for header in face.headers)
    members = [_python_side(row, f"(*{row.name})") for row in kinds.python]
    members += [prototype(row).replace(f"{row.name}(", f"(*{row.name})(", 1) for row in kinds.hot]
    members += ["void (*kernel_called)(void)"] if face.kernels else []
    return _HEAD.format(includes=includes, members="".join(f"\t{member};\n" for member in members))


def library_source(face: Face) -> str:
    """Write the source of the library: what was written by hand, the wrappers, casts, older spellings."""
    kinds = _kinds(face)
    library = _LIBRARY.format(module=face.module, extension=face.extension, waits=int(face.waits))
    texts = [_head(face, kinds), library, _written(face.sources)]
    if "doca_error.h" in face.headers:
        texts.append(error_texts())
    for row in kinds.python:
        arguments = ", ".join(map(_crossing_argument, row.params))
        wrapper = _kernel_wrapper if face.kernels and row.name.startswith(face.kernels) else _wrapper
        texts.append(wrapper(row, f"calls->{row.name}({arguments})"))
    for row in kinds.hot:
        texts.append(_wrapper(row, f"calls->{row.name}({', '.join(param.name for param in row.params)})"))
    texts += [_forward(row, newer) for row, newer in kinds.older]
    texts += map(_cast, kinds.casts)
    return "\n".join(texts)


def extension_source(face: Face) -> str:
    """Write what cffi's part of the extension is preceded by: hot functions, and the table of calls."""
    kinds = _kinds(face)
    members = [(row.name, f"py_{row.name}") for row in kinds.python] + [(row.name, row.name) for row in kinds.hot]
    members += [("kernel_called", "kernel_called")] if face.kernels else []
    fields = {
        "enter": _ENTER,
        "calls": _CALLS,
        "by_hand": _written(face.hot),
        "declarations": "".join(f"static {_python_side(row)};\n" for row in kinds.python),
        "members": "".join(f"\t\t.{name} = {function},\n" for name, function in members),
    }
    return _head(face, kinds) + _EXTENSION.format(**fields)
