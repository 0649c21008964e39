"""Asks every plugin of the DPU's agent."""
import json
import sys
import time

import doca_comm_channel as cc

QUESTIONS = [("uptime", {}), ("ports", {"up": True}), ("ports", {}), ("weather", {}), ("counter", {"by": 2}),
             ("counter", {"by": 40}), ("counter", {"by": "x"}), ("stop", {})]


def until(call, error, *args):
    for _ in range(500000):
        try:
            return call(*args)
        except error:
            time.sleep(1e-4)
    sys.exit("no answer")


def main():
    device = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(device)
    peer = ep.connect("plugin_modules")
    until(peer.update_info, cc.ConnectionInprogress)
    for name, arguments in QUESTIONS:
        until(ep.sendto, cc.Again, json.dumps([name, arguments]).encode(), peer)
        count = 1
        while count:
            reply = json.loads(until(ep.recvfrom, cc.Again, 4080)[0])
            print(name, reply["kind"], reply["value"])
            count = reply["left"]
    ep.disconnect(peer)
    ep.destroy()
    device.close()


main()
