"""Two threads on one endpoint: each waits in an epoll set of its own, for its event channel and for a signal."""
import select
import signal
import threading
import time

from cffi import FFI
from channel import check, ffi, lib, shown, try_receive, try_send

SERVICE_NAME = "two_threads"
SEND_WAIT = 0.01                       # seconds; messages are waited for as long as it takes

libc_ffi = FFI()
libc_ffi.cdef("""
    typedef struct { unsigned long words[16]; } sigset_t;
    int sigemptyset(sigset_t *set);
    int sigaddset(sigset_t *set, int number);
    int signalfd(int fd, const sigset_t *mask, int flags);
""")
libc = libc_ffi.dlopen(None)


def open_signalfd():
    """Readable once SIGINT has come, which interrupts nothing any more."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    mask = libc_ffi.new("sigset_t *")
    libc.sigemptyset(mask)
    libc.sigaddset(mask, signal.SIGINT)
    return libc.signalfd(-1, mask, 0)


class Shared:
    """What both threads use, under its lock."""

    def __init__(self, ep, stop_fd):
        send_fd, recv_fd = ffi.new("doca_event_channel_t *"), ffi.new("doca_event_channel_t *")
        check(lib.doca_comm_channel_ep_get_event_channel(ep, send_fd, recv_fd))
        self.ep, self.send_fd, self.recv_fd, self.stop_fd = ep, send_fd[0], recv_fd[0], stop_fd
        self.peer = None
        self.peer_known = threading.Event()
        self.lock = threading.Lock()

    def wait(self, fd, timeout):
        """False when a signal has come; the next try shows whether there is anything else."""
        with select.epoll() as poller:
            poller.register(fd, select.EPOLLIN)
            poller.register(self.stop_fd, select.EPOLLIN)
            return all(ready != self.stop_fd for ready, _ in poller.poll(timeout))

    def send(self, msg, log):
        while True:
            with self.lock:
                if try_send(self.ep, self.peer, msg):
                    log.append(shown("sent", msg))
                    return True
                check(lib.doca_comm_channel_ep_event_handle_arm_send(self.ep))
            if not self.wait(self.send_fd, SEND_WAIT):
                return False

    def receive(self, log):
        while True:
            with self.lock:
                received = try_receive(self.ep)
                if received:
                    log.append(shown("received", received[0]))
                    self.peer = received[1]
                    self.peer_known.set()
                    return True
                check(lib.doca_comm_channel_ep_event_handle_arm_recv(self.ep))
            if not self.wait(self.recv_fd, None):
                return False

    def send_all(self, text, count, log):
        self.peer_known.wait()         # a service learns of it from the first message
        for number in range(count):
            if self.peer is None or not self.send(text % number, log):
                return

    def receive_all(self, count, log):
        for _ in range(count):
            if not self.receive(log):
                break
        self.peer_known.set()          # whoever waits for it does so no longer

    def talk(self, text, count):
        """Send and receive so many messages at once, and print what went on."""
        sent, received = [], []
        threads = [threading.Thread(target=self.send_all, args=(text, count, sent)),
                   threading.Thread(target=self.receive_all, args=(count, received))]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.001)
        print("\n".join(sent + received))
