"""Bound methods everywhere: retried, decorated, made partial, kept in a list for the end."""
import functools
import sys
import time
from contextlib import ExitStack

import doca_comm_channel as cc

TRACE = []


def patient(busy, seconds=60):
    """Decorator: call again while it is busy."""
    def decorate(call):
        @functools.wraps(call)
        def wrapper(*args, **kwargs):
            end = time.monotonic() + seconds
            while True:
                try:
                    return call(*args, **kwargs)
                except busy:
                    if time.monotonic() > end:
                        raise
                    time.sleep(1e-4)
        return wrapper
    return decorate


def traced(call, label):
    def wrapper(*args):
        TRACE.append(label)
        return call(*args)
    return wrapper


@patient(cc.Again)
def receive(ep):
    return ep.recvfrom(256)


def run(ep, handlers):
    send = patient(cc.Again)(ep.sendto)
    while True:
        data, peer = receive(ep)
        word, _, rest = data.decode().partition(" ")
        answer = functools.partial(send, peer=peer)
        if word == "end":
            answer(b"ended")
            return peer
        handlers.get(word, handlers["?"])(rest, answer)


def main():
    with ExitStack() as stack:
        dev = stack.enter_context(cc.open_device("03:00.0"))
        rep = stack.enter_context(dev.open_representor("b1:00.0"))
        ep = cc.Endpoint()
        stack.callback(traced(ep.destroy, "destroy"))
        for setter, value in [(ep.set_device, dev), (ep.set_device_rep, rep), (ep.set_max_msg_size, 256)]:
            setter(value)
        ep.listen("bound_calls")
        print("listening")
        handlers = {
            "len": lambda rest, answer: answer(b"%d" % len(rest)),
            "rev": lambda rest, answer: answer(rest[::-1].encode()),
            "?": lambda rest, answer: answer(b"what?"),
        }
        peer = run(ep, handlers)
        peer.update_info()
        counts = list(map(lambda get: get(), [peer.get_recv_messages, peer.get_send_messages]))
        print("counts", counts)
        leave = traced(functools.partial(ep.disconnect, peer), "disconnect")
        stack.callback(leave)
    print("trace", TRACE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
