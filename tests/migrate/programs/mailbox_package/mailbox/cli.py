"""The command line: mailbox serve, mailbox visit."""
import sys

from . import Letter, MailboxError, __version__, open_mailbox

KINDS = {value: name for name, value in vars(Letter).items() if name.isupper()}


def serve(name):
    with open_mailbox("office", name=name) as office:
        print(f"mailbox {__version__} listening")
        for letter in office.serve():
            print(KINDS[letter.kind].lower(), letter.body)
        print(len(office.letters), "left")
    return 0


def visit(name, *texts):
    try:
        with open_mailbox("customer", name="no " + name) as nobody:
            print(nobody.take())
    except MailboxError as error:
        print(error, error.code)
    with open_mailbox("customer", name=name) as customer:
        for text in texts:
            print("put", text, customer.put(text))
        print("take", customer.take())
        print("take", customer.take())
        if customer.take() is None:
            print("empty")
        try:
            customer.put("z" * 1200)
        except MailboxError as error:
            print("too long:", error)
        customer.put("kept")
        customer.close_office()
    return 0


def main(argv):
    commands = {"serve": serve, "visit": visit}
    if not argv or argv[0] not in commands:
        print(__doc__, file=sys.stderr)
        return 64
    return commands[argv[0]]("mailbox", *argv[1:])
