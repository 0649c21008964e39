"""Uses the transport of the package, and at the end its insides."""
import sys
import time

from kvstore import Reply, Request, make_client

client = make_client()
for request in (
    Request("put", "colour", "green"),
    Request("put", "shape", "round"),
    Request("get", "colour"),
    Request("get", "weight"),
    Request("count"),
    Request("dance"),
):
    client.send(request.encode())
    reply = Reply.decode(client.receive())
    print(request.verb, "ok" if reply.ok else "failed", reply.value)

client.ep.sendto(Request("bye").encode(), client.peer)
for _ in range(500000):
    try:
        data, peer = client.ep.recvfrom(1024)
        break
    except BlockingIOError:
        time.sleep(1e-4)
else:
    sys.exit("no farewell")
print("farewell", Reply.decode(data).ok, peer is client.peer)
client.ep.disconnect(client.peer)
client.close()
