from chan import *
from chan.roles import hang_up

ep = serve("reexported")
print("listening")
peers = set()
while True:
    try:
        (data, peer) = patient(ep.recvfrom, 4080)
    except DocaError as error:
        raise SystemExit(error.name)
    peers |= {peer}
    if data == b"":
        break
    try:
        ep.sendto(b"got " + data, peer)
    except Again:
        print("full")
print(len(peers), "peer,", isinstance(peer, cc.PeerAddr), cc.doca_error_get_name(cc.DOCA_SUCCESS))
print("closed the", hang_up(ep))
