from __future__ import annotations
import time
from typing import Callable, Generic, NewType, Optional, Sequence, Tuple, TypeVar
from doca_comm_channel import *
import doca_comm_channel as dcc

T = TypeVar("T")
Rc = NewType("Rc", int)


class Result(Generic[T]):
    def __init__(self, rc: Rc, value: Optional[T] = None) -> None:
        self.rc, self.value = rc, value

    def expect(self, what: str) -> T:
        if self.rc != DOCA_SUCCESS:
            raise SystemExit(f"{what}: {doca_error_get_name(self.rc)}")
        return self.value  # type: ignore[return-value]


def open_device(address: str) -> Result["dcc.Device"]:
    rc, infos, n = doca_devinfo_create_list()
    if rc:
        return Result(Rc(rc))
    for i in range(n):
        rc, same = doca_devinfo_is_equal_pci_addr(infos[i], address)
        if rc == DOCA_SUCCESS and same:
            result: Result["dcc.Device"] = Result(*doca_dev_open(infos[i]))
            break
    else:
        result = Result(Rc(DOCA_ERROR_NOT_FOUND))
    doca_devinfo_destroy_list(infos)
    return result


def make(device: dcc.Device, size: int) -> Result[dcc.Endpoint]:
    created: Tuple[int, Optional[dcc.Endpoint]] = doca_comm_channel_ep_create()
    rc, ep = created
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_set_device(ep, device) or doca_comm_channel_ep_set_max_msg_size(ep, size)
    return Result(rc, ep)


def connect(ep: dcc.Endpoint, name: str) -> Result[dcc.PeerAddr]:
    rc, peer = doca_comm_channel_ep_connect(ep, name)
    while rc == DOCA_SUCCESS:
        rc = doca_comm_channel_peer_addr_update_info(peer)
        if rc == DOCA_ERROR_CONNECTION_INPROGRESS:
            rc = DOCA_SUCCESS
        elif rc == DOCA_SUCCESS:
            break
    return Result(rc, peer)


def patiently(call: Callable[[], Result[T]], codes: Sequence[int] = (DOCA_ERROR_AGAIN,)) -> Result[T]:
    while (result := call()).rc in codes:
        time.sleep(1e-4)
    return result


device: dcc.Device = open_device("b1:00.0").expect("open")
print(open_device("77:00.0").rc == DOCA_ERROR_NOT_FOUND)
ep: dcc.Endpoint = make(device, 600).expect("make")
peer: dcc.PeerAddr = connect(ep, "typed").expect("connect")
for word in ("a", "b", "a"):
    patiently(lambda: Result(Rc(doca_comm_channel_ep_sendto(ep, word.encode(), 1, 0, peer)))).expect("send")
    received = patiently(lambda: Result(*doca_comm_channel_ep_recvfrom(ep, 600, 0)[:2]))
    print(word, received.expect("receive"))
patiently(lambda: Result(Rc(doca_comm_channel_ep_sendto(ep, b"end", 3, 0, peer))))
time.sleep(0.2)
print(doca_comm_channel_ep_disconnect(ep, peer), doca_comm_channel_ep_destroy(ep), doca_dev_close(device))
