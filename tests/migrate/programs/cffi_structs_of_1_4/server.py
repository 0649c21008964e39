from proto import dc, endpoint, ffi, must

ep = endpoint()
must(dc.doca_comm_channel_ep_listen(ep, b"structs"))
print("listening", flush=True)
request, reply = ffi.new("struct request *"), ffi.new("struct reply *")
size, peer = ffi.new("size_t *"), ffi.new("struct doca_comm_channel_addr_t **")
while True:
    size[0] = ffi.sizeof("struct request")
    must(dc.doca_comm_channel_ep_recvfrom(ep, request, size, 0, peer))
    print(request.id, request.op, ffi.string(request.name).decode(), size[0])
    reply.id, reply.value = request.id, -request.op
    must(dc.doca_comm_channel_ep_sendto(ep, reply, ffi.sizeof(reply[0]), 0, peer[0]))
    if request.op == 0:
        break
must(dc.doca_comm_channel_ep_destroy(ep))
