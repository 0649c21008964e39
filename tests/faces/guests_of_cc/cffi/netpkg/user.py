import netpkg

try:
    netpkg.connect("nothing")
except ConnectionRefusedError as error:
    print("refused:", error)
with netpkg.connect("store") as channel:
    for request in (b"put a " + bytes(4000), b"put b x", b"get b", b"get c", b"put a short"):
        channel.send(request)
        print(request[:5], "->", channel.recv())
    try:
        channel.send(bytes(70000))
    except OSError as error:
        print(error.strerror)
