from wrapper import EchoClient

c = EchoClient("b1:00.0", "prop", limit=512, queue=(10, 20)).connect()
print(c)
print(*[(c.send(word), c.recv().decode())[1] for word in (b"one", b"two")])
print("tx=%s rx=%s flying=%d" % (c.tx, c.rx, c.flying))
print("frozen:", c.frozen())
c.send(b"")
c.recv()
c.send(b"")
c.close()
print("closed:", c.closed)
