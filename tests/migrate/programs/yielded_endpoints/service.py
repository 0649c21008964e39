"""Count bytes on the data channel, answer on the control channel when as many as were asked for have come."""
from endpoints import departures, messages, pair_of_services, send

with pair_of_services("twins") as (control, data):
    print("listening", flush=True)
    received, expected, asking = 0, None, None
    for ep, message, peer in messages(control, data):
        if ep is data:
            received += len(message)
        elif message:
            expected, asking = int(message), peer
        else:
            send(ep, b"over", peer)
        if asking and received == expected:
            send(control, b"%d bytes" % received, asking)
            asking = None
    for event in departures(control=control, data=data):
        print(event)
    print("received", received)
