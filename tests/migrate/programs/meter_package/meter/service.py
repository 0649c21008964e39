"""Serve until somebody says quit."""
from . import plugins
from .ends import ServiceEnd
from .settings import Settings


def serve(settings: Settings) -> dict:
    words = plugins.load(settings.plugins)
    counts = dict.fromkeys(words, 0)
    with ServiceEnd(settings) as end:
        print("listening with", *words, flush=True)
        guests = 0
        while True:
            peer, (word, *rest) = end.receive()
            if not peer.get_user_data():
                guests += 1
                peer.set_user_data(guests)
            if word == "quit":
                end.send(peer, "bye")
                end.ep.disconnect(peer)
                return counts
            plugin = plugins.TABLE.get(word)
            if plugin is None:
                end.send(peer, "unknown", word)
                continue
            counts[word] += 1
            plugin(end, peer, rest)
