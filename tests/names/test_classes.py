"""Missing attributes of classes: the error names what there is instead, and nothing unknown is set."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from comch_next._names import Hinted, Strict


class Context(Hinted, Strict):
    """Its names are those that the tables know."""

    engine: object
    user_data: Any = None

    @property
    def state(self) -> int:
        return 1

    @property
    def broken(self) -> int:
        raise AttributeError("the cause")

    def start(self) -> None:
        pass


class Server(Context):
    max_msg_size = 1
    _port: int


class Slotted(Hinted):
    __slots__ = ("user_data",)


def refusal(thing: object, name: str) -> str:
    """The text of the error that getting an attribute raises."""
    with pytest.raises(AttributeError) as caught:
        getattr(thing, name)
    return str(caught.value)


def refusal_to_set(thing: object, name: str) -> str:
    """The text of the error that setting an attribute raises."""
    with pytest.raises(AttributeError) as caught:
        setattr(thing, name, 1)
    assert name not in vars(thing)
    return str(caught.value)


def test_a_c_name_without_its_noun() -> None:
    told = "doca_comch_server_get_max_msg_size is the property max_msg_size"
    assert refusal(Server(), "get_max_msg_size") == f"Server has no attribute 'get_max_msg_size'; {told}"
    assert refusal_to_set(Server(), "get_max_msg_size").endswith(told)


def test_a_whole_c_name() -> None:
    assert refusal(Server(), "doca_ctx_start").endswith("; doca_ctx_start is the method start")
    assert refusal(Server(), "doca_ctx_get_state").endswith("; doca_ctx_get_state is the property state")
    assert refusal(Server(), "doca_ctx_strt").endswith(
        "; did you mean 'doca_ctx_start'? doca_ctx_start is the method start"
    )


def test_a_c_name_of_another_class() -> None:
    assert refusal(Server(), "get_counter").endswith("; doca_comch_connection_get_counter is Connection.get_counter")


def test_a_c_name_without_a_counterpart() -> None:
    assert refusal(Server(), "set_datapath_on_gpu").endswith(
        "; doca_ctx_set_datapath_on_gpu has no counterpart (GPU: the data path of another processor)"
    )


def test_what_is_the_object_itself() -> None:
    assert refusal(Server(), "as_ctx").endswith("; as_ctx is the object itself")


def test_a_near_miss() -> None:
    told = "; did you mean 'max_msg_size'?"
    assert refusal(Server(), "max_message_size").endswith(told)
    assert told in refusal_to_set(Server(), "max_message_size")


def test_a_name_like_nothing() -> None:
    assert refusal(Server(), "foo") == "Server has no attribute 'foo'"
    assert refusal_to_set(Server(), "foo") == (
        "Server has no attribute 'foo'; user_data is for the program's own object"
        "; a subclass declares its own on the class, as `foo: object`"
    )


def test_the_interpreter_adds_no_suggestion_of_its_own() -> None:
    with pytest.raises(AttributeError) as caught:
        Server().max_msg_sizes  # type: ignore[attr-defined]  # noqa: B018
    assert caught.value.name == "max_msg_sizes"
    assert caught.value.obj is None


def test_what_the_class_has_can_be_set() -> None:
    server = Server()
    server.engine = server.user_data = server._port = server.max_msg_size = 4
    assert (server.engine, server.user_data, server._port, server.max_msg_size) == (4, 4, 4, 4)


def test_a_subclass_declares_what_it_adds() -> None:
    class Mine(Server):
        peer: str
        count = 0

    mine = Mine()
    mine.peer, mine.count = "it", 1
    assert (mine.peer, mine.count) == ("it", 1)
    assert "'pear'; did you mean 'peer'?" in refusal_to_set(mine, "pear")


def test_an_annotation_that_cannot_be_evaluated_declares_too() -> None:
    source = "class Mine(Server):\n    peer: Nowhere\nmine = Mine()\nmine.peer = 1"
    found: dict[str, Any] = {"Server": Server}
    if sys.version_info < (3, 14):
        source = "from __future__ import annotations\n" + source
    exec(source, found)
    assert found["mine"].peer == 1


def test_a_property_that_fails_by_itself_says_why() -> None:
    assert refusal(Server(), "broken") == "the cause"


def test_a_property_that_fails_is_not_asked_again() -> None:
    """What it raises may be a handler's of a signal, which has come once."""

    class Struck(Server):
        asked = 0

        @property
        def state(self) -> int:
            self.asked += 1
            if self.asked == 1:
                raise error
            return 1

    struck, error = Struck(), AttributeError("of the program's")
    with pytest.raises(AttributeError) as caught:
        struck.state  # noqa: B018
    assert caught.value is error
    assert struck.asked == 1


def test_a_subclass_may_find_attributes_by_itself() -> None:
    class Mine(Server):
        def __getattr__(self, name: str) -> str:
            return name

    assert (Mine().anything, Mine().max_msg_size) == ("anything", 1)


def test_a_private_name_gets_no_hint_and_passes() -> None:
    assert "hint" not in refusal(Server(), "_handle")
    server: Any = Server()
    server._handle = 1
    assert server._handle == 1


def test_an_empty_slot_and_one_that_is_not_there() -> None:
    assert "user_data" in refusal(Slotted(), "user_data")
    assert "did you mean 'user_data'?" in refusal(Slotted(), "userdata")


def test_hasattr_and_default_work() -> None:
    assert not hasattr(Server(), "get_max_msg_size")
    assert getattr(Server(), "get_max_msg_size", 7) == 7
