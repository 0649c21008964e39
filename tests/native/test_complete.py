"""The native driver calls every function that the modern API implements and a library exports, but for those that
Python answers itself.

It does not load libdoca_dpa: programs give it what that has made.
"""

from __future__ import annotations

import re
from pathlib import Path

import comch_next.driver.native
from comch_next import api
from comch_next.driver.native._find import GENERATIONS
from tools.status import IMPLEMENTED, rows

SOURCES = Path(comch_next.driver.native.__path__[0])
# Names of functions, in errors, that are not called there.
UNCALLED = re.compile(r'\blive\([^()]*"doca_\w+"|\w*Error\(f?"doca_\w+"|BadState\(f?"doca_\w+"|tag="\w+"')
# What Python objects know without the library: whose they are, what was given with them, and texts.
ANSWERED = {
    "doca_buf_get_last_in_list",
    "doca_buf_inventory_get_user_data",
    "doca_buf_inventory_set_user_data",
    "doca_comch_server_get_device_rep",
    "doca_ctx_get_user_data",
    "doca_mmap_get_user_data",
    "doca_comch_server_get_device",
    "doca_comch_client_get_device",
    "doca_comch_consumer_task_post_recv_get_buf",
    "doca_comch_producer_task_send_get_buf",
    "doca_comch_producer_task_send_get_consumer_id",
    "doca_comch_producer_task_send_get_imm_data",
    "doca_comch_producer_task_send_get_imm_data_len",
    "doca_task_set_user_data",
    "doca_task_get_user_data",
    "doca_task_get_ctx",
    "doca_error_get_name",
    "doca_error_get_descr",
}
IN_HEADERS = {row.name for generation in GENERATIONS for row in api.functions(generation) if row.stability == "inline"}


def called() -> set[str]:
    """The functions that the driver's sources call, named whole or by what follows the name of a kind of contexts."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("*.py")))
    text = UNCALLED.sub("", text)
    kinds = re.findall(r'kind = "(doca_\w+)"', text)
    rests = re.findall(r'_(?:set|get|own)\(ctx, "(\w+)"', text) + re.findall(r'\{(?:self\.)?kind\}_(\w+)"', text)
    return {*re.findall(r'"(doca_\w+)"', text), *(f"{kind}_{rest}" for kind in kinds for rest in rests)}


def implemented() -> set[str]:
    every = [row for generation in GENERATIONS for row in rows(generation)]
    return {row.symbol.name for row in every if row.symbol.what == "function" and row.status == IMPLEMENTED}


def test_every_implemented_function_is_called() -> None:
    assert sorted(implemented() - called() - IN_HEADERS) == sorted(ANSWERED)
