"""Results are kept whole and indexed: r[0] is the code, the outputs come after."""
import sys
import time

import doca_comm_channel as cc


def first_of(results):
    return results[0]


def open_side():
    r = cc.doca_comm_channel_ep_create()
    if r[0] != 0:
        return None
    ep = r[1]
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    codes = [
        cc.doca_comm_channel_ep_set_device(ep, dev),
        cc.doca_comm_channel_ep_set_device_rep(ep, rep),
        cc.doca_comm_channel_ep_set_max_msg_size(ep, 333),
    ]
    codes.append(cc.doca_comm_channel_ep_listen(ep, "indexed"))
    print("codes", *codes)
    return (ep, dev, rep) if codes == [cc.DOCA_SUCCESS] * 4 else None


def main():
    side = open_side()
    if side is None:
        return 1
    print("listening, limit", cc.doca_comm_channel_ep_get_max_msg_size(side[0])[1])
    history = []
    deadline = time.time() + 60
    while time.time() < deadline:
        result = cc.doca_comm_channel_ep_recvfrom(side[0], 10, cc.DOCA_CC_MSG_FLAG_NONE)
        if result[0] == cc.DOCA_ERROR_AGAIN:
            time.sleep(1e-4)
            continue
        if result[0] == cc.DOCA_ERROR_INVALID_VALUE:
            print("needs", result[2], "bytes; message", result[1], "peer", result[3])
            result = cc.doca_comm_channel_ep_recvfrom(side[0], result[2], cc.DOCA_CC_MSG_FLAG_NONE)
        history.append(result)
        rc = cc.doca_comm_channel_ep_sendto(side[0], result[1], result[2], 0, result[-1])
        if rc != 0 or history[-1][1] == b"-":
            break
    print([(code, length) for code, _, length, _ in history])
    print("all good", not any(map(first_of, history)), len({entry[3] for entry in history}))
    peer = history[-1][3]
    cc.doca_comm_channel_peer_addr_update_info(peer)
    stats = [get(peer) for get in (
        cc.doca_comm_channel_peer_addr_get_recv_messages,
        cc.doca_comm_channel_peer_addr_get_recv_bytes,
        cc.doca_comm_channel_peer_addr_get_send_messages,
    )]
    print("stats", [number for rc, number in stats])
    rc = cc.doca_comm_channel_ep_destroy(side[0])
    for thing in side[:0:-1]:
        thing.close()
    return rc


if __name__ == "__main__":
    sys.exit(main())
