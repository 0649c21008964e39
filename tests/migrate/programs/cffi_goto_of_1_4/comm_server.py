import sys

from comm import MAX_MSG_SIZE, SERVER_NAME, create_endpoint, dc, ffi


def main(argc, argv):
    ep = ffi.new("struct doca_comm_channel_ep_t **")
    peer = ffi.new("struct doca_comm_channel_addr_t **")
    msg = ffi.new("char[]", MAX_MSG_SIZE)
    msg_len = ffi.new("size_t *")
    count = 0

    result = create_endpoint(ep)
    if result != dc.DOCA_SUCCESS:
        return 1

    result = dc.doca_comm_channel_ep_listen(ep[0], SERVER_NAME)
    if result != dc.DOCA_SUCCESS:
        print("listen: %d" % result)
        dc.doca_comm_channel_ep_destroy(ep[0])
        return 1
    print("listening", flush=True)

    while True:
        msg_len[0] = MAX_MSG_SIZE
        result = dc.doca_comm_channel_ep_recvfrom(ep[0], msg, msg_len, 0, peer)
        if result != dc.DOCA_SUCCESS:
            print("Message was not received: %d" % result)
            break
        count += 1
        if count == 1:
            print("Received message: %s" % ffi.string(msg, msg_len[0]).decode())
        if ffi.buffer(msg, msg_len[0])[:] == b"exit\0":
            print("Asked to leave")
            result = dc.doca_comm_channel_ep_sendto(ep[0], b"bye", 3, 0, peer[0])
            break
        # send it back the other way round
        answer = ffi.buffer(msg, msg_len[0])[:][::-1]
        result = dc.doca_comm_channel_ep_sendto(ep[0], answer, len(answer), 0, peer[0])
        if result != dc.DOCA_SUCCESS:
            print("Response was not sent: %d" % result)
            break

    print("%d messages" % count)
    dc.doca_comm_channel_ep_destroy(ep[0])
    ep[0] = ffi.NULL
    return 0 if result == dc.DOCA_SUCCESS else 1


if __name__ == "__main__":
    sys.exit(main(len(sys.argv), sys.argv))
