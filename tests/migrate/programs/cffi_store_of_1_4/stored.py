"""Keep records for clients until one says stop: put NAME VALUE, sum, stop."""
import time

from channel import Endpoint, now


class Store:
    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.records = {}
        self.running = True
        self.commands = {"put": self.put, "sum": self.sum, "stop": self.stop}

    def put(self, name, value):
        self.records[name] = int(value)
        return "ok"

    def sum(self):
        return str(sum(self.records.values()))

    def stop(self):
        self.running = False
        return "stopped"

    def run(self):
        while self.running:
            data, peer = self.endpoint.recv(wait=False)
            if data is None:
                time.sleep(0.001)
                continue
            number = self.endpoint.count(peer)
            word, *rest = data.decode().split()
            command = self.commands.get(word)
            answer = command(*rest) if command else "what is %s?" % word
            self.endpoint.send(("%d %s" % (number, answer)).encode(), peer)


def main():
    begin = now()
    endpoint = Endpoint()
    try:
        endpoint.listen("stored")
        print("listening", flush=True)
        store = Store(endpoint)
        store.run()
        print(sorted(store.records.items()), now() > begin)
    finally:
        endpoint.close()
        endpoint.close()


main()
