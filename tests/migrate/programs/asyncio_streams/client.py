"""Three talks at once from one loop."""
import asyncio
import sys

import doca_comm_channel as cc
from streams import open_stream

TALKS = {
    "a": ["the cat sat on the mat", "the end", "?"],
    "b": ["row row row your boat", "?", "gently down the stream", "?"],
    "c": ["one " * 40] * 30 + ["?"],
}


async def talk(dev, name, lines, together):
    stream, peer = await open_stream(dev, "words")
    answers = []
    for line in lines:
        await stream.send(line.encode(), peer)
        if line == "?":
            answer, _ = await stream.recv()
            answers.append(answer.decode())
    together.append(name)
    while len(together) < len(TALKS):
        await asyncio.sleep(0.001)
    stream.ep.disconnect(peer)
    stream.ep.destroy()
    return name, answers


async def main():
    dev = cc.open_device("b1:00.0")
    together = []
    talks = [talk(dev, name, lines, together) for name, lines in TALKS.items()]
    for name, answers in await asyncio.gather(*talks):
        print(name, *answers)
    dev.close()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
