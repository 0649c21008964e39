"""One service, many clients of one process: numbers must come in turn from each, and are echoed."""
import struct
import sys
import time

import doca_comm_channel as cc

CLIENTS, ROUNDS = 20, 5
PACKET = struct.Struct("!HH60x")


def main():
    devices = [cc.open_device("03:00.0")]
    reps = [devices[0].open_representor("b1:00.0")]
    endpoints = [cc.Endpoint()]
    endpoints[0].set_device(devices[0])
    endpoints[0].set_device_rep(reps[0])
    for option, value in {"max_msg_size": 64, "send_queue_size": 8, "recv_queue_size": 8}.items():
        if option == "max_msg_size":
            endpoints[0].set_max_msg_size(value)
        elif option == "send_queue_size":
            endpoints[0].set_send_queue_size(value)
        else:
            endpoints[0].set_recv_queue_size(value)
    endpoints[0].listen("scale_probe")
    print("listening")

    expected = {}
    numbers = {}
    backlog = []
    finished = set()
    end = time.monotonic() + 60
    while len(finished) < CLIENTS and time.monotonic() < end:
        backlog = [entry for entry in backlog if not sent(endpoints[0], *entry)]
        try:
            data, peer = endpoints[0].recvfrom(64)
        except cc.Again:
            time.sleep(1e-5)
            continue
        client, number = PACKET.unpack(data)
        assert expected.setdefault(peer, 0) == number, f"client {client}: {number} out of turn"
        numbers[client] = expected[peer] = number + 1
        backlog.append((data, peer))
        if number + 1 == ROUNDS:
            finished.add(peer)
    for entry in backlog:
        while not sent(endpoints[0], *entry):
            time.sleep(1e-5)
    print("clients", len(expected), "finished", len(finished))
    print("numbers", sum(numbers.values()), "least", min(numbers.values()))
    total = 0
    for peer in expected:
        peer.update_info()
        total += peer.get_send_messages()
    print("echoes", total)
    for peer in list(expected):
        endpoints[0].disconnect(peer)
        del expected[peer]
    print("left", len(expected))
    while endpoints:
        endpoints.pop().destroy()
    for opened in reps + devices:
        opened.close()
    return 0 if len(finished) == CLIENTS else 1


def sent(ep, data, peer):
    try:
        ep.sendto(data, peer)
    except cc.Again:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
