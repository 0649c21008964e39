"""The loader of the fact tables: what it finds, what it says about a name that is not there."""

from __future__ import annotations

import pytest
from packaging.version import Version

from comch_next import api


@pytest.mark.parametrize(
    ("generation", "count"), [("comm_channel", 37), ("comm_channel_1x", 12), ("cc", 91), ("comch", 113)]
)
def test_every_function_of_a_generation(generation: api.Generation, count: int) -> None:
    assert len(api.functions(generation)) == count
    assert {row.generation for row in api.functions(generation)} == {generation}


def test_core_functions_include_the_older_spellings() -> None:
    older = [row for row in api.functions("core") if row.replaced_by]
    assert len(older) == 43
    assert all(api.function(row.replaced_by or "").until is None for row in older)
    assert {row.name for row in api.functions("core") if row.inferred} == {
        "doca_devinfo_get_pci_func_type",
        "doca_devinfo_get_sf_index",
    }


def test_one_function_with_its_signature_and_failures() -> None:
    recvfrom = api.function("doca_comm_channel_ep_recvfrom")
    assert [param.name for param in recvfrom.inputs] == ["local_ep", "len", "flags"]
    assert [param.name for param in recvfrom.outputs] == ["msg", "len", "peer_addr"]
    assert "DOCA_ERROR_AGAIN" in {row.code for row in recvfrom.errors}


def test_of_two_shapes_the_newer_one_is_given_unless_asked() -> None:
    assert [param.name for param in api.function("doca_comm_channel_ep_create").params] == ["ep"]
    oldest = api.function("doca_comm_channel_ep_create", "comm_channel_1x")
    assert [param.name for param in oldest.params] == ["attr", "ep"]
    assert oldest.until_release == Version("1.4")


def test_the_direction_of_a_variant_is_that_of_the_main_shape() -> None:
    create = api.function("doca_buf_inventory_create").variants[0]
    assert [param.direction for param in create.params] == ["in", "in", "in", "out"]
    size = api.function("doca_cc_cap_get_max_msg_size").variants[0]
    assert [param.direction for param in size.params] == ["in", "out"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: api.function("doca_comm_channel_ep_sendt"), "close to it: doca_comm_channel_ep_sendto"),
        (lambda: api.function("doca_get_max_rcv"), "no function"),
        (lambda: api.function("doca_comm_channel_rp_recvfrom"), "of 'doca_comm_channel_ep_recvfrom'"),
        (lambda: api.function("doca_pe_create", "cc"), "belongs to core, not to 'cc'"),
        (lambda: api.functions("comm"), "no generation 'comm'.*close to it: comch"),
        (lambda: api.enum("doca_errors"), "close to it: doca_error"),
        (lambda: api.rename("doca_nothing"), "no rename of 'doca_nothing'"),
        (lambda: api.constants("gen1"), "no generation"),
    ],
)
def test_an_unknown_name_is_told_clearly(call: object, told: str) -> None:
    assert callable(call)
    with pytest.raises(api.UnknownName, match=told):
        call()


@pytest.mark.parametrize(
    ("name", "release", "there"),
    [
        ("doca_comm_channel_ep_sendto", "2.8", True),
        ("doca_comm_channel_ep_sendto", "2.8.0085", True),
        ("doca_comm_channel_ep_sendto", "2.10", False),
        ("doca_cc_server_send_task_set_conf", "2.5", True),
        ("doca_cc_server_send_task_set_conf", "2.6", False),
        ("doca_comch_server_create", "2.6", False),
        ("doca_comch_server_create", "3.2", True),
        ("doca_comch_server_get_device_repr", "2.8", False),
        ("doca_pe_create", "2.2", False),
        ("doca_devinfo_list_create", "1.5", True),
        ("doca_devinfo_get_sf_index", "3.3", False),
    ],
)
def test_releases_are_compared_as_versions(name: str, release: str, there: bool) -> None:
    assert api.function(name).available_in(release) is there


def test_a_release_that_is_no_version_is_refused() -> None:
    with pytest.raises(ValueError, match="'latest' is not a DOCA release"):
        api.function("doca_pe_create").available_in("latest")


def test_a_patch_release_counts_as_its_release() -> None:
    assert api.function("doca_cc_server_send_task_set_conf").available_in("2.5.0108")


