"""Send data on one endpoint, ask on the other."""
from endpoints import messages, pair_of_clients, send


def answers(ep):
    for _, message, _ in messages(ep):
        yield message


with pair_of_clients("twins") as ((control, control_peer), (data, data_peer)):
    replies = answers(control)
    total = 0
    for count in (1, 10, 100):
        send(data, bytes(count), data_peer)
        total += count
        send(control, b"%d" % total, control_peer)
        print(next(replies).decode())
    send(control, b"", control_peer)
    print(next(replies).decode())
print("left")
