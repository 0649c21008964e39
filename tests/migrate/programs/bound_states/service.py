from doca_comm_channel import *
import doca_comm_channel
import enum
import time


class S(enum.Enum):
    INIT = enum.auto()
    LISTEN = enum.auto()
    IDLE = enum.auto()
    TALK = enum.auto()
    FAIL = enum.auto()
    END = enum.auto()


class Machine:
    def __init__(self):
        self.table = {S.INIT: self.init, S.LISTEN: self.listen, S.IDLE: self.idle, S.TALK: self.talk, S.FAIL: self.fail}
        self.trace = []
        self.dev = self.rep = self.ep = self.who = None
        self.rc = DOCA_SUCCESS
        self.turn = 0

    def run(self):
        state = S.INIT
        while state is not S.END:
            self.trace.append(state.name)
            state = self.table[state]()
        return self.rc

    def init(self):
        self.rc, infos, n = doca_devinfo_create_list()
        if self.rc != DOCA_SUCCESS:
            return S.FAIL
        for i in range(n):
            if doca_devinfo_is_equal_pci_addr(infos[i], "03:00.0")[1]:
                self.rc, self.dev = doca_dev_open(infos[i])
        doca_devinfo_destroy_list(infos)
        if not self.dev:
            self.rc = DOCA_ERROR_NOT_FOUND
            return S.FAIL
        self.rc, reps, n = doca_devinfo_rep_create_list(self.dev, DOCA_DEVINFO_REP_FILTER_NET)
        for i in range(n):
            if doca_devinfo_rep_is_equal_pci_addr(reps[i], "b1:00.0")[1]:
                self.rc, self.rep = doca_dev_rep_open(reps[i])
        doca_devinfo_rep_destroy_list(reps)
        return S.LISTEN if self.rep else S.FAIL

    def listen(self):
        self.rc, self.ep = doca_comm_channel_ep_create()
        for call, value in {doca_comm_channel_ep_set_device: self.dev,
                            doca_comm_channel_ep_set_device_rep: self.rep,
                            doca_comm_channel_ep_set_max_msg_size: 128,
                            doca_comm_channel_ep_set_recv_queue_size: 4,
                            doca_comm_channel_ep_listen: "machine"}.items():
            self.rc = call(self.ep, value)
            if self.rc != DOCA_SUCCESS:
                return S.FAIL
        print("listening", flush=True)
        return S.IDLE

    def idle(self):
        while True:
            self.rc, self.msg, n, who = doca_comm_channel_ep_recvfrom(self.ep, 128, 0)
            if self.rc == DOCA_SUCCESS:
                self.who = who
                return S.TALK
            if self.rc != DOCA_ERROR_AGAIN:
                return S.FAIL
            time.sleep(1e-4)

    def talk(self):
        self.turn += 1
        answer = b"%d" % self.turn
        while True:
            self.rc = doca_comm_channel_ep_sendto(self.ep, answer, len(answer), 0, self.who)
            if self.rc != DOCA_ERROR_AGAIN:
                break
        if self.rc != DOCA_SUCCESS:
            return S.FAIL
        if self.msg == b"fail":
            self.rc = doca_comm_channel_ep_listen(self.ep, "again")
            return S.FAIL
        return S.IDLE

    def fail(self):
        print("failed with", doca_error_get_name(self.rc))
        time.sleep(0.3)
        if self.who:
            print(doca_error_get_name(doca_comm_channel_ep_disconnect(self.ep, self.who)))
        if self.ep:
            print(doca_error_get_name(doca_comm_channel_ep_destroy(self.ep)))
        if self.rep:
            doca_dev_rep_close(self.rep)
        if self.dev:
            doca_dev_close(self.dev)
        return S.END


machine = Machine()
code = machine.run()
print(" ".join(machine.trace))
raise SystemExit(code)
