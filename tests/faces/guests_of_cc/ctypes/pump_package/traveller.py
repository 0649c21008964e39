from chan import ChannelError, Guest

try:
    with Guest("a house that is none") as guest:
        guest.wait()
except ConnectionError as error:
    print("no", error)
with Guest("inn") as guest:
    guest.wait()
    print("limit", guest.limit)
    for size in (1, guest.limit, guest.limit + 1):
        try:
            guest.send(b"z" * size)
            print(len(guest.receive()))
        except ChannelError as error:
            print(error)
print("gone", guest.failures)
