"""What the DPU can do."""
import sys

import doca_comm_channel
from rpc import Server, export


@export
def add(*numbers):
    return sum(numbers)


@export(name="divide")
def quotient(a, b=1):
    return a / b


@export
def echo(text, times=2):
    return text * times


def main():
    device = doca_comm_channel.open_device("03:00.0")
    representor = device.open_representor("b1:00.0")
    server = Server(device, representor, "remote_procs")
    export(server.stop)
    print("listening")
    server.serve()
    for name, count in sorted(server.calls.items()):
        print(name, count)
    representor.close()
    device.close()


sys.exit(main())
