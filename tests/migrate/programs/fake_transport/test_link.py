"""The tests of link.py: against a fake, and against the channel."""
import sys
import unittest
from unittest import mock

import link
from doca_comm_channel import (
    DOCA_ERROR_AGAIN,
    DOCA_ERROR_CONNECTION_INPROGRESS,
    DOCA_ERROR_CONNECTION_RESET,
    DOCA_ERROR_INVALID_VALUE,
    DOCA_ERROR_NOT_CONNECTED,
    DOCA_SUCCESS,
)
from fakes import FakePort
from link import Link, LinkError


class AgainstAFake(unittest.TestCase):
    def link(self, **scripts):
        self.sleep = mock.Mock()
        return Link(FakePort(**scripts), "peer", patience=5, sleep=self.sleep)

    def test_again_is_tried_again(self):
        tested = self.link(send=[DOCA_ERROR_AGAIN, DOCA_ERROR_AGAIN])
        tested.send(b"x")
        self.assertEqual(tested.port.outbox, [(b"\0\0\0\0x", "peer")])
        self.assertEqual(self.sleep.call_count, 2)

    def test_patience_ends(self):
        tested = self.link(state=[DOCA_ERROR_CONNECTION_INPROGRESS] * 9)
        with self.assertRaises(LinkError) as caught:
            tested.establish()
        self.assertEqual(caught.exception.code, DOCA_ERROR_CONNECTION_INPROGRESS)
        self.assertEqual(str(caught.exception), "patience: DOCA_ERROR_CONNECTION_INPROGRESS")

    def test_failures(self):
        for code, method, scripts in [
            (DOCA_ERROR_CONNECTION_RESET, lambda tested: tested.send(b""), {"send": [DOCA_ERROR_CONNECTION_RESET]}),
            (DOCA_ERROR_CONNECTION_RESET, Link.recv, {"recv": [(DOCA_ERROR_CONNECTION_RESET, None, 0, "peer")]}),
            (DOCA_ERROR_INVALID_VALUE, Link.recv, {"recv": [(DOCA_ERROR_INVALID_VALUE, None, 99, None)]}),
        ]:
            with self.subTest(code=code), self.assertRaises(LinkError) as caught:
                method(self.link(**scripts))
            self.assertEqual(caught.exception.code, code)

    def test_a_gap(self):
        tested = self.link(recv=[(DOCA_SUCCESS, b"\0\0\0\1x", 5, "peer")])
        with self.assertRaisesRegex(ValueError, "message 0 is missing"):
            tested.recv()


class OverTheChannel(unittest.TestCase):
    def setUp(self):
        service, client, peer = link.ports(self.id().rpartition(".")[2])
        self.service, self.client = Link(service), Link(client, peer)
        self.assertEqual(client.state(peer), DOCA_ERROR_CONNECTION_INPROGRESS)
        self.assertEqual(service.recv(), (DOCA_ERROR_AGAIN, None, None, None))
        self.client.establish()
        self.addCleanup(service.close)
        self.addCleanup(client.close)

    def test_there_and_back(self):
        for text in b"one", b"two", b"three":
            self.client.send(text)
        self.assertEqual([self.service.recv() for _ in range(3)], [b"one", b"two", b"three"])
        self.service.send(b"back")
        self.assertEqual(self.client.recv(), b"back")
        self.assertEqual((self.service.room(), self.client.room()), (124, 252))

    def test_too_long(self):
        with self.assertRaises(LinkError) as caught:
            self.client.send(bytes(300))
        self.assertEqual(caught.exception.code, DOCA_ERROR_INVALID_VALUE)
        self.client.send(bytes(150))
        with self.assertRaisesRegex(LinkError, "a message of 154: DOCA_ERROR_INVALID_VALUE"):
            self.service.recv()

    def test_gone(self):
        self.client.send(b"hello")
        self.service.recv()
        self.assertEqual(self.client.port.close(self.client.peer), DOCA_SUCCESS)
        with self.assertRaises(LinkError) as caught:
            while True:
                self.service.send(b"are you there?")
        self.assertEqual(caught.exception.code, DOCA_ERROR_CONNECTION_RESET)
        self.assertEqual(self.client.port.close(), DOCA_ERROR_NOT_CONNECTED)


if __name__ == "__main__":
    program = unittest.main(exit=False)
    print("tests", program.result.testsRun, "failures", len(program.result.failures), "errors",
          len(program.result.errors))
    sys.exit(not program.result.wasSuccessful())
