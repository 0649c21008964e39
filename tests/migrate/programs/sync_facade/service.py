import sys

from facade import ChannelSocket

sock = ChannelSocket.listening("sync_facade")
print("listening")
total = 0
while (data := sock.recv(timeout_ms=60000)) != b"bye":
    total += len(data)
    if data == b"sum":
        print("sent", sock.send(str(total).encode(), timeout_ms=60000))
print("received", total, "bytes")
try:
    sock.recv(timeout_ms=10)
except BlockingIOError as error:
    print(error.strerror)
sock.close()
sock.close()
sys.exit(0)
