"""A ledger with transactions, kept on the DPU."""
import sys

from channels import Service, deadline


class Ledger:
    def __init__(self):
        self.rows = {}
        self.open = {}

    def handle(self, peer, text):
        verb, *rest = text.split()
        if verb == "begin":
            if rest[0] in [name for name, _ in self.open.values()]:
                return "taken"
            self.open[peer] = rest[0], dict(self.rows)
        elif verb == "set":
            self.open[peer][1][rest[0]] = int(rest[1])
        elif verb == "add":
            rows = self.open[peer][1]
            rows[rest[0]] = rows.get(rest[0], 0) + int(rest[1])
        elif verb == "commit":
            name, self.rows = self.open.pop(peer)
            print("commit", name, sorted(self.rows.items()))
        elif verb == "rollback":
            print("rollback", self.open.pop(peer)[0])
        elif verb == "sum":
            return str(sum(self.rows.values()))
        return "ok"


@deadline(60)
def main():
    ledger = Ledger()
    clients = 2
    with Service("03:00.0", "b1:00.0", "ledger") as service:
        print("listening")
        for peer, text in service:
            if text == "leave":
                service.reply(peer)
                clients -= 1
                if not clients:
                    service.linger()
                    break
            else:
                service.reply(peer, ledger.handle(peer, text))
    print("total", sum(ledger.rows.values()))


if __name__ == "__main__":
    sys.exit(main())
