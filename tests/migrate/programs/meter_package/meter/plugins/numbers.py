"""Numbers, some of which are about the connection itself."""
import doca_comm_channel as cc

from . import answers


@answers("sum")
def total(end, peer, words):
    end.send(peer, "%g" % sum(float(word) for word in words))


@answers("traffic")
class Traffic:
    """Messages that have come from this peer, and those that others have sent."""

    def __init__(self):
        self.last = {}

    def __call__(self, end, peer, words):
        peer.update_info()
        self.last[peer.get_user_data()] = peer.get_recv_messages()
        end.send(peer, *("%d:%d" % pair for pair in sorted(self.last.items())))


@answers("limit")
def limit(end, peer, words):
    try:
        end.ep.sendto(bytes(end.settings.message_size + 1), peer)
    except cc.InvalidValue as error:
        end.send(peer, error.name, str(end.ep.get_max_msg_size()))
