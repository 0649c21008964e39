"""How result codes and exceptions are looked at."""

from __future__ import annotations

import pytest

from tests.migrate.marked import Marked

FLAT = "from doca_comm_channel import *\nimport sys\nrc, ep = doca_comm_channel_ep_create()\n"
SEND = "doca_comm_channel_ep_listen(ep, 'a')"


def observed(program: Marked, function: str) -> frozenset[str]:
    calls = [call for call in program.facts.calls.values() if call.function == function]
    assert len(calls) == 1
    return program.facts.code_is_observed(calls[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SEND, set()),
        (f"if {SEND} != DOCA_SUCCESS:\n    sys.exit(1)", set()),
        (f"if {SEND} != 0:\n    sys.exit(1)", set()),
        (f"if {SEND} > 0:\n    sys.exit(1)", set()),
        (f"if {SEND}:\n    sys.exit(1)", set()),
        (f"code = {SEND}\nif code == DOCA_ERROR_AGAIN:\n    pass", {"AGAIN"}),
        (f"code = {SEND}\nif DOCA_ERROR_AGAIN == code:\n    pass", {"AGAIN"}),
        (f"code = {SEND}\nif code == 5:\n    pass", {"AGAIN"}),
        (f"code = {SEND}\nif code in (DOCA_ERROR_AGAIN, DOCA_ERROR_BAD_STATE):\n    pass", {"AGAIN", "BAD_STATE"}),
        (f"BUSY = (DOCA_ERROR_AGAIN,)\ncode = {SEND}\nif code not in BUSY:\n    pass", {"AGAIN"}),
        (f"while (code := {SEND}) == DOCA_ERROR_AGAIN:\n    pass", {"AGAIN"}),
        (f"match {SEND}:\n    case 5:\n        pass\n    case _:\n        pass", {"AGAIN"}),
        (f"WORDS = {{DOCA_ERROR_AGAIN: 'later'}}\nword = WORDS[{SEND}]", {"AGAIN"}),
        (f"WORDS = {{DOCA_ERROR_AGAIN: 'later'}}\nword = WORDS.get({SEND})", {"AGAIN"}),
        (f"def is_busy(code):\n    return code == DOCA_ERROR_AGAIN\nis_busy({SEND})", {"AGAIN"}),
        (f"class C:\n    def go(self):\n        self.rc = {SEND}\n    def ok(self):\n"
         "        return self.rc == DOCA_ERROR_AGAIN\nC().go()", {"AGAIN"}),
        (f"print({SEND})", {"value"}),
        (f"print('%d' % {SEND})", {"value"}),
        (f"print('%s %d' % ('a', {SEND}))", {"value"}),
        (f"code = {SEND}\nprint(f'{{code}}')", {"value"}),
        (f"code = {SEND}\nprint(f'{{code!r}}')", {"value"}),
        (f"print('%r' % {SEND})", {"value"}),
        (f"print(repr({SEND}))", {"value"}),
        (f"import pprint\ntext = pprint.pformat({SEND})", {"value"}),
        (f"print([{SEND}])", {"value"}),
        (f"codes = []\ncodes.append({SEND})\nprint(codes)", {"value"}),
        (f"errs = 0\nerrs |= {SEND}", {"value"}),
        (f"sys.exit({SEND})", {"value"}),
        (f"def main():\n    return {SEND}\nsys.exit(main())", {"value"}),
        (f"print(doca_error_get_name({SEND}))", {"name"}),
        (f"print(doca_error_get_descr({SEND}))", {"printed"}),
        (f"code = {SEND}\nassert code == DOCA_SUCCESS, code", {"value"}),
    ],
)  # fmt: skip
def test_codes(text: str, expected: set[str]) -> None:
    assert observed(Marked(main=FLAT + text), "doca_comm_channel_ep_listen") == expected


def test_the_next_call_s_code_in_the_same_variable_is_another_one() -> None:
    program = Marked(
        main=FLAT + f"rc = {SEND}\nif rc == DOCA_ERROR_BAD_STATE:\n    sys.exit(1)\n"
        "rc = doca_comm_channel_ep_destroy(ep)\nif rc == DOCA_ERROR_AGAIN:\n    sys.exit(2)\n"
    )
    assert observed(program, "doca_comm_channel_ep_listen") == {"BAD_STATE"}
    assert observed(program, "doca_comm_channel_ep_destroy") == {"AGAIN"}
    assert observed(program, "doca_comm_channel_ep_create") == frozenset()


