"""Names and texts of the result codes in C, so that a program can print them without an interpreter."""

from __future__ import annotations

import json
from collections.abc import Mapping

from comch_next import api

__all__ = ["error_texts"]

_UNKNOWN = "unknown error"
_FUNCTION = """FACE const char *{name}(doca_error_t error)
{{
	static const char *const texts[] = {{
{rows}	}};

	return (unsigned int)error < sizeof(texts) / sizeof(*texts) && texts[error] ? texts[error] : {unknown};
}}
"""


def _function(name: str, texts: Mapping[str, str]) -> str:
    rows = "".join(f"\t\t[{code}] = {json.dumps(text)},\n" for code, text in texts.items())
    return _FUNCTION.format(name=name, rows=rows, unknown=json.dumps(_UNKNOWN))


def error_texts() -> str:
    """Write doca_error_get_name and doca_error_get_descr, with comch_next.errors' text for other numbers."""
    table = api.enum("doca_error")
    names = {code: code for code in table.values}
    return _function("doca_error_get_name", names) + "\n" + _function("doca_error_get_descr", table.meanings)
