import sys

from kvstore import Reply, Request, make_server


def answer(store, request):
    verb, key, value = request
    if verb == "put":
        store[key] = value
        return Reply(True)
    if verb == "get":
        return Reply(key in store, store.get(key))
    if verb == "count":
        return Reply(True, str(len(store)))
    return Reply(verb == "bye")


def main():
    store = {}
    server = make_server()
    print("listening")
    verb = None
    while verb != "bye":
        request = Request.decode(server.receive())
        verb = request.verb
        reply = answer(store, request)
        print(*filter(None, request), "->", reply.ok)
        server.send(reply.encode())
    server.peer.update_info()
    print("requests", server.peer.get_recv_messages())
    server.close()


if __name__ == "__main__":
    sys.exit(main())
