"""Context managers and generators that hand out endpoints, one or two at a time."""
import contextlib
import select
import time

import doca_comm_channel as cc

SIZE = 1024


@contextlib.contextmanager
def opened(address):
    device = cc.open_device(address)
    try:
        yield device
    finally:
        device.close()


@contextlib.contextmanager
def listening(device, representor, name):
    with contextlib.closing(device.open_representor(representor)) as rep:
        ep = cc.Endpoint()
        ep.set_device(device)
        ep.set_device_rep(rep)
        ep.set_max_msg_size(SIZE)
        ep.listen(name)
        try:
            yield ep
        finally:
            ep.destroy()


@contextlib.contextmanager
def pair_of_services(name):
    """Yield the endpoint for control and the one for data."""
    with opened("03:00.0") as device:
        with listening(device, "b1:00.0", name + "-control") as control:
            with listening(device, "b1:00.0", name + "-data") as data:
                yield control, data


@contextlib.contextmanager
def pair_of_clients(name):
    """Yield ((control, its peer), (data, its peer))."""
    with opened("b1:00.0") as device:
        control, data = cc.Endpoint(), cc.Endpoint()
        for ep in (control, data):
            ep.set_device(device)
            ep.set_max_msg_size(SIZE)
        control_peer = connected(control, name + "-control")
        data_peer = connected(data, name + "-data")
        try:
            yield (control, control_peer), (data, data_peer)
        finally:
            data.disconnect(data_peer)
            control.disconnect(control_peer)
            data.destroy()
            control.destroy()


def connected(ep, name):
    while True:
        try:
            peer = ep.connect(name)
            break
        except cc.ConnectionAborted:
            time.sleep(0.01)
    while True:
        try:
            peer.update_info()
        except cc.ConnectionInprogress:
            time.sleep(0.001)
        else:
            return peer


def messages(*endpoints):
    """Yield (endpoint, message, peer) of whichever endpoint has one, until a message is empty."""
    while True:
        for ep in endpoints:
            try:
                message, peer = ep.recvfrom(SIZE)
            except cc.Again:
                continue
            yield ep, message, peer
            if not message:
                return
        time.sleep(0.0005)


def departures(**services):
    """Yield the names of services whose last client has gone, in their order; woken by events alone."""
    watched = {ep.get_service_event_channel(): name for name, ep in services.items()}
    gone = set()
    while len(gone) < len(services):
        for name in services.keys() - gone:
            services[name].update_service_state_info()
            if not services[name].get_peer_addr_list():
                gone.add(name)
        if len(gone) < len(services) and not select.select(list(watched), [], [], 60)[0]:
            raise TimeoutError("no event of %s" % ", ".join(sorted(services.keys() - gone)))
    yield from services


def send(ep, message, peer):
    while True:
        try:
            return ep.sendto(message, peer)
        except cc.Again:
            time.sleep(0.001)
