from channel import Channel, ChannelError

with Channel(cookie=1, depth=4) as channel:
    print("early:", end=" ")
    try:
        channel.recv()
    except ChannelError as error:
        print(error)
    peer = channel.connect("kv")
    print("nothing:", channel.recv(block=False))
    for line in ("set a=1", "set b=two", "get a", "get b", "get c"):
        channel.send(peer, line.encode())
        answer, sender = channel.recv()
        print(line, "->", answer.decode(), sender == peer)
    try:
        channel.send(peer, bytes(channel.MSG_SIZE + 1))
    except ChannelError as error:
        print(error)
    channel.send(peer, b"quit")
    while (found := channel.recv(block=False)) is None:
        pass
    print(found[0].decode(), channel.stats(peer)["tx"])
    channel.hang_up(peer)
    try:
        channel.send(peer, b"more")
    except ChannelError as error:
        print(error)
