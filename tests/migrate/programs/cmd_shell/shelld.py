"""What the shell talks to; configured by a JSON file and the environment."""
import json
import os
import pathlib
import time
import types

import doca_comm_channel as cc

HERE = pathlib.Path(__file__).parent


def load():
    config = json.loads((HERE / "service.json").read_text())
    for key in ("device", "representor", "name"):
        config[key] = os.environ.get("SHELLD_" + key.upper(), config[key])
    return types.SimpleNamespace(**config)


def make(config):
    ns = types.SimpleNamespace(ep=cc.Endpoint(), dev=cc.open_device(config.device))
    ns.rep = ns.dev.open_representor(config.representor)
    ns.ep.set_device(ns.dev)
    ns.ep.set_device_rep(ns.rep)
    setters = {
        "max_msg_size": ns.ep.set_max_msg_size,
        "send_queue_size": ns.ep.set_send_queue_size,
        "recv_queue_size": ns.ep.set_recv_queue_size,
    }
    for key, value in config.endpoint.items():
        setters[key](value)
    return ns


def main():
    config = load()
    ns = make(config)
    ns.ep.listen(config.name)
    print("listening on", config.name, ns.ep.get_max_msg_size(), ns.ep.get_send_queue_size(), flush=True)
    variables = {}
    while True:
        try:
            data, peer = ns.ep.recvfrom(config.endpoint["max_msg_size"])
        except cc.Again:
            time.sleep(0.0004)
            continue
        command, *rest = data.decode().split(" ", 2)
        if command == "set":
            variables[rest[0]] = rest[1]
            text = "ok"
        elif command == "get":
            text = variables.get(rest[0], "(unset)")
        elif command == "list":
            text = " ".join(sorted(variables)) or "(none)"
        elif command == "halt":
            break
        else:
            text = "what?"
        while True:
            try:
                ns.ep.sendto(text.encode(), peer)
                break
            except cc.Again:
                continue
    print("halted with", variables)
    ns.ep.disconnect(peer)
    ns.ep.destroy()
    ns.rep.close()
    ns.dev.close()


if __name__ == "__main__":
    main()
