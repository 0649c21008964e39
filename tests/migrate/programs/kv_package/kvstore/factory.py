from . import transport
from .transport import Listener

NAME = "kvstore"


def make_server(rep_pci="b1:00.0"):
    server = Listener.on("03:00.0")
    server.listen(NAME, rep_pci)
    return server


def make_client():
    client = transport.Dialler.on("b1:00.0")
    client.dial(NAME)
    return client
