"""Of several wrong arguments the first one is reported."""

from __future__ import annotations

import pytest

import comch_next as comch


@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("wrong", [None, "peer"])
def test_the_message_stands_before_the_connection(one_sided: bool, wrong: object) -> None:
    with comch.open_device("03:00.0") as device, device.open_representor("b1:00.0") as representor:
        options = {"device": device, "device_rep": representor, "one_sided": one_sided}
        with comch.Channel(**options) as channel:  # type: ignore[arg-type]
            channel.listen("first")
            with pytest.raises(comch.InvalidValue, match="message is 'text'"):
                channel.send_to("text", wrong)  # type: ignore[arg-type]
            assert channel.try_send_to("text", wrong) == comch.ErrorCode.INVALID_VALUE  # type: ignore[arg-type]
            with pytest.raises((comch.NotConnected, comch.InvalidValue), match=r"peer|connection"):
                channel.send_to(b"bytes", wrong)  # type: ignore[arg-type]
