from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, Iterator, Literal, NoReturn, Protocol, TypedDict, Union, cast, overload

import doca_comm_channel as _cc

if TYPE_CHECKING:
    from doca_comm_channel import Device, Endpoint, PeerAddr, Representor

Code = int
MAX: Final = 600


class Settings(TypedDict, total=False):
    device: str
    representor: str
    name: str
    size: int


class Handles(TypedDict):
    dev: Device
    rep: Representor
    ep: Endpoint


class Sink(Protocol):
    def put(self, data: bytes, peer: PeerAddr) -> Code: ...


class Source(Protocol):
    def get(self) -> tuple[bytes, PeerAddr] | None: ...


class Failure(Exception):
    def __init__(self, code: Code, step: str) -> None:
        self.code: Code = code
        super().__init__(step + ": " + _cc.doca_error_get_name(code))


def die(code: Code, step: str) -> NoReturn:
    raise Failure(code, step)


@overload
def find(kind: Literal["device"], address: str, dev: None = ...) -> Device: ...
@overload
def find(kind: Literal["representor"], address: str, dev: Device) -> Representor: ...


def find(kind: str, address: str, dev: Device | None = None) -> Union[Device, Representor]:
    if kind == "device":
        rc, infos, n = _cc.doca_devinfo_create_list()
        if rc != _cc.DOCA_SUCCESS:
            die(rc, "devices")
        for info in infos[:n]:
            if _cc.doca_devinfo_is_equal_pci_addr(info, address)[1]:
                rc, found = _cc.doca_dev_open(info)
                break
        else:
            rc, found = _cc.DOCA_ERROR_NOT_FOUND, None
        _cc.doca_devinfo_destroy_list(infos)
        if found is None:
            die(rc, address)
        return cast("Device", found)
    assert dev is not None
    rc, reps, n = _cc.doca_devinfo_rep_create_list(dev, _cc.DOCA_DEVINFO_REP_FILTER_NET)
    if rc != _cc.DOCA_SUCCESS:
        die(rc, "representors")
    rc = _cc.DOCA_ERROR_NOT_FOUND
    rep: Representor | None = None
    for one in reps[:n]:
        if _cc.doca_devinfo_rep_is_equal_pci_addr(one, address)[1]:
            rc, rep = _cc.doca_dev_rep_open(one)
    _cc.doca_devinfo_rep_destroy_list(reps)
    if rep is None:
        die(rc, address)
    return rep


def setup(settings: Settings) -> Handles:
    dev: Device = find("device", settings["device"])
    rep: Representor = find("representor", settings["representor"], dev)
    rc: Code
    ep: Endpoint
    rc, ep = _cc.doca_comm_channel_ep_create()
    for step, code in {
        "device": _cc.doca_comm_channel_ep_set_device(ep, dev),
        "rep": _cc.doca_comm_channel_ep_set_device_rep(ep, rep),
        "size": _cc.doca_comm_channel_ep_set_max_msg_size(ep, settings.get("size", MAX)),
        "listen": _cc.doca_comm_channel_ep_listen(ep, settings["name"]),
    }.items():
        if code != _cc.DOCA_SUCCESS:
            die(code, step)
    return {"dev": dev, "rep": rep, "ep": ep}


class Port:
    """Both protocols on one endpoint."""

    __slots__ = ("_ep",)

    def __init__(self, ep: Endpoint) -> None:
        self._ep: Endpoint = ep

    def put(self, data: bytes, peer: PeerAddr) -> Code:
        while (rc := _cc.doca_comm_channel_ep_sendto(self._ep, data, len(data), 0, peer)) == _cc.DOCA_ERROR_AGAIN:
            time.sleep(1e-4)
        return rc

    def get(self) -> tuple[bytes, PeerAddr] | None:
        rc, data, _n, peer = _cc.doca_comm_channel_ep_recvfrom(self._ep, MAX, 0)
        if rc == _cc.DOCA_ERROR_AGAIN:
            return None
        if rc != _cc.DOCA_SUCCESS:
            die(rc, "recvfrom")
        return data, peer


def requests(source: Source) -> Iterator[tuple[str, PeerAddr]]:
    while True:
        item = source.get()
        if item is None:
            time.sleep(1e-4)
            continue
        data, peer = item
        yield data.decode(), peer


def serve(port: Sink, items: Iterator[tuple[str, PeerAddr]], counters: dict[str, Any]) -> PeerAddr:
    for text, peer in items:
        counters[text] = counters.get(text, 0) + 1
        if text == "end":
            return peer
        code = port.put(str(counters[text]).encode(), peer)
        if code:
            die(code, "put")
    raise AssertionError


def main() -> int:
    handles = setup({"device": "03:00.0", "representor": "b1:00.0", "name": "typed"})
    print("listening", flush=True)
    port = Port(handles["ep"])
    counters: dict[str, Any] = {}
    peer: PeerAddr = serve(port, requests(port), counters)
    print(counters)
    code: Code = _cc.doca_comm_channel_ep_disconnect(handles["ep"], peer)
    _cc.doca_comm_channel_ep_destroy(handles["ep"])
    _cc.doca_dev_rep_close(handles["rep"])
    _cc.doca_dev_close(handles["dev"])
    return code


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except Failure as failure:
        print(failure)
        raise SystemExit(failure.code)
