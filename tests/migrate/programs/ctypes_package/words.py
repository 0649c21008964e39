from dpulink import Link, Refused

link = Link("b1:00.0")
try:
    link.send(b"nobody listens")
except Refused as refused:
    print(refused.code, refused)
link.connect("sorter")
link.send(b"pear", b"apple", b"fig", b"quince", b"")
answer = []
while (word := link.receive()) != b".":
    answer.append(word.decode())
print(*answer)
link.send(b"thanks")
link.close()
link = Link("b1:00.0")
link.close()
