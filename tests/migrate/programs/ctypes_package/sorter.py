from dpulink import Link

link = Link("03:00.0", "b1:00.0").listen("sorter")
print("listening", flush=True)
words = []
while (word := link.receive()) != b"":
    words.append(word)
link.send(*sorted(words), b".")
print(len(words), "words, then", link.receive().decode())
link.close()
