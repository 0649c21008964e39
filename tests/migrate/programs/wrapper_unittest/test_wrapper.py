"""Unit tests of the wrapper with a fake endpoint, and one with a real pair."""
import io
import sys
import threading
import unittest
from unittest import mock

import doca_comm_channel as cc
from fakes import FakeEndpoint, FakePeer
from wrapper import Closed, LineChannel, LineTooLong


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += 1.0


class WithFake(unittest.TestCase):
    def make(self, **script):
        self.clock = Clock()
        self.fake = FakeEndpoint(**script)
        return LineChannel(self.fake, limit=16, clock=self.clock, sleep=self.clock.sleep)

    def test_open_waits_for_the_handshake(self):
        channel = self.make(peer=FakePeer(inprogress=3))
        self.assertIs(channel.open("device", "lines"), channel)
        self.assertEqual(self.fake.calls, [("set_device", "device"), ("set_max_msg_size", 16), ("connect", "lines")])
        self.assertEqual(self.clock.now, 3.0)

    def test_open_gives_up(self):
        with self.assertRaisesRegex(TimeoutError, "update_info after 5.0 s"):
            self.make(peer=FakePeer(inprogress=100)).open("device", "lines")

    def test_lines_are_joined_and_split(self):
        channel = self.make(incoming=[b"one\ntw", cc.Again("later"), b"o\n"])
        self.assertEqual([channel.read_line(), channel.read_line()], ["one", "two"])
        self.assertIsInstance(channel.peer, FakePeer)

    def test_write_is_repeated(self):
        channel = self.make(refusals=[cc.Again("full"), cc.Again("full")])
        channel.open("device", "lines").write_line("hello")
        self.assertEqual(self.fake.sent, [b"hello\n"])

    def test_too_long(self):
        channel = self.make().open("device", "lines")
        with self.assertRaises(LineTooLong) as raised:
            channel.write_line("x" * 16)
        self.assertEqual(raised.exception.args, (17,))

    def test_reset_closes(self):
        for script, use in (({"refusals": [cc.ConnectionReset("gone")]}, lambda c: c.write_line("a")),
                            ({"incoming": [cc.ConnectionReset("gone")]}, lambda c: c.read_line())):
            with self.subTest(script=sorted(script)):
                channel = self.make(**script).open("device", "lines")
                with self.assertRaises(Closed) as raised:
                    use(channel)
                self.assertIsInstance(raised.exception.__cause__, ConnectionResetError)
                self.assertEqual(self.fake.calls[-2:], [("disconnect", True), ("destroy",)])

    def test_default_endpoint(self):
        self.assertIsInstance(LineChannel().endpoint, cc.Endpoint)

    @mock.patch("time.sleep")
    def test_without_a_clock(self, sleep):
        with self.assertRaises(TimeoutError):
            LineChannel(FakeEndpoint()).read_line(timeout=0)
        self.assertEqual(sleep.call_count, 0)


class WithPair(unittest.TestCase):
    def setUp(self):
        self.dpu = cc.open_device("03:00.0")
        self.addCleanup(self.dpu.close)
        self.rep = self.dpu.open_representor("b1:00.0")
        self.addCleanup(self.rep.close)
        self.host = cc.open_device("b1:00.0")
        self.addCleanup(self.host.close)
        self.service = LineChannel().serve(self.dpu, self.rep, "wrapper_unittest")
        self.addCleanup(self.service.endpoint.destroy)

    def echo(self, lines):
        for _ in range(lines):
            self.service.write_line(self.service.read_line().upper())

    def test_echo(self):
        thread = threading.Thread(target=self.echo, args=(3,))
        thread.start()
        client = LineChannel().open(self.host, "wrapper_unittest")
        answers = []
        for word in ("ping", "pong", "ж"):
            client.write_line(word)
            answers.append(client.read_line())
        thread.join()
        client.close()
        self.assertEqual(answers, ["PING", "PONG", "Ж"])

    def test_nobody(self):
        channel = LineChannel()
        self.addCleanup(channel.endpoint.destroy)
        with self.assertRaises(cc.ConnectionAborted):
            channel.open(self.host, "nobody")

    def test_taken(self):
        second = LineChannel()
        with self.assertRaises(cc.DocaError) as raised:
            second.serve(self.dpu, self.rep, "wrapper_unittest")
        self.assertEqual(raised.exception.name, "DOCA_ERROR_CONNECTION_ABORTED")
        second.close()

    @unittest.skipUnless(sys.platform.startswith("linux"), "needs /proc")
    def test_host_cannot_listen(self):
        channel = LineChannel()
        with self.assertRaises(cc.NotPermitted):
            channel.serve(self.host, self.rep, "wrapper_unittest host")
        channel.endpoint.destroy()


if __name__ == "__main__":
    stream = io.StringIO()
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = unittest.TextTestRunner(stream=stream, verbosity=2).run(suite)
    for line in stream.getvalue().splitlines():
        if line.startswith("test_") and line.endswith("ok"):
            print(line.split(" ")[0])
    print(result.testsRun, "run", len(result.failures) + len(result.errors), "failed")
    print(stream.getvalue(), file=sys.stderr)
    sys.exit(not result.wasSuccessful())
