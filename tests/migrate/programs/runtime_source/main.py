"""A calculator for the lab: operators type calls, which are evaluated; the source shows in what it prints."""
import sys

from doca_comm_channel import *

LINES = """\
DOCA_SUCCESS
doca_error_get_name(DOCA_ERROR_AGAIN)
host.connect("nobody")[0]
doca_comm_channel_ep_get_max_msg_size(ep)
[name for name in sorted(globals()) if name.endswith("_ep_listen")]
"""


class Host:
    def __init__(self, ep):
        self.ep = ep

    def connect(self, name):
        return doca_comm_channel_ep_connect(self.ep, name)


def main():
    dev = open_device("b1:00.0")
    rc, ep = doca_comm_channel_ep_create()
    print(f"{rc=} {doca_comm_channel_ep_set_device(ep, dev)=}")
    print(f"{doca_error_get_name(rc)=!s:>50}")
    scope = {**globals(), "host": Host(ep), "ep": ep}
    for line in LINES.splitlines():
        print(line, "->", eval(line, scope))
    getter = "doca_comm_channel_ep_get_%s_queue_size"
    print([globals()[getter % side](ep) for side in ("send", "recv")])
    rc = doca_comm_channel_ep_destroy(ep)
    dev.close()
    return rc


if __name__ == "__main__":
    sys.exit(main())
