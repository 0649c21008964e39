import native

dev = native.open_device("03:00.0")
rep = native.open_representor(dev, "b1:00.0")
ep = native.Endpoint(dev)
ep.listen(rep, b"cffiping")
print("listening", flush=True)
sizes = []
while True:
    data, peer = ep.receive()
    if data == b"end":
        break
    sizes.append(len(data))
    ep.send(data[::-1], peer)
print(len(sizes), "pings, largest", max(sizes))
ep.send(b"end", peer)
ep.receive()
ep.close()
native.ok(native.common.doca_dev_rep_close(rep))
native.ok(native.common.doca_dev_close(dev))
print("bye")
