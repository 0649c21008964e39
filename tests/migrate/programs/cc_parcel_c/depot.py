import zlib

from parcel import Dpu, Inbound

link = Dpu("parcels")
print("listening", flush=True)
link.wait(lambda: link.peer is not None)
lane = Inbound(link)
closed = 0
while True:
    link.wait(lambda: link.labels)
    label = link.labels.pop(0)
    if label.get("end"):
        break
    data = lane.take(label["pieces"])
    verdict = "ok" if zlib.crc32(data) == label["crc"] else "BAD"
    print(f"parcel {label['name']} {len(data)} bytes in {label['pieces']} pieces, crc {verdict}")
    link.label(received=label["name"])
    closed += 1
lane.close()
link.close()
print("closed", closed)
