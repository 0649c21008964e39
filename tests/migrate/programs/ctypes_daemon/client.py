import json
import time

from native import Device, DocaError, Endpoint, Rc, describe

try:
    Device("ff:ff.7")
except KeyError as error:
    print("no device", error)
endpoint = Endpoint(Device("b1:00.0"))
try:
    endpoint.send(None, b"too early")
except DocaError as error:
    print(error, "/", int(error.rc))
peer = endpoint.connect(b"counter")


def call(serial, **request):
    endpoint.send(peer, json.dumps({"id": serial, **request}).encode())
    data, source = b"", None
    while source is None:
        data, source = endpoint.receive()
        time.sleep(0.0001)
    return json.loads(data)


for serial, amount in enumerate((5, 7, -2)):
    print(call(serial, op="add", by=amount))
print(call(9, op="quit"))
print(endpoint.drop(peer), endpoint.drop(peer))
print(describe(Rc.CONNECTION_RESET))
endpoint.destroy()
