import sys

from comm import MAX_MSG_SIZE, SERVER_NAME, create_endpoint, dc, ffi


def exchange(ep, peer, text):
    """1 when the answer is the text the other way round"""
    buf = ffi.new("char[%d]" % MAX_MSG_SIZE)
    size = ffi.new("size_t *", MAX_MSG_SIZE)
    result = dc.doca_comm_channel_ep_sendto(ep, text, len(text), 0, peer)
    if result != dc.DOCA_SUCCESS:
        print("Message of %d bytes was not sent: %d" % (len(text), result))
        return 0
    sender = ffi.new("struct doca_comm_channel_addr_t **")
    result = dc.doca_comm_channel_ep_recvfrom(ep, buf, size, 0, sender)
    if result != dc.DOCA_SUCCESS:
        print("Response was not received: %d" % result)
        return 0
    return int(ffi.unpack(buf, size[0]) == text[::-1])


def main(argc, argv):
    ep = ffi.new("struct doca_comm_channel_ep_t **")
    peer = ffi.new("struct doca_comm_channel_addr_t **")
    exit_code = 1
    good = 0

    if create_endpoint(ep) != dc.DOCA_SUCCESS:
        return exit_code

    try:
        result = dc.doca_comm_channel_ep_connect(ep[0], SERVER_NAME, peer)
        if result != dc.DOCA_SUCCESS:
            print("Couldn't establish a connection: %d" % result)
            return exit_code
        print("Connection to server was established")
        for text in (b"hello", b"\0\1\2", b"x" * MAX_MSG_SIZE, b"y" * (MAX_MSG_SIZE + 1)):
            good += exchange(ep[0], peer[0], text)
        print("%d of 4" % good)

        result = dc.doca_comm_channel_ep_sendto(ep[0], b"exit\0", 5, 0, peer[0])
        if result != dc.DOCA_SUCCESS:
            print("exit was not sent: %d" % result)
            return exit_code
        last, n = ffi.new("char[8]"), ffi.new("size_t *", 8)
        result = dc.doca_comm_channel_ep_recvfrom(ep[0], last, n, 0, peer)
        print(result, ffi.string(last).decode(), n[0])
        exit_code = 0
        result = dc.doca_comm_channel_ep_disconnect(ep[0], peer[0])
        print("disconnect: %d" % result)
    finally:
        result = dc.doca_comm_channel_ep_destroy(ep[0])
        print("destroy: %d" % result)
    return exit_code


sys.exit(main(len(sys.argv), sys.argv))
