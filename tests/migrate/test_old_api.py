"""The vocabulary of generation 1 is what comm_channel_compat has, and both spellings read a call alike."""

from __future__ import annotations

import ast
import builtins
import inspect

import pytest

import comm_channel_compat
from comch_next import errors
from comm_channel_compat import capabilities, endpoint, flat, peer_addr
from migrate.old_api.c_names import is_c_name
from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import GENERATION_1
from migrate.old_api.spellings import flat as flat_spelling
from migrate.old_api.spellings import objects as objects_spelling

EP = "doca_comm_channel_ep_"


def node_of(text: str) -> ast.Call:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    return node


def read_flat(text: str) -> Call:
    node = node_of(text)
    assert isinstance(node.func, ast.Name)
    return flat_spelling.read(node, GENERATION_1.flat[node.func.id])


def read_method(text: str, kind: str) -> Call:
    node = node_of(text)
    assert isinstance(node.func, ast.Attribute)
    return objects_spelling.read(node, GENERATION_1.methods[kind, node.func.attr], node.func.value)


def texts(call: Call) -> dict[str, str]:
    return {name: ast.unparse(value) for name, value in call.arguments.items()}


def module_names(dotted: str) -> set[str]:
    return set(GENERATION_1.module(dotted) or ())


# Names


def test_exports_are_those_of_the_package() -> None:
    assert GENERATION_1.exports == set(comm_channel_compat.__all__)
    assert GENERATION_1.module("doca_comm_channel") == GENERATION_1.exports


@pytest.mark.parametrize(
    ("name", "module"),
    [("flat", flat), ("endpoint", endpoint), ("peer_addr", peer_addr), ("capabilities", capabilities)],
)
def test_exports_are_those_of_the_submodules(name: str, module: object) -> None:
    own = {each for each in module.__all__ if each != "Statistics"}  # type: ignore[attr-defined]
    assert module_names(f"comm_channel_compat.{name}") == own


def test_errors_extend_classes_of_python() -> None:
    classes = [getattr(errors, name) for name in GENERATION_1.errors - {"DocaError", "ErrorCode"}]
    for kind in classes:
        base = next(base for base in kind.__bases__ if base.__module__ == "builtins")
        caught = GENERATION_1.builtin_errors.get(base.__name__, ())
        assert kind.__name__ in caught or caught == ("DocaError",) or kind is errors.TimeOut, kind
    for name, extending in GENERATION_1.builtin_errors.items():
        for kind in extending:
            assert issubclass(getattr(errors, kind), getattr(builtins, name)) or kind == "DocaError"


def test_errors_are_those_of_the_package() -> None:
    classes = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, (errors.DocaError, errors.ErrorCode))
    }
    assert module_names("comm_channel_compat.errors") == classes


def test_constants_have_the_values_of_the_package() -> None:
    assert {name: getattr(flat, name) for name in GENERATION_1.constants} == GENERATION_1.constants


def test_other_modules_are_not_ours() -> None:
    assert GENERATION_1.module("doca_cc") is None
    assert GENERATION_1.module("comm_channel_compat.cc") is None


@pytest.mark.parametrize("name", GENERATION_1.classes)
def test_methods_are_those_of_the_classes(name: str) -> None:
    kind = GENERATION_1.classes[name]
    methods = {method for owner, method in GENERATION_1.methods if owner == kind}
    assert methods == {each for each in dir(getattr(comm_channel_compat, name)) if not each.startswith("_")} - {
        "modern"
    }


# Signatures


def signature(name: str) -> list[str]:
    return list(inspect.signature(getattr(flat, name)).parameters)


@pytest.mark.parametrize("name", GENERATION_1.flat)
def test_flat_calls_take_what_the_package_takes(name: str) -> None:
    function = GENERATION_1.flat[name]
    by_position = read_flat(f"{name}({', '.join(f'a{i}' for i, _ in enumerate(signature(name)))})")
    by_keyword = read_flat(f"{name}({', '.join(f'{each}=a{i}' for i, each in enumerate(function.inputs))})")
    assert by_position.problem == by_keyword.problem == ""
    assert texts(by_position) == texts(by_keyword)
    assert list(function.inputs) == signature(name)


