import sys

from channel import Closed, service


def main():
    with service("library") as channel:
        print("listening", *channel.limits, flush=True)
        names = {}
        while True:
            book, reader = channel.receive()
            if book == b"close":
                break
            if not reader.get_user_data():
                reader.set_user_data(len(names) + 1)
                names[len(names) + 1] = book.decode()
                channel.send(b"card %d" % reader.get_user_data(), reader)
            else:
                print(names[reader.get_user_data()], "borrows", book.decode())
                channel.send(book[::-1], reader)
        print("readers", *names.values())
        channel.send(b"closed", reader)
        channel.receive()
        try:
            while True:
                channel.send(b"are you there?", reader)
        except Closed as error:
            print("gone:", error, type(error.__cause__).__name__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
