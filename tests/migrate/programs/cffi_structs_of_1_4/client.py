from proto import dc, endpoint, ffi, must

ep, peer = endpoint(), ffi.new("struct doca_comm_channel_addr_t **")
must(dc.doca_comm_channel_ep_connect(ep, b"structs", peer))
for number, name in enumerate([b"first", b"second", b"last"]):
    request = ffi.new("struct request *", {"id": number, "op": 2 - number, "name": name})
    must(dc.doca_comm_channel_ep_sendto(ep, request, ffi.sizeof("struct request"), 0, peer[0]))
    reply = ffi.new("struct reply *")
    size = ffi.new("size_t *", ffi.sizeof("struct reply"))
    must(dc.doca_comm_channel_ep_recvfrom(ep, reply, size, 0, peer))
    print(reply.id, reply.value, size[0])
must(dc.doca_comm_channel_ep_destroy(ep))
