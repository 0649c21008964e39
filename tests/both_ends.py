"""How an old script begins that has both ends of a channel, for tests of what is done around it."""

from __future__ import annotations

__all__ = ["BOTH_ENDS"]

BOTH_ENDS = """\
import doca_comm_channel as cc
dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
service, client = cc.Endpoint(), cc.Endpoint()
service.set_device(dpu)
service.set_device_rep(dpu.open_representor("b1:00.0"))
service.listen("svc")
client.set_device(host)
peer = client.connect("svc")
"""
