from transport import ChatterMixin, HostTransport, StatisticsMixin


class Client(ChatterMixin, StatisticsMixin, HostTransport):
    message_size = 1800


client = Client("mixins")
for text in (b"war and peace", b"the idiot", b"x"):
    client.write(text)
    client.read()
print(client.statistics())
client.close()
