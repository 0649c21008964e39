from channel import Channel

with Channel(cookie=0xD0CA) as channel:
    channel.listen("kv")
    print("listening", flush=True)
    store = {}
    clients = 0
    while True:
        data, peer = channel.recv()
        if not channel.label_of(peer):
            clients += 1
            channel.label(peer, clients)
        verb, _, rest = data.decode().partition(" ")
        if verb == "set":
            key, _, value = rest.partition("=")
            store[key] = value
            channel.send(peer, b"ok")
        elif verb == "get":
            channel.send(peer, store.get(rest, "(none)").encode())
        elif verb == "quit":
            print("stats", channel.stats(peer), "client", channel.label_of(peer))
            channel.send(peer, b"bye")
            break
print("store", sorted(store.items()))
