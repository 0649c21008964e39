"""The agent on the DPU: finds its plugins and lets them answer."""
import json
import sys
import time

import doca_comm_channel as cc
from plugins import Context, Plugin, load

load()


class Agent:
    def __init__(self, device, representor):
        self.endpoint = cc.Endpoint()
        self.endpoint.set_device(device)
        self.endpoint.set_device_rep(representor)
        self.endpoint.set_send_queue_size(16)
        self.endpoint.listen("plugin_modules")
        self.plugins = {name: plugin() for name, plugin in Plugin.registry.items()}

    def run(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                data, peer = self.endpoint.recvfrom(4080)
            except cc.Again:
                time.sleep(1e-4)
                continue
            name, arguments = json.loads(data)
            context = Context(self.endpoint, peer, name)
            plugin = self.plugins.get(name)
            if plugin is None:
                context.fail("no such plugin")
                continue
            try:
                if plugin.handle(context, **arguments) is Plugin.STOP:
                    return 0
            except (TypeError, ValueError) as error:
                context.fail(type(error).__name__)
        return 1


def main():
    device = cc.open_device("03:00.0")
    representor = device.open_representor("b1:00.0")
    agent = Agent(device, representor)
    print("listening with", *sorted(agent.plugins))
    status = agent.run()
    for plugin in agent.plugins.values():
        plugin.close()
    agent.endpoint.destroy()
    representor.close()
    device.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
