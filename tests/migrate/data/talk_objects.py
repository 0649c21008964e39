"""Both ends of a talk in objects, one after the other: what goes right and what goes wrong."""
import sys
import time

import doca_comm_channel as cc


def patiently(call, *args):
    while True:
        try:
            return call(*args)
        except cc.Again:
            time.sleep(1e-5)


def receive(ep, size):
    while True:
        try:
            return ep.recvfrom(size)
        except cc.Again:
            time.sleep(1e-5)


def serve():
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = cc.Endpoint()
    try:
        ep.set_device(dev)
        ep.set_device_rep(rep)
        ep.set_max_msg_size(256)
        ep.set_recv_queue_size(16)
        ep.listen("talk")
        print("listening", ep.get_max_msg_size(), flush=True)
        try:
            ep.recvfrom(256)
        except cc.Again as error:
            print("nothing yet", error.name, error.code)
        msg, peer = receive(ep, 256)
        print(peer.get_user_data(), msg)
        peer.set_user_data(41)
        try:
            receive(ep, 4)
        except cc.InvalidValue as error:
            print("too long", error.length)
        msg, peer = receive(ep, 256)
        print(peer.get_user_data() + 1, msg)
        try:
            ep.sendto(b"x" * 257, peer)
        except cc.DocaError as error:
            print(error.name)
        ep.sendto(msg.upper(), peer)
        peer.update_info()
        print(peer.get_send_messages(), peer.get_recv_messages(), peer.get_recv_bytes())
        bye, peer = receive(ep, 256)
        print(bye)
        ep.sendto(bye, peer)
        while peer.get_send_in_flight_messages():
            peer.update_info()
        ep.disconnect(peer)
    finally:
        ep.destroy()
        rep.close()
        dev.close()
        print("closed")


def call():
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_max_msg_size(256)
    while True:
        try:
            peer = ep.connect("talk")
            break
        except cc.ConnectionAborted:
            time.sleep(0.01)
    while True:
        try:
            peer.update_info()
            break
        except cc.ConnectionInprogress:
            time.sleep(1e-5)
    for msg in (b"hello", b"a longer one"):
        while True:
            try:
                ep.sendto(msg, peer)
                break
            except cc.Again:
                time.sleep(1e-5)
    msg, _ = receive(ep, 256)
    print(msg)
    ep.sendto(b"bye", peer)
    print(receive(ep, 256)[0])
    ep.disconnect(peer)
    ep.destroy()
    dev.close()


def nobody():
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    try:
        ep.connect("nobody")
    except cc.DocaError as error:
        print(error.name, error.code)
        return 3
    finally:
        ep.destroy()
        dev.close()


def wrong_size(size):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    try:
        ep.set_device(dev)
        ep.set_max_msg_size(size)
        ep.connect("nobody")
    except cc.InvalidValue as error:
        print(error.name, isinstance(error, ValueError))
    finally:
        ep.destroy()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        sys.exit(serve())
    elif sys.argv[1] == "call":
        sys.exit(call())
    elif sys.argv[1] == "nobody":
        sys.exit(nobody())
    else:
        wrong_size(0)
        wrong_size(70000)
        cc.open_device("42:00.0")
