"""A caller leaves in order, after a question: the service reads on, and answers into the void."""
import doca_comm_channel as cc


def listening(dpu):
    ep = cc.Endpoint()
    ep.set_device(dpu)
    ep.set_device_rep(dpu.open_representor("b1:00.0"))
    ep.listen("farewell")
    return ep


def calling(host):
    ep = cc.Endpoint()
    ep.set_device(host)
    return ep, ep.connect("farewell")


def next_of(ep):
    """The next message and its peer; None when there is nothing to read."""
    try:
        return ep.recvfrom(64)
    except cc.Again:
        return None


def main():
    dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
    service = listening(dpu)
    caller, to_service = calling(host)
    assert next_of(service) is None
    to_service.update_info()
    caller.sendto(b"who is there", to_service)
    question, peer = next_of(service)
    print("asked", question)
    caller.disconnect(to_service)
    print("more", next_of(service))
    for answer in (b"the service", b"still the service"):
        try:
            service.sendto(answer, peer)
            print("answered")
        except cc.ConnectionReset as error:
            print("not answered:", error.name)
    for ep in (caller, service):
        ep.destroy()
    for device in (host, dpu):
        device.close()


main()