@pytest.mark.parametrize(("kind", "name"), GENERATION_1.methods)
def test_methods_take_what_the_package_takes(kind: str, name: str) -> None:
    owner = next(each for each, own in GENERATION_1.classes.items() if own == kind)
    method = inspect.signature(getattr(getattr(comm_channel_compat, owner), name))
    parameters = list(method.parameters.values())[1:]
    given = ", ".join(f"{parameter.name}=a{i}" for i, parameter in enumerate(parameters))
    needed = sum(parameter.default is parameter.empty for parameter in parameters)
    assert read_method(f"x.{name}({given})", kind).problem == ""
    assert read_method(f"x.{name}({', '.join(f'a{i}' for i in range(needed))})", kind).problem == ""
    if needed:
        assert read_method(f"x.{name}()", kind).problem == "CCM038"


def test_every_kind_of_handle_is_told_by_its_c_type() -> None:
    function = GENERATION_1.flat
    assert function[EP + "connect"].kinds == {"local_ep": "endpoint", "peer_addr": "peer"}
    assert function[EP + "get_peer_addr_list"].kinds == {"local_ep": "endpoint", "peer_addr_array": "peer[]"}
    assert function["doca_devinfo_list_destroy"].kinds == {"dev_list": "devinfo[]"}
    assert function["doca_dev_rep_open"].kinds == {"devinfo": "repinfo", "dev_rep": "representor"}
    assert function["doca_dev_as_devinfo"].kinds == {"dev": "device", "return": "devinfo"}
    assert function["doca_log_global_level_get"].kinds == {}


# Calls


def test_arguments_keep_the_order_of_the_source() -> None:
    call = read_flat("doca_comm_channel_ep_sendto(e, m, peer_addr=p, flags=f, len=n)")
    assert list(texts(call).items()) == [
        ("local_ep", "e"),
        ("msg", "m"),
        ("peer_addr", "p"),
        ("flags", "f"),
        ("len", "n"),
    ]


def test_results_stand_beside_a_code_in_flat_and_without_lengths_in_objects() -> None:
    assert read_flat("doca_comm_channel_ep_recvfrom(e, 64, 0)").results == ("msg", "len", "peer_addr")
    assert read_flat("doca_comm_channel_ep_recvfrom(e, 64, 0)").returns_code
    assert read_method("e.recvfrom(64)", "endpoint").results == ("msg", "peer_addr")
    assert read_method("e.get_event_channel()", "endpoint").results == ("send_event_channel", "recv_event_channel")
    assert read_method("e.get_peer_addr_list()", "endpoint").results == ("peer_addr_array",)
    assert read_flat("doca_error_get_name(rc)").results == ("return",)
    assert not read_flat("doca_error_get_name(rc)").returns_code


def test_older_spellings_are_the_proper_function() -> None:
    call = read_flat("doca_log_backend_level_set(backend=b, level=n)")
    assert (call.function, texts(call)) == ("doca_log_backend_set_level_lower_limit", {"backend": "b", "level": "n"})


def test_a_method_of_the_class_takes_its_receiver_first() -> None:
    call = objects_spelling.read(node_of("Endpoint.sendto(ep, m, p)"), GENERATION_1.methods["endpoint", "sendto"])
    assert texts(call) == {"local_ep": "ep", "msg": "m", "peer_addr": "p"}


@pytest.mark.parametrize(
    "text",
    [
        "doca_comm_channel_ep_sendto(*args)",
        "doca_comm_channel_ep_sendto(**given)",
        "doca_comm_channel_ep_sendto(e, m, n, 0)",
        "doca_comm_channel_ep_sendto(e, m, n, 0, p, 1)",
        "doca_comm_channel_ep_sendto(e, m, n, 0, p, msg=m)",
        "doca_comm_channel_ep_sendto(e, m, n, 0, peer=p)",
    ],
)
def test_arguments_that_cannot_be_sorted(text: str) -> None:
    assert read_flat(text).problem == "CCM038"


def test_attributes_of_an_endpoint_are_of_an_older_api() -> None:
    assert read_flat("doca_comm_channel_ep_create(attributes)").problem == "CCM023"
    assert objects_spelling.read(node_of("Endpoint(attributes)"), GENERATION_1.objects["Endpoint"]).problem == "CCM023"


@pytest.mark.parametrize(
    ("name", "is_old"),
    [
        ("doca_comm_channel_ep_create", True),
        ("doca_comm_channel_ep_creat", True),
        ("DOCA_CC_MSG_FLAG_NONE", True),
        ("DOCA_ERROR_AGAIN", True),
        ("doca_devinfo_list_create", True),
        ("doca_cc_server_create", True),
        ("doca_comch_server_create", False),
        ("doca_buf_set_data", False),
        ("create", False),
    ],
)
def test_c_names_are_old(name: str, is_old: bool) -> None:
    assert is_c_name(name) is is_old
