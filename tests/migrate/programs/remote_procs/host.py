import sys
import threading

from doca_comm_channel import ConnectionAborted, InvalidValue, open_device
from rpc import Caller, RemoteError, remote


@remote
def add(*numbers: int) -> int: ...


@remote
def divide(a: float, b: float = 1) -> float: ...


@remote
def echo(text: str, times: int = 2) -> str: ...


@remote
def missing(): ...


@remote
def stop() -> int: ...


def in_thread(device, results):
    with Caller(device, "remote_procs"):
        results.extend(echo(letter) for letter in "xyz")


def main():
    device = open_device("b1:00.0")
    try:
        Caller(device, "remote procs?")
    except ConnectionAborted as error:
        print("nobody:", error.name)
    results = []
    with Caller(device, "remote_procs") as caller:
        print(add(1, 2, 3), divide(9, 2), divide(7))
        for attempt in (lambda: divide(1, 0), missing, lambda: echo(3, "4"), lambda: caller.call("add", ("a",), {})):
            try:
                print(attempt())
            except RemoteError as error:
                print("remote:", error)
        try:
            echo("long" * 1000)
        except InvalidValue:
            print("too long to ask")
        worker = threading.Thread(target=in_thread, args=(device, results))
        worker.start()
        worker.join()
        print(results, stop())
    device.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
