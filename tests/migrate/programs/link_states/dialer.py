import sys

import doca_comm_channel
from link import Event, Link, State

SERVICES = ["link_states?", "link_states"]

device = doca_comm_channel.open_device("b1:00.0")
links = [Link(device, name) for name in SERVICES]
for link in links:
    event = link.run_until(State.UP, State.FAILED)
    print(link.service, event.value, link.state.name, doca_comm_channel.doca_error_get_name(link.rc))
    print(" ", *link.history)
up = links[-1]
up.outbox += [b"ADD 3 4", b"ADD 20 22", b"DUMP", b"QUIT"]
up.attempts = 2
print(up.run_until(State.CLOSED), up.state.final)
for line in up.inbox:
    print(line.decode())
print(" ", *up.history[-2:])
oversized = Link(device, b"x" * 300)
print(oversized.run_until(State.UP).name, oversized.state, doca_comm_channel.doca_error_get_name(oversized.rc))
doca_comm_channel.doca_comm_channel_ep_destroy(oversized.ep)
print(doca_comm_channel.doca_error_get_name(doca_comm_channel.doca_dev_close(device)))
sys.exit(sum(link.attempts for link in links))
