"""A daemon on the DPU: keeps gauges for hosts that come and go."""
import json

from channel import Channel, Native


class Metrics:
    def __init__(self, channel):
        self.channel = channel
        self.gauges = {}

    def handle(self, request):
        verb = request.get("do")
        if verb == "set":
            self.gauges[request["name"]] = request["value"]
            return {"ok": True}
        if verb == "sum":
            return {"ok": True, "value": sum(self.gauges.values())}
        if verb == "size":
            return {"ok": True, "value": self.channel.max_msg_size}
        return {"ok": False, "why": f"no such verb: {verb}"}

    def run(self):
        while True:
            request = json.loads(self.channel.receive())
            print("request", request["do"], flush=True)
            if request["do"] == "stop":
                return
            if request["do"] == "leave":
                self.channel.send(b"{}")
                continue
            self.channel.send(json.dumps(self.handle(request)).encode())


with Channel(Native(), "03:00.0", "b1:00.0") as channel:
    channel.listen("metrics")
    print("listening", flush=True)
    Metrics(channel).run()
print("closed")
