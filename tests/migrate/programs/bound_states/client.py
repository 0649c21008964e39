import doca_comm_channel as d
import time
import sys


class Client:
    def __init__(self, words):
        self.words = iter(words)
        self.state = "open"
        self.steps = dict(open=self._open, connect=self._connect, wait=self._wait, ask=self._ask, hear=self._hear)

    def __call__(self):
        while self.state in self.steps:
            step = self.steps[self.state]
            self.state = step() or self.state
        return self.state

    def _open(self):
        _, infos, _ = d.doca_devinfo_create_list()
        mine = [i for i in infos if d.doca_devinfo_get_pci_addr_str(i)[1].endswith("b1:00.0")]
        rc, self.dev = d.doca_dev_open(mine[0])
        d.doca_devinfo_destroy_list(infos)
        rc, self.ep = d.doca_comm_channel_ep_create()
        rc |= d.doca_comm_channel_ep_set_device(self.ep, self.dev)
        rc |= d.doca_comm_channel_ep_set_max_msg_size(self.ep, 128)
        return "connect" if rc == 0 else "broken"

    def _connect(self):
        rc, self.peer = d.doca_comm_channel_ep_connect(self.ep, "machine")
        return {d.DOCA_SUCCESS: "wait", d.DOCA_ERROR_CONNECTION_ABORTED: "refused"}.get(rc, "broken")

    def _wait(self):
        rc = d.doca_comm_channel_peer_addr_update_info(self.peer)
        if rc == d.DOCA_ERROR_CONNECTION_INPROGRESS:
            time.sleep(1e-4)
            return None
        return "ask" if rc == d.DOCA_SUCCESS else "broken"

    def _ask(self):
        word = next(self.words, None)
        if word is None:
            return "done"
        rc = d.DOCA_ERROR_AGAIN
        while rc == d.DOCA_ERROR_AGAIN:
            rc = d.doca_comm_channel_ep_sendto(self.ep, word, len(word), d.DOCA_CC_MSG_FLAG_NONE, self.peer)
        return "hear"

    def _hear(self):
        rc, msg, _, _ = d.doca_comm_channel_ep_recvfrom(self.ep, 128, d.DOCA_CC_MSG_FLAG_NONE)
        if rc == d.DOCA_SUCCESS:
            print(msg.decode())
            return "ask"
        return None if rc == d.DOCA_ERROR_AGAIN else "broken"


client = Client([b"x", b"y", b"fail"])
print(client())
print(d.doca_comm_channel_ep_disconnect(client.ep, client.peer), d.doca_comm_channel_ep_destroy(client.ep))
sys.exit(d.doca_dev_close(client.dev))
