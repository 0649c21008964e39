"""Generation 1 as in DOCA 1.2 to 1.4, flat only. Programs of these releases import it as ``doca_comm_channel``.

An endpoint is made from attributes, needs no device, and blocks::

    attr = doca_comm_channel_init_attr(maxmsgs=512, msgsize=4080)     # flags=DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK
    rc, ep = doca_comm_channel_ep_create(attr)                        # 0 leaves a size to the library
    rc = doca_comm_channel_ep_listen(ep, "svc")                       # on every representor of this machine
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")                # through any device that reaches it
    rc = doca_comm_channel_ep_sendto(ep, msg, len(msg), 0, peer)      # waits for room
    rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, 4080, DOCA_CC_MSG_FLAG_DONTWAIT)
    rc, info = doca_comm_channel_peer_addr_info_get(peer)             # info.tx_msgs, info.curmsgs, ...
    fd = doca_comm_channel_ep_event_channel_get(ep)                   # ready while recvfrom has something to return
    rc = doca_comm_channel_ep_disconnect(ep, peer); rc = doca_comm_channel_ep_destroy(ep)

Under ``python -m comm_channel_compat run --doca 1.4 SCRIPT`` the old name stands for this module.
"""

# endpoint  the handle      flat  the C names as functions, and every constant

from comm_channel_compat._old_calls import LegacyCallWarning
from comm_channel_compat.blocking import flat
from comm_channel_compat.blocking.endpoint import Endpoint
from comm_channel_compat.blocking.flat import *
from comm_channel_compat.blocking.flat import __getattr__ as __getattr__
from comm_channel_compat.peer_addr import PeerAddr

__all__ = ["Endpoint", "LegacyCallWarning", "PeerAddr"]
__all__ += flat.__all__
__all__.sort()
