from channel import DocaError, Endpoint

endpoint = Endpoint()
server = endpoint.connect("stored")
for line in ("put a 3", "put b 4", "put a 5", "sum", "drop", "stop"):
    endpoint.send(line.encode(), server)
    answer, _ = endpoint.recv()
    print(line, "->", answer.decode())
try:
    endpoint.send(bytes(1025), server)
except DocaError as error:
    print(error, error.code)
endpoint.disconnect(server)
try:
    endpoint.disconnect(server)
except DocaError as error:
    print(error)
endpoint.close()
