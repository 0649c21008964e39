# words_service.py - the DPU side of count_words.py
import time, sys
import doca_comm_channel as dcc

dev = dcc.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
ep = dcc.Endpoint()
ep.set_device(dev)
ep.set_device_rep(rep)
ep.set_max_msg_size(256)
ep.listen("words")
print("listening")

counts = {}
lines = 0
peer = None
deadline = time.time() + 60
while 1:
    try:
        line, peer = ep.recvfrom(256)
    except dcc.Again:
        if time.time() > deadline:
            print("no client")
            sys.exit(1)
        time.sleep(0.0001)
        continue
    if line == b".": break
    lines += 1
    for word in line.decode().split():
        counts[word] = counts.get(word, 0) + 1

print(lines, "lines", sum(counts.values()), "words")
rows = [str(len(counts))]
for item in counts.items(): rows.append("%s\t%d" % item)
for row in rows:
    while 1:
        try:
            ep.sendto(row.encode(), peer)
        except dcc.Again:
            time.sleep(0.0001)
        else:
            break

in_flight = 1
while in_flight:
    try: peer.update_info()
    except dcc.ConnectionAborted: break  # has all, and has gone
    in_flight = peer.get_send_in_flight_messages()
ep.disconnect(peer); ep.destroy()
rep.close(); dev.close()
