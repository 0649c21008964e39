"""Two tenants; newer than the registry, with annotations in quotes."""
import sys
from typing import TYPE_CHECKING, Dict, List, NamedTuple, Union, cast, get_type_hints

import doca_comm_channel as cc
from ports import wait_for

if TYPE_CHECKING:
    from doca_comm_channel import PeerAddr

Answer = Union["cc.DocaError", str]
Opened = Dict[str, "Tenant"]


class Tenant(NamedTuple):
    endpoint: "cc.Endpoint"
    peer: "PeerAddr"

    @classmethod
    def move_in(cls, device: "cc.Device", service: 'str' = "type_comments") -> "Tenant":
        endpoint: "cc.Endpoint" = cc.Endpoint()
        endpoint.set_device(device)
        endpoint.set_max_msg_size(256)
        peer = cast("cc.PeerAddr", endpoint.connect(service))
        wait_for(peer.update_info, cc.ConnectionInprogress)
        return cls(endpoint, peer)

    def ask(self, text: str) -> Answer:
        try:
            wait_for(lambda: self.endpoint.sendto(text.encode(), self.peer), cc.Again)
        except cc.InvalidValue as error:
            return error
        data, _ = wait_for(lambda: self.endpoint.recvfrom(256), cc.Again)
        return data.decode()

    def move_out(self) -> None:
        self.endpoint.disconnect(self.peer)
        self.endpoint.destroy()


def names_of(hints: "Dict[str, type]") -> "List[str]":
    return sorted(name for name in hints if name != "return")


def main(device: "cc.Device", *, tenants: "Opened") -> "int":
    for name in ("ann", "bob"):
        tenants[name] = Tenant.move_in(device)
    script: "List[tuple]" = [
        ("ann", "claim ssh"), ("bob", "claim ssh"), ("bob", "claim web"), ("ann", "use ssh"), ("bob", "use ssh"),
        ("ann", "use ftp"), ("ann", "claim mail"), ("ann", "claim news"), ("ann", "mine"), ("bob", "mine"),
        ("bob", "x" * 300), ("bob", "stop"),
    ]
    for name, text in script:
        answer: Answer = tenants[name].ask(text)
        if isinstance(answer, cc.DocaError):
            print(name, "!", cast("cc.DocaError", answer).name)
        else:
            print(name, text, "->", answer)
    for tenant in tenants.values():
        tenant.move_out()
    device.close()
    return 0


if __name__ == "__main__":
    print(names_of(get_type_hints(Tenant.move_in)))
    sys.exit(main(cc.open_device("b1:00.0"), tenants={}))
