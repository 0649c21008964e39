"""The C source of a face whose functions are those of the next generation, with other names, types and counts.

Numbers that do not fit into the type of today become its largest value, which the library refuses with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from comch_next import api
from comch_next.api.prototypes import prototype
from comch_next.capi._building.libraries import FACES, Face

__all__ = ["forwarding_source"]

_HEAD = """/* Generated from the fact tables; do not edit. */
{includes}
#include "log.h"

#define FACE __attribute__((visibility("default")))

/* A size as it is passed on. */
static inline uint32_t clamped(size_t size)
{{
	return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}}

/* A count that was given as a log2. */
static inline uint32_t count_of(size_t log)
{{
	return log < 32 ? (uint32_t)1 << log : UINT32_MAX;
}}

/* The log2 of a count, rounded down. */
static inline size_t log_of(uint32_t count)
{{
	return count ? 31 - (size_t)__builtin_clz(count) : 0;
}}

"""
_WIDENED = """	uint32_t value = 0;
	doca_error_t result = {call};

	if (result == DOCA_SUCCESS)
		*{name} = {value};
	return result;
"""


def _is_widened(row: api.Function) -> bool:
    return any(param.is_output and param.ctype == "size_t *" for param in row.params)


def _is_log(param: api.Param) -> bool:
    return "log_num" in param.name


def _argument(param: api.Param, modern: api.Param) -> str:
    if param.ctype == "size_t *":
        return f"{param.name} ? &value : NULL"
    if _is_log(param):
        return f"count_of({param.name})"
    if param.ctype == "size_t":
        return f"clamped({param.name})"
    return param.name if param.ctype == modern.ctype else f"({modern.ctype}){param.name}"


def _arguments(row: api.Function, modern: api.Function) -> Iterator[str]:
    """The arguments of the modern call; immediate data came with it."""
    own = iter(row.params)
    for param in modern.params:
        if param.name.startswith("imm_data"):
            yield "NULL" if param.ctype.endswith("*") else "0"
        else:
            yield _argument(next(own), param)


def _refusals(row: api.Function) -> Iterator[str]:
    """What the modern call would take: no buffer, where there may be immediate data; a negative id as a large one."""
    for param in row.params:
        if row.name.endswith("_alloc_init") and param.ctype == "struct doca_buf *":
            yield f"\tREQUIRE({param.name});\n"
        if param.ctype.removeprefix("const ") == "int":
            refused = f'comch_face_invalid(__func__, "{param.name}", "negative")'
            back = f"return {refused};" if row.returns == "doca_error_t" else f"(void){refused};\n\t\treturn;"
            yield f"\tif ({param.name} < 0) {{\n\t\t{back}\n\t}}\n"


def _body(row: api.Function, modern: api.Function) -> str:
    call = f"{modern.name}({', '.join(_arguments(row, modern))})"
    if _is_widened(row):
        output = row.outputs[0]
        return _WIDENED.format(call=call, name=output.name, value="log_of(value)" if _is_log(output) else "value")
    if row.returns == "void":
        return f"\t{call};\n"
    cast = "" if row.returns == modern.returns else f"({row.returns})"
    return f"\treturn {cast}{call};\n"


def forwarding_source(face: Face) -> str:
    """Write the source of a face: one call for each function."""
    headers = [*face.headers, *(header for need in face.needs for header in FACES[need].headers)]
    includes = "\n".join(f"#include <{header}>" for header in headers)
    functions = []
    for row in face.functions():
        modern = api.function(str(row.modern), "comch")
        functions.append(f"FACE {prototype(row)}\n{{\n{''.join(_refusals(row))}{_body(row, modern)}}}\n")
    return _HEAD.format(includes=includes) + "\n".join(functions)
