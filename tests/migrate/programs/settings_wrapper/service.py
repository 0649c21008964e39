from wrapper import EchoService

s = EchoService("03:00.0", "b1:00.0", "prop", limit=512, queue=(16, 16))
print(s)
print("listening", flush=True)
for n in range(2):
    data = s.recv()
    if not n:
        s.tag = 41
    print("[%d] from %d: %r" % (n, s.tag, data))
    s.send(data)
print("peers: %d, pending: %d" % (s.peers, s.pending))
s.recv()
s.send(b"")
s.recv()
s.close()
print("closed:", s.closed)
