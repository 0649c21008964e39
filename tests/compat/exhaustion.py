"""Child programs in which one old call meets a machine that cannot go on, and which print the code it answers with."""

# The last piece of memory that is given back may be all that was missing, so `refused` tries several times, each
# time with the arguments that `fresh` makes. `without_descriptors` does what daemons do at their start: it closes
# all but the first three.
PREAMBLE = """
import os
from functools import partial
import comm_channel_compat as cc
from tests.compat import support
from tests.short_of_memory import short_of_memory

pair = support.Pair()

def refused(call, fresh):
    for _ in range(50):
        answer = short_of_memory(partial(call, *fresh()))
        if code_of(answer) != cc.DOCA_SUCCESS:
            break
    return answer

def without_descriptors(call, *arguments):
    os.closerange(3, 4096)
    return call(*arguments)

def code_of(answer):
    return answer[0] if isinstance(answer, tuple) else answer

def tell(answer):
    outputs = answer[1:] if isinstance(answer, tuple) else ()
    print(cc.doca_error_get_name(code_of(answer)), set(outputs) <= {None}, flush=True)

"""

EXHAUSTED = {
    ("ep_create", "NO_MEMORY"): """
tell(refused(cc.doca_comm_channel_ep_create, tuple))
assert cc.doca_comm_channel_ep_create()[0] == cc.DOCA_SUCCESS
""",
    ("ep_disconnect", "NO_MEMORY"): """
def connected():
    if cc.doca_comm_channel_peer_addr_update_info(pair.to_service) != cc.DOCA_SUCCESS:
        pair.to_service = pair.client.connect(support.NAME)
        support.let_in(pair.service, pair.to_service)
    return pair.client, pair.to_service

tell(refused(cc.doca_comm_channel_ep_disconnect, connected))
assert cc.doca_comm_channel_ep_destroy(pair.client) == cc.DOCA_SUCCESS
""",
    ("ep_sendto", "UNKNOWN"): """
for _ in range(100_000):  # it asks the system only now and then
    answer = without_descriptors(cc.doca_comm_channel_ep_sendto, pair.client, b"x", 1, 0, pair.to_service)
    if answer not in (cc.DOCA_SUCCESS, cc.DOCA_ERROR_AGAIN):
        break
tell(answer)
""",
    ("ep_recvfrom", "UNKNOWN"): """
for _ in range(100_000):
    answer = without_descriptors(cc.doca_comm_channel_ep_recvfrom, pair.client, 100, 0)
    if answer[0] != cc.DOCA_ERROR_AGAIN:
        break
tell(answer)
""",
    ("ep_disconnect", "UNKNOWN"): """
tell(without_descriptors(cc.doca_comm_channel_ep_disconnect, pair.client, pair.to_service))
""",
    ("ep_update_service_state_info", "DRIVER"): """
tell(without_descriptors(cc.doca_comm_channel_ep_update_service_state_info, pair.service))
""",
}

END = "\nos._exit(0)  # what is left is of no use: nothing is to be closed in order\n"
