"""The host's end of tapd: a logging.Handler that ships records."""
import json
import logging
import sys
import time

import doca_comm_channel as dcc


class ChannelHandler(logging.Handler):
    """Sends each record to the tap; what does not fit is cut, not split."""

    limit = 512

    def __init__(self, service, device, level=logging.NOTSET):
        super().__init__(level)
        self.ep = dcc.Endpoint()
        self.ep.set_device(device)
        self.ep.set_max_msg_size(self.limit)
        self.peer = self.ep.connect(service)
        self.dropped = 0
        for _ in range(120000):
            try:
                self.peer.update_info()
                break
            except dcc.ConnectionInprogress:
                time.sleep(0.0005)
        else:
            raise TimeoutError(service)

    def post(self, **fields):
        data = json.dumps(fields).encode()
        if len(data) > self.limit:
            self.dropped += 1
            return False
        while True:
            try:
                self.ep.sendto(data, self.peer)
                return True
            except dcc.Again:
                time.sleep(0.0005)

    def emit(self, record):
        try:
            self.post(kind="record", level=record.levelno, text=self.format(record))
        except dcc.DocaError:
            self.handleError(record)

    def ask(self, kind, tries=20000):
        self.post(kind=kind)
        while tries:
            try:
                answer, _ = self.ep.recvfrom(self.limit)
            except dcc.Again:
                tries -= 1
                time.sleep(0.0005)
            else:
                return json.loads(answer)

    def close(self):
        if self.ep:
            self.ep.disconnect(self.peer)
            self.ep.destroy()
            self.ep = None
        super().close()


def main():
    device = dcc.open_device("b1:00.0")
    handler = ChannelHandler("log-tap", device)
    handler.setFormatter(logging.Formatter("[%(name)s] %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    handler.post(kind="hello", name="agent")
    app = logging.getLogger("app")
    app.debug("starting")
    app.info("loading %d rules", 12)
    app.warning("rule %d shadows rule %d", 7, 3)
    app.error("table %s is full", "acl")
    app.info("x" * 600)
    handler.post(kind="dance")
    try:
        1 / 0
    except ZeroDivisionError:
        app.critical("giving up")
    report = handler.ask("report")
    print("records", report["records"], "kept", report["kept"], "messages", report["messages"])
    print("\n".join(report["last"]))
    print("quit:", handler.ask("quit"))
    print("dropped", handler.dropped)
    logging.shutdown()
    device.close()


if __name__ == "__main__":
    sys.exit(main())
