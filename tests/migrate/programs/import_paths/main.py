"""The library is imported in branches, in match cases, after an early return and below its first use. Both roles."""
import sys

if len(sys.argv) > 5:
    from doca_comm_channel import open_device as opener
else:
    from doca_comm_channel import open_device as opener


def late_use():
    return doca_comm_channel.DOCA_ERROR_AGAIN, Again.__name__


import doca_comm_channel
from doca_comm_channel import Again


def make(role, early=False):
    if early:
        return None
    match role:
        case "server":
            import doca_comm_channel as impl
        case "client":
            from doca_comm_channel import Endpoint
            return Endpoint()
        case _:
            raise ValueError(role)
    return impl.Endpoint()


def code_of(call, *args):
    try:
        from doca_comm_channel import DocaError
    except ImportError:
        raise SystemExit("no library")
    try:
        call(*args)
    except DocaError as error:
        return error.code
    else:
        import doca_comm_channel as library
        return library.DOCA_SUCCESS


def exchange(server, client, peer):
    for library in (doca_comm_channel,):
        client.sendto(b"over two imports", peer)
        try:
            return server.recvfrom(100)
        except library.Again:
            return None, None


class Names:
    import doca_comm_channel as library
    AGAIN = library.DOCA_ERROR_AGAIN

    def of(self, code):
        return self.library.doca_error_get_name(code)


def main():
    dpu, host = opener("03:00.0"), opener("b1:00.0")
    rep = dpu.open_representor("b1:00.0")
    server, client, nothing = make("server"), make("client"), make("other", early=True)
    server.set_device(dpu)
    server.set_device_rep(rep)
    names = Names()
    print(names.of(code_of(client.connect, "import_paths")), nothing)
    print(names.of(code_of(server.listen, "import_paths")))
    client.set_device(host)
    peer = client.connect("import_paths")
    again, label = late_use()
    print(names.of(again), label, code_of(server.recvfrom, 100) == names.AGAIN)
    data, sender = exchange(server, client, peer)
    print(data.decode())
    for leave in (lambda: client.disconnect(peer), client.destroy, server.destroy, rep.close, dpu.close, host.close):
        leave()
    return 0


if __name__ == "__main__":
    sys.exit(main())
