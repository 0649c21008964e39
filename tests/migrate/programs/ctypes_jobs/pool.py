# job pool over the comm channel: the main thread of the service receives, workers compute, one thread sends
import ctypes
import queue
import struct
import sys
import threading
import time

doca = ctypes.cdll.LoadLibrary("libdoca_common.so.2")
cc = ctypes.cdll.LoadLibrary("libdoca_comm_channel.so.2")
doca.doca_error_get_name.restype = ctypes.c_char_p

JOB = struct.Struct("<II")
(SUCCESS, AGAIN, INPROGRESS) = range(3)


def status(rc):
    name = doca.doca_error_get_name(rc).decode()
    return {"DOCA_SUCCESS": SUCCESS, "DOCA_ERROR_AGAIN": AGAIN, "DOCA_ERROR_CONNECTION_INPROGRESS": INPROGRESS}.get(name, name)


def must(rc, what):
    if rc != 0:
        raise RuntimeError("%s: %s" % (what, status(rc)))



def open_dev(pci):
    infos = ctypes.POINTER(ctypes.c_void_p)()
    n = ctypes.c_uint32()
    must(doca.doca_devinfo_create_list(ctypes.byref(infos), ctypes.byref(n)), "devices")
    dev = ctypes.c_void_p()
    for i in range(n.value):
        yes = ctypes.c_uint8(0)
        must(doca.doca_devinfo_is_equal_pci_addr(ctypes.c_void_p(infos[i]), pci, ctypes.byref(yes)), "equal")
        if yes.value:
            must(doca.doca_dev_open(ctypes.c_void_p(infos[i]), ctypes.byref(dev)), "open")
            break
    doca.doca_devinfo_destroy_list(infos)
    return dev


def open_rep(dev, pci):
    infos = ctypes.POINTER(ctypes.c_void_p)()
    n = ctypes.c_uint32()
    must(doca.doca_devinfo_rep_create_list(dev, 2, ctypes.byref(infos), ctypes.byref(n)), "representors")
    rep = ctypes.c_void_p()
    for i in range(n.value):
        yes = ctypes.c_uint8(0)
        must(doca.doca_devinfo_rep_is_equal_pci_addr(ctypes.c_void_p(infos[i]), pci, ctypes.byref(yes)), "equal")
        if yes.value:
            must(doca.doca_dev_rep_open(ctypes.c_void_p(infos[i]), ctypes.byref(rep)), "open")
            break
    doca.doca_devinfo_rep_destroy_list(infos)
    return rep


def endpoint(dev, rep=None):
    ep = ctypes.c_void_p()
    must(cc.doca_comm_channel_ep_create(ctypes.byref(ep)), "create")
    must(cc.doca_comm_channel_ep_set_device(ep, dev), "device")
    must(cc.doca_comm_channel_ep_set_max_msg_size(ep, ctypes.c_uint16(64)), "size")
    must(cc.doca_comm_channel_ep_set_send_queue_size(ep, ctypes.c_uint16(8)), "queue")
    must(cc.doca_comm_channel_ep_set_recv_queue_size(ep, ctypes.c_uint16(8)), "queue")
    if rep:
        must(cc.doca_comm_channel_ep_set_device_rep(ep, rep), "representor")
    return ep


def sendto(ep, data, peer):
    while True:
        result = status(cc.doca_comm_channel_ep_sendto(ep, data, ctypes.c_size_t(len(data)), 0, peer))
        if result == AGAIN:
            time.sleep(0.0005)
            continue
        return result


def recvfrom(ep, buf=None):
    buf = ctypes.create_string_buffer(64)
    n, peer = ctypes.c_size_t(64), ctypes.c_void_p()
    while True:
        n.value = 64
        result = status(cc.doca_comm_channel_ep_recvfrom(ep, buf, ctypes.byref(n), 0, ctypes.byref(peer)))
        if result == SUCCESS:
            return buf.raw[:n.value], peer
        if result != AGAIN:
            raise RuntimeError(result)
        time.sleep(0.0005)


def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def serve(jobs):
    dev = open_dev(b"03:00.0")
    rep = open_rep(dev, b"b1:00.0")
    ep = endpoint(dev, rep)
    must(cc.doca_comm_channel_ep_listen(ep, b"pool"), "listen")
    print("listening", flush=True)
    todo, done = queue.Queue(), queue.Queue()

    def work():
        while (job := todo.get()) is not None:
            number, argument = JOB.unpack(job)
            done.put(JOB.pack(number, fib(argument)))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for _ in range(jobs):
        message, peer = recvfrom(ep)
        todo.put(message)
    for _ in range(jobs):
        sendto(ep, done.get(), peer)
    for _ in workers:
        todo.put(None)
    for worker in workers:
        worker.join()
    print("all sent:", done.empty())
    message, peer = recvfrom(ep)
    print(message.decode())
    must(cc.doca_comm_channel_ep_destroy(ep), "destroy")
    must(doca.doca_dev_rep_close(rep), "close")
    must(doca.doca_dev_close(dev), "close")


def client(jobs):
    dev = open_dev(b"b1:00.0")
    ep, peer = endpoint(dev), ctypes.c_void_p()
    must(cc.doca_comm_channel_ep_connect(ep, b"pool", ctypes.byref(peer)), "connect")
    while status(cc.doca_comm_channel_peer_addr_update_info(peer)) == INPROGRESS:
        time.sleep(0.001)
    for number in range(jobs):
        sendto(ep, JOB.pack(number, number * 2), peer)
    results = dict(JOB.unpack(recvfrom(ep)[0]) for _ in range(jobs))
    print([results[number] for number in sorted(results)])
    must(cc.doca_comm_channel_peer_addr_update_info(peer), "info")
    sent = ctypes.c_uint64()
    must(cc.doca_comm_channel_peer_addr_get_send_messages(peer, ctypes.byref(sent)), "statistics")
    print("sent", sent.value)
    print("too long:", sendto(ep, bytes(65), peer))
    sendto(ep, b"thank you", peer)
    must(cc.doca_comm_channel_ep_disconnect(ep, peer), "disconnect")
    must(cc.doca_comm_channel_ep_destroy(ep), "destroy")
    must(doca.doca_dev_close(dev), "close")


if __name__ == "__main__":
    {"serve": serve, "client": client}[sys.argv[1]](int(sys.argv[2]))
