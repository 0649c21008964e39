"""Two sessions at the ledger."""
import sys
from contextlib import ExitStack

from channels import ChannelClosed, Session, deadline, transaction


def transfer(session, name, source, target, amount):
    with transaction(session, name) as open_session:
        for verb in (f"add {source} {-amount}", f"add {target} {amount}"):
            open_session.send(verb)
            open_session.receive()
        if amount > 50:
            raise ValueError(f"{amount} is too much for {name}")


def main():
    with deadline(60), ExitStack() as stack:
        try:
            stack.enter_context(Session("b1:00.0", "no ledger"))
        except ConnectionAbortedError as error:
            print("no ledger:", type(error).__name__)
        ann, bob = (stack.enter_context(Session("b1:00.0", "ledger", max_msg_size=128)) for _ in range(2))
        with transaction(ann, "open"):
            ann.send("set till 100")
            ann.receive()
            try:
                with transaction(bob, "open"):
                    pass
            except RuntimeError as error:
                print(error)
        transfer(bob, "first", "till", "bob", 30)
        try:
            transfer(ann, "second", "till", "ann", 60)
        except ValueError as error:
            print(error)
        ann.send("sum")
        print("sum", ann.receive())
        for session in (ann, bob):
            session.send("leave")
            try:
                print(session.receive())
            except ChannelClosed as closed:
                print("closed", closed)
    print("sent", ann.sent, bob.sent)


if __name__ == "__main__":
    sys.exit(main())
