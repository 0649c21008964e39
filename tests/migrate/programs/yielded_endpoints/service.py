"""Count bytes on the data channel, answer on the control channel."""
import time

from endpoints import messages, pair_of_services, send

with pair_of_services("twins") as (control, data):
    print("listening", flush=True)
    received = 0
    for ep, message, peer in messages(control, data):
        if ep is data:
            received += len(message)
        elif message == b"total?":
            send(control, b"%d" % received, peer)
        elif not message:
            send(ep, b"over", peer)
    remaining = None
    deadline = time.monotonic() + 10
    while remaining != 0 and time.monotonic() < deadline:
        control.update_service_state_info()
        data.update_service_state_info()
        remaining = len(control.get_peer_addr_list()) + len(data.get_peer_addr_list())
        time.sleep(0.001)
    print("received", received, "remaining", remaining)
