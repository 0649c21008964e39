"""Both ends with the wrapper; the addresses die before their endpoints."""
import gc
import sys
import threading

from commchannel import Address, CommChannel
from doca_comm_channel import DOCA_SUCCESS, doca_error_get_name


def answer_all(channel, log):
    while True:
        rc, text, handle = channel.recv()
        if rc != DOCA_SUCCESS:
            log.append(doca_error_get_name(rc))
            return
        address = Address(None, handle)
        log.append(text.decode())
        channel.send(text.upper(), address)
        address.release()


def main():
    server = CommChannel("03:00.0", "b1:00.0", max_msg_size=200, sndq_size=0, rcvq_size=100000)
    client = CommChannel("b1:00.0", max_msg_size=70000)
    watchdog = threading.Timer(20, lambda: (server.stop.set(), client.stop.set()))
    watchdog.daemon = True
    watchdog.start()
    print("listen", doca_error_get_name(server.listen("owning_wrapper")))
    print("connect elsewhere", client.connect("elsewhere"))
    log = []
    thread = threading.Thread(target=answer_all, args=(server, log))
    thread.start()
    address = client.connect("owning_wrapper")
    while not address.is_connected() and not client.stop.is_set():
        pass
    for text in (b"first", b"second"):
        print("send", doca_error_get_name(client.send(text, address)), client.recv()[1])
    print("send", doca_error_get_name(client.send(bytes(5000), address)))
    print("recv_async", *client.recv_async()[:3])
    del address
    gc.collect()
    server.stop.set()
    thread.join(60)
    watchdog.cancel()
    print(log)
    print("closed", doca_error_get_name(client.close()), doca_error_get_name(server.close()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