OBJECTS = "import doca_comm_channel as cc\nimport contextlib\nep = cc.Endpoint()\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ep.listen('a')", set()),
        ("try:\n    ep.listen('a')\nexcept cc.Again:\n    pass", {"AGAIN"}),
        ("try:\n    ep.listen('a')\nexcept (cc.InUse, cc.ConnectionInprogress):\n    pass",
         {"IN_USE", "CONNECTION_INPROGRESS"}),
        ("try:\n    pass\nexcept cc.Again:\n    ep.listen('a')", set()),
        ("try:\n    pass\nexcept cc.Again:\n    pass\nelse:\n    ep.listen('a')", set()),
        ("def go():\n    ep.listen('a')\ntry:\n    go()\nexcept cc.Again:\n    pass", {"AGAIN"}),
        ("with contextlib.suppress(cc.Again):\n    ep.listen('a')", {"AGAIN"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError:\n    pass", set()),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    print(e)", {"printed"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    print(type(e))", {"printed"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    print(type(e).__name__)", {"name"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    print(type(e) is cc.Again)", {"name"}),
        ("try:\n    ep.listen('a')\nexcept Exception as e:\n    print(e)", {"printed"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    print(f'failed: {e}')", {"printed"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    print(*e.args)", {"printed"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    print(f'failed: {e.args}')", {"printed"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    print('failed: %s' % (e.args,))", {"printed"}),
        ("import logging\ntry:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    logging.error('%s', e.args)",
         {"printed"}),
        ("try:\n    ep.listen('a')\nexcept OSError as e:\n    kept = [str(part) for part in e.args]\nprint(kept)",
         {"printed"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    kept = e.args\nprint(len(kept))", set()),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    if 'taken' in str(e):\n        pass",
         {"text", "printed"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    if e.code == cc.DOCA_ERROR_AGAIN:\n        pass",
         {"AGAIN"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    print(e.name)", {"name"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    kept = [str(e)]\nprint('x' in kept)",
         {"text", "printed"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    kept = {'why': str(e)}\nprint('why' in kept)",
         {"printed"}),
        ("try:\n    ep.listen('a')\nexcept cc.DocaError as e:\n    kept = str(e)\nprint(kept is None)", {"printed"}),
        ("import traceback\ntry:\n    ep.listen('a')\nexcept cc.DocaError:\n"
         "    print('a' in traceback.format_exc())", {"text"}),
        ("import traceback\ntry:\n    ep.listen('a')\nexcept cc.DocaError:\n    print(traceback.format_exc())",
         {"printed"}),
        ("import traceback\ntry:\n    ep.listen('a')\nexcept cc.Again:\n    pass\ntry:\n    pass\n"
         "except KeyError:\n    print('a' in traceback.format_exc())", {"AGAIN"}),
        ("try:\n    ep.listen('a')\nexcept BlockingIOError as e:\n    print('a' in str(e))",
         {"text", "printed"}),
        ("try:\n    ep.listen('a')\nexcept cc.InvalidValue:\n    pass\ntry:\n    pass\n"
         "except BlockingIOError as e:\n    print('a' in str(e))", {"INVALID_VALUE"}),
        ("def failed(call):\n    try:\n        call('a')\n    except cc.DocaError as e:\n"
         "        return str(e) == 'b'\nfailed(ep.listen)\nep.listen('b')", set()),
    ],
)  # fmt: skip
def test_exceptions(text: str, expected: set[str]) -> None:
    assert observed(Marked(main=OBJECTS + text), "doca_comm_channel_ep_listen") == expected


FIND = "import doca_comm_channel as cc\ninfo = next(iter(cc.devices()), None)\n"
ASKED = "try:\n    cc.get_max_message_size(info)\nexcept cc.DocaError:\n    pass\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ASKED, {"strange"}),
        (f"if info is None:\n    print('none')\n{ASKED}", {"strange"}),
        (f"info = info or 'none'\nif info is None:\n    raise SystemExit(1)\n{ASKED}", {"strange"}),
        (f"info = info or cc.open_device('b1:00.0')\n{ASKED}", {"strange"}),
        ("import contextlib\nwith contextlib.suppress(cc.DocaError):\n    cc.get_max_message_size(info)", {"strange"}),
        (f"if info is None:\n    raise SystemExit(1)\n{ASKED}", set()),
        ("with cc.open_device('b1:00.0') as dev:\n    cc.get_max_message_size(info)", set()),
        ("import contextlib\nif info:\n    with contextlib.suppress(cc.DocaError):\n"
         "        cc.get_max_message_size(info)", set()),
    ],
)  # fmt: skip
def test_what_a_function_is_called_with(text: str, expected: set[str]) -> None:
    """The error for what is no handle is looked at where it may be raised, and caught."""
    program = Marked(main=FIND + text)
    assert observed(program, program.facts.vocabulary.objects["get_max_message_size"].name) == expected
