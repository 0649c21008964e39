import sys
import zlib

from parcel import Host, Outbound

FILES = {"letter.txt": b"Dear reader, best wishes.", "big.bin": bytes(range(250)) * 40}

link = Host("parcels")
lane = Outbound(link)
for name in sys.argv[1:]:
    data = FILES[name]
    pieces = -(-len(data) // 4096)
    link.label(name=name, pieces=pieces, crc=zlib.crc32(data))
    print("sent", name, "in", lane.give(data))
    link.wait(lambda: link.labels)
    assert link.labels.pop() == {"received": name}
link.label(end=True)
lane.close()
link.wait(lambda: link.consumer_id is None)
link.close()
print("bye")
