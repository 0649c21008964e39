import doca_comm_channel as _library


def serve(name, pci="03:00.0", function="b1:00.0"):
    def make():
        nonlocal pci
        pci = _library.open_device(pci)
        ep.set_device(pci)
        ep.set_device_rep(pci.open_representor(function))

    ep = _library.Endpoint()
    make()
    ep.listen(name)
    return ep


def dial(name, pci="b1:00.0"):
    ep = _library.Endpoint()
    ep.set_device(_library.open_device(pci))
    peer = ep.connect(name)
    dial.retry(peer.update_info)
    return ep, peer


def hang_up(ep):
    """Close what was opened on the way; both sides."""
    device = ep.get_device()
    try:
        rep = ep.get_device_rep()
    except _library.InvalidValue:
        rep = None
    ep.destroy()
    if rep:
        rep.close()
    device.close()
    return "service" if rep else "client"


_opened = _library.DOCA_SUCCESS
del _opened
