from chan import Host

with Host("inn") as host:
    print("listening", flush=True)
    host.wait()
    while (message := host.receive()) is not None:
        print("guest:", len(message), message[:10])
        host.send(message[:host.limit // 2])
print("closed", host.failures)
