"""A daemon that counts for whoever asks; every request has a serial number of its own."""
import json
import signal
import time

from native import Device, DocaError, Endpoint


class Daemon:
    def __init__(self):
        self.running = True
        self.count = 0
        self.device = Device("03:00.0")
        self.endpoint = Endpoint(self.device, self.device.representor())
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, *_):
        self.running = False

    def reply(self, request):
        if request["op"] == "add":
            self.count += request["by"]
        elif request["op"] == "quit":
            self.stop()
        return {"id": request["id"], "count": self.count}

    def serve(self):
        self.endpoint.listen(b"counter")
        print("listening", flush=True)
        while self.running:
            data, peer = self.endpoint.receive()
            if peer is None:
                time.sleep(0.0001)
                continue
            try:
                self.endpoint.send(peer, json.dumps(self.reply(json.loads(data))).encode())
            except DocaError as error:
                print("lost", error)
        time.sleep(0)
        self.endpoint.destroy()
        print("count", self.count)


Daemon().serve()