def test_aliases_lead_to_functions_and_leave_out_what_differs() -> None:
    for name, proper in api.aliases().items():
        assert api.function(proper).name == proper, name
    assert api.aliases()["doca_comm_channel_ep_rcvfrom"] == "doca_comm_channel_ep_recvfrom"
    assert api.aliases()["doca_devinfo_list_create"] == "doca_devinfo_create_list"
    assert "doca_devinfo_get_pci_addr" not in api.aliases()  # its arguments are others


def test_constants_of_one_generation_and_of_all() -> None:
    assert api.constants("comm_channel") == {"DOCA_CC_MSG_FLAG_NONE": 0}
    assert api.constants()["DOCA_ERROR_SKIPPED"] == 30
    assert api.constants()["DOCA_DEVINFO_REP_FILTER_NET"] == 2
    assert "DOCA_CC_INIT_FLAG_NONBLOCK" not in api.constants()
    assert "not confirmed" in api.unconfirmed_constants()["DOCA_CC_INIT_FLAG_NONBLOCK"]
    with pytest.raises(TypeError):
        api.constants()["DOCA_SUCCESS"] = 1  # type: ignore[index]


def test_no_constant_has_two_values() -> None:
    every = [item for generation in api.GENERATIONS for item in api.constants(generation).items()]
    assert len(dict(every)) == len(set(every))


def test_an_enum_that_changed_comes_in_its_newer_shape() -> None:
    assert "DOCA_ACCESS_RDMA_READ" in api.enum("doca_access_flags").values
    assert [table.doca for table in api.enums("core") if table.name == "doca_access_flags"] == [None, "1.5"]


def test_structs_callbacks_typedefs_and_libraries() -> None:
    data = next(row for row in api.structs("core") if row.name == "doca_data")
    assert (data.kind, data.fields[1]) == ("union", ("u64", "uint64_t"))
    assert {len(row.params) for row in api.callbacks("comch") if "msg_recv" in row.name} == {4}
    assert api.typedefs("comm_channel")[0].name == "doca_event_channel_t"
    assert api.library("comm_channel_1x").soname == api.library("comm_channel").soname
    assert api.library("comch").soname == "libdoca_comch.so.2"
    assert "DOCA_IS_ERROR" in api.macros()


def test_renames_split_their_recipes() -> None:
    assert api.rename("doca_comm_channel_ep_get_send_queue_size").new_names == ()
    assert api.rename("doca.pc").new_names == ("doca-common.pc", "doca-comch.pc")
    assert "doca_task_submit" in api.rename("doca_comm_channel_ep_sendto").new_names
    assert api.rename("doca_comm_channel_ep_sendto", "comm_channel_1x").kind == "rename+semantic-change"
    assert {str(row.since_release) for row in api.renames()} <= {"1.5", "2.2", "2.5", "2.7", "2.9", "3.0"}


def test_a_rename_leads_only_to_names_that_exist() -> None:
    known = {*api.constants(), *api.macros()}
    for generation in api.GENERATIONS:
        rows = (api.functions, api.callbacks, api.enums, api.structs, api.typedefs)
        known |= {row.name for table in rows for row in table(generation)}
        known.add(api.library(generation).file)
    # Outside the tables, which leave out most of the log and of the version header.
    beside = ("DOCA_VERSION_", "doca_log_backend_create_with_buf_sdk")
    lost = {name for row in api.renames() for name in row.new_names} - known
    lost = {name for name in lost if not name.startswith(beside)}
    assert {name for name in lost if not name.endswith((".h", ".pc"))} == set()


def test_a_row_has_the_types_of_a_release() -> None:
    row = api.function("doca_cc_server_set_max_msg_size", "cc")
    assert [param.ctype for param in api.in_release(row, "2.5").params] == ["struct doca_cc_server *", "size_t"]
    assert api.in_release(row, "2.6") is row
    callbacks = {callback.name: callback for callback in api.callbacks("cc")}
    older = api.in_release(callbacks["doca_cc_event_connection_status_changed_cb_t"], "2.5")
    assert older.params[-1] == api.Param("change_successful", "bool", "in")
    assert callbacks["doca_cc_event_connection_status_changed_cb_t"].params[-1].ctype == "uint8_t"
