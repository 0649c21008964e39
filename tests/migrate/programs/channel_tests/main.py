"""The channel's acceptance test at a customer's: both ends in one process, unittest, a line per finding."""
import sys
import time
import unittest

import doca_comm_channel as cc


class ChannelCase(unittest.TestCase):
    service = "acceptance"

    @classmethod
    def setUpClass(cls):
        cls.dpu = cc.open_device("03:00.0")
        cls.rep = cls.dpu.open_representor("b1:00.0")
        cls.host = cc.open_device("b1:00.0")

    @classmethod
    def tearDownClass(cls):
        cls.rep.close()
        cls.dpu.close()
        cls.host.close()

    def setUp(self):
        self.server = cc.Endpoint()
        self.server.set_device(self.dpu)
        self.server.set_device_rep(self.rep)
        self.server.set_max_msg_size(200)
        self.server.listen(self.service)
        self.addCleanup(self.server.destroy)

    def client(self):
        ep = cc.Endpoint()
        self.addCleanup(ep.destroy)
        ep.set_device(self.host)
        ep.set_max_msg_size(200)
        peer = ep.connect(self.service)
        self.let_in()
        self.eventually(peer.update_info, cc.ConnectionInprogress)
        return ep, peer

    def let_in(self):
        with self.assertRaises(cc.Again):
            self.server.recvfrom(200)

    def eventually(self, call, busy, *args):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                return call(*args)
            except busy:
                time.sleep(1e-4)
        self.fail("too slow")


class Messages(ChannelCase):
    def test_echo(self):
        ep, peer = self.client()
        ep.sendto(b"ping", peer)
        data, other = self.eventually(self.server.recvfrom, cc.Again, 200)
        self.assertEqual(data, b"ping")
        self.server.sendto(data.upper(), other)
        self.assertEqual(self.eventually(ep.recvfrom, cc.Again, 200), (b"PING", peer))
        print("echo works")

    def test_limits(self):
        ep, peer = self.client()
        for size, passes in ((200, True), (201, False), (0, True)):
            with self.subTest(size=size):
                if passes:
                    ep.sendto(bytes(size), peer)
                    data, _ = self.eventually(self.server.recvfrom, cc.Again, 200)
                    self.assertEqual(len(data), size)
                else:
                    self.assertRaises(cc.InvalidValue, ep.sendto, bytes(size), peer)
        print("limits hold")

    def test_small_buffer(self):
        ep, peer = self.client()
        ep.sendto(b"twelve bytes", peer)
        with self.assertRaises(cc.InvalidValue) as caught:
            self.eventually(self.server.recvfrom, cc.Again, 5)
        self.assertEqual(caught.exception.length, 12)
        self.assertEqual(self.server.recvfrom(caught.exception.length)[0], b"twelve bytes")
        print("a long message stays")


class Endings(ChannelCase):
    def test_leaving(self):
        ep, peer = self.client()
        ep.sendto(b"last words", peer)
        ep.disconnect(peer)
        self.assertEqual(self.eventually(self.server.recvfrom, cc.Again, 200)[0], b"last words")
        self.assertRaises(cc.NotConnected, ep.sendto, b"more", peer)
        with self.assertRaises(cc.NotConnected):
            ep.recvfrom(200)
        print("last words are heard")

    def test_again(self):
        ep, peer = self.client()
        ep.disconnect(peer)
        second = ep.connect(self.service)
        self.let_in()
        second.update_info()
        self.assertIsNot(second, peer)
        print("an endpoint connects again")

    def test_fixed_properties(self):
        with self.assertRaises(cc.BadState) as caught:
            self.server.set_max_msg_size(100)
        self.assertEqual(caught.exception.name, "DOCA_ERROR_BAD_STATE")
        self.assertEqual(self.server.get_max_msg_size(), 200)
        print("an active endpoint keeps its size")


if __name__ == "__main__":
    loader = unittest.TestLoader()
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (Messages, Endings))
    result = unittest.TextTestRunner(stream=sys.stderr).run(suite)
    print(result.testsRun, "tests,", len(result.failures) + len(result.errors), "failed")
    sys.exit(not result.wasSuccessful())
