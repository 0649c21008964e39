"""Make records, send them, and read the summaries in between."""
import random
import sys
import time

import doca_comm_channel as dcc
from pipeline import ChannelError, check, decoded, endpoint, patient, polled, sender, started, whole


def connected(ep, name):
    peer = check(*dcc.doca_comm_channel_ep_connect(ep, name))
    while dcc.doca_comm_channel_peer_addr_update_info(peer) == dcc.DOCA_ERROR_CONNECTION_INPROGRESS:
        time.sleep(0.001)
    return peer


def measured(count):
    for number in range(count):
        yield {"value": number * number, "note": random.Random(number).randbytes(10 * number).hex()}


def main():
    dev = dcc.open_device("b1:00.0")
    ep = endpoint(dev)
    try:
        connected(ep, "no such service")
    except ChannelError as error:
        print(error.name)
    peer = connected(ep, "records")
    answers = decoded(whole(patient(polled(ep))))
    with started(sender(ep, peer)) as out:
        for number, record in enumerate(measured(20), start=1):
            gone = out.send((number, record))
            if number % 8 == 0:
                _, summary, _ = next(answers)
                print("after", number, summary)
        out.send((21, None))
        for _ in range(2):
            print(next(answers)[:2])
        print("more messages than records:", out.send((99, "thanks")) > gone > 20)
    check(dcc.doca_comm_channel_ep_disconnect(ep, peer))
    check(dcc.doca_comm_channel_ep_destroy(ep))
    check(dcc.doca_dev_close(dev))


if __name__ == "__main__":
    sys.exit(main())
