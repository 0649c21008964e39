"""A shell over the channel; reads commands from a file."""
import cmd
import pathlib
import sys
import time

import doca_comm_channel as cc


class Shell(cmd.Cmd):
    prompt = ""
    use_rawinput = False
    ep = None
    peer = None

    def __init__(self, device, **kwargs):
        super().__init__(**kwargs)
        self.device = device
        self.status = 0

    # plumbing

    def ask(self, text):
        if self.peer is None:
            self.status += 1
            return "not connected"
        try:
            self._wait(self.ep.sendto, text.encode(), self.peer)
            return self._wait(self.ep.recvfrom, 700)[0].decode()
        except cc.InvalidValue:
            self.status += 1
            return "too long"

    @staticmethod
    def _wait(call, *args):
        for _ in range(200_000):
            try:
                return call(*args)
            except (cc.Again, cc.ConnectionInprogress):
                time.sleep(0.0004)
        raise TimeoutError

    # commands

    def do_connect(self, name):
        """connect NAME"""
        if self.ep is not None:
            print("connected already")
            return
        self.ep = cc.Endpoint()
        self.ep.set_device(self.device)
        self.ep.set_max_msg_size(700)
        try:
            self.peer = self.ep.connect(name)
        except cc.ConnectionAborted as error:
            print("no", name, error.code)
            self.ep.destroy()
            self.ep = None
            return
        self._wait(self.peer.update_info)
        print("connected to", name)

    def do_set(self, line):
        print(self.ask("set " + line))

    def do_get(self, line):
        print(self.ask("get " + line))

    def do_list(self, line):
        print(self.ask("list"))

    def do_stats(self, line):
        self.peer.update_info()
        for name in ("send_messages", "send_bytes", "recv_messages", "recv_bytes"):
            print(name, getattr(self.peer, "get_" + name)())

    def do_long(self, line):
        print(self.ask("set x " + "y" * int(line)))

    def do_halt(self, line):
        self._wait(self.ep.sendto, b"halt", self.peer)
        return self.do_EOF(line)

    def do_EOF(self, line):
        if self.ep:
            self.ep.destroy()
        self.device.close()
        return True

    def default(self, line):
        print("unknown:", line)
        self.status += 1

    def emptyline(self):
        pass

    def postcmd(self, stop, line):
        sys.stdout.flush()
        return stop


def main():
    shell = Shell(cc.open_device("b1:00.0"), stdin=open(pathlib.Path(__file__).with_name(sys.argv[1])))
    shell.cmdloop()
    return shell.status


if __name__ == "__main__":
    sys.exit(main())
