"""The headers that programs include, under their old names, for C and C++: made from the tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from comch_next import api
from comch_next.api.prototypes import callback_type, definition, enumeration, prototype, tags, type_name
from comch_next.capi._building.libraries import UNSEEN, Face

__all__ = ["headers"]

_HOMES = {
    "core": "doca_types.h",
    "comch": "doca_comch.h",
    "cc": "doca_cc.h",
    "dpa": "doca_dpa.h",
    **dict.fromkeys(("comm_channel", "comm_channel_1x"), "doca_comm_channel.h"),
}
_TYPES = ("doca_types.h", "doca_error.h")
# What a header includes beside the types: what programs that include it alone rely on.
_INCLUDED = {
    "doca_types.h": ("doca_compat.h",),
    "doca_error.h": ("doca_types.h",),
    **dict.fromkeys(
        ("doca_comm_channel.h", "doca_comch.h", "doca_cc.h"), (*_TYPES, "doca_dev.h", "doca_pe.h", "doca_ctx.h")
    ),
    **dict.fromkeys(
        ("doca_comch_consumer.h", "doca_comch_producer.h", "doca_comch_msgq.h"),
        (*_TYPES, "doca_comch.h", "doca_buf.h", "doca_mmap.h"),
    ),
    **dict.fromkeys(("doca_dpa_dev.h", "doca_dpa_dev_buf.h"), (*_TYPES, "doca_dpa.h")),
    "doca_dpa_dev_comch_msgq.h": (*_TYPES, "doca_dpa_dev.h", "doca_comch.h"),
    **dict.fromkeys(("doca_cc_consumer.h", "doca_cc_producer.h"), (*_TYPES, "doca_cc.h", "doca_buf.h", "doca_mmap.h")),
}

_PAGE = """/* {name}: part of a stand-in for the DOCA libraries. Generated from the fact tables; do not edit. */
#ifndef {guard}
#define {guard}

{includes}

#ifdef __cplusplus
extern "C" {{
#endif

{body}

#ifdef __cplusplus
}}
#endif

#endif
"""

# What no table can hold: macros. Every call is there, so that nothing has to be allowed first.
_MACROS = {
    "doca_compat.h": """#define DOCA_STABLE
#define DOCA_EXPERIMENTAL
#define DOCA_DEPRECATED""",
    "doca_error.h": """#define DOCA_IS_ERROR(result) ((result) != DOCA_SUCCESS)
#define DOCA_ERROR_PROPAGATE(kept, result) \\
	do { \\
		if ((kept) == DOCA_SUCCESS) \\
			(kept) = (result); \\
	} while (0)""",
    "doca_dpa_dev.h": """#define __dpa_global__
#define __dpa_rpc__""",
    "doca_log.h": """#define DOCA_LOG_REGISTER(source) \\
	static int log_source = -1; \\
	static void __attribute__((constructor(101))) doca_log_register_this_file(void) \\
	{ \\
		(void)doca_log_register_source(#source, &log_source); \\
	} \\
	static void __attribute__((destructor(101))) doca_log_unregister_this_file(void) \\
	{ \\
		(void)doca_log_unregister_source(log_source); \\
	} \\
	struct doca_log_backend
#define DOCA_LOG(level, ...) \\
	do { \\
		(void)doca_log((level), log_source, __FILE__, __LINE__, __func__, __VA_ARGS__); \\
	} while (0)
#define DOCA_LOG_CRIT(...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)
#define DOCA_LOG_ERR(...) DOCA_LOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_LOG_WARN(...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_LOG_INFO(...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_LOG_DBG(...) DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)
#define DOCA_LOG_TRC(...) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__)""",
}
_SYSTEM = ("stdbool.h", "stddef.h", "stdint.h", "stdio.h")


def headers(face: Face) -> Iterator[tuple[str, str]]:
    """Name and text of each header of a face; the core's also of what every header needs."""
    names = ("doca_compat.h", *face.headers) if face.name == "common" else face.headers
    for name in names:
        body = "\n".join(filter(None, (*_types(face, name), _prototypes(face, name), _MACROS.get(name, ""))))
        included = [f"#include <{header}>" for header in (*_SYSTEM, *_INCLUDED.get(name, _TYPES)) if header != name]
        if name == "doca_compat.h":
            included = []
        guard = name.upper().replace(".", "_")
        yield name, _PAGE.format(name=name, guard=guard, includes="\n".join(included), body=body)


def _prototypes(face: Face, name: str) -> str:
    rows = (row for row in face.functions() if (row.header or UNSEEN) == name)
    return "\n".join(f"{prototype(row)}{_checked_format(row)};" for row in rows)


def _checked_format(row: api.Function) -> str:
    """Have compilers check the arguments of a function that takes a format before them."""
    number = len(row.params)
    is_variadic = number > 0 and row.params[-1].ctype == "..."
    return f" __attribute__((format(printf, {number - 1}, {number})))" if is_variadic else ""


def _types(face: Face, name: str) -> Iterator[str]:
    """Define the types of a header, among them those of its generation that have none."""
    for generation in face.generations:
        first = name == _HOMES[generation]

        def here(home: str, first: bool = first) -> bool:
            return home == name or (first and not home)

        if first:
            yield from _structures(generation, face.functions())
        shapes: dict[str, api.EnumTable] = {}
        for row in api.enums(generation):
            shapes.setdefault(row.name, row)
        homes = {f"enum {row.name}": row.header for row in shapes.values()}
        yield from (enumeration(row) for row in shapes.values() if here(row.header))
        yield from (type_name(row) for row in api.typedefs(generation) if here(homes.get(row.ctype, "")))
        yield from (callback_type(row) for row in face.callbacks(generation) if here(row.header))
        numbers = {constant for row in shapes.values() for constant in row.values}
        if first:
            plain = (pair for pair in api.constants(generation).items() if pair[0] not in numbers)
            yield from (f"#define {constant} ({value})" for constant, value in plain)


def _structures(generation: api.Generation, rows: Iterable[api.Function]) -> Iterator[str]:
    known = {row.name: row for row in api.structs(generation)}
    yield from (f"{tag};" for tag in tags(rows) if tag.split()[1] not in known)
    for text in map(definition, known.values()):
        yield f"__extension__ {text}" if "\tunion {" in text else text  # which C99 and ISO C++ lack
