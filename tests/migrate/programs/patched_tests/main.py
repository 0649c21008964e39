"""Tests that put mocks in the library's place, and one that does not."""
import sys
import unittest
from unittest import mock

import doca_comm_channel
import uplink


class UplinkTest(unittest.TestCase):
    @mock.patch("uplink.cc.Endpoint")
    @mock.patch("uplink.cc.open_device")
    def test_order_of_calls(self, open_device, endpoint):
        link = uplink.Uplink("b1:00.7")
        self.assertTrue(link.connect("svc"))
        self.assertTrue(link.report("text"))
        link.close()
        names = [call[0] for call in endpoint.return_value.mock_calls]
        print("calls", *names)
        open_device.assert_called_once_with("b1:00.7")

    def test_full_queue(self):
        with mock.patch.object(doca_comm_channel, "Endpoint") as endpoint:
            link = uplink.Uplink()
            endpoint.return_value.sendto.side_effect = doca_comm_channel.Again("full")
            print("sent", link.report("text"))
            link.close()

    def test_nobody(self):
        link = uplink.Uplink()
        print("connected", link.connect("nobody"))
        link.close()


if __name__ == "__main__":
    suite = unittest.TestLoader().loadTestsFromTestCase(UplinkTest)
    result = unittest.TextTestRunner(stream=sys.stderr).run(suite)
    print("ran", result.testsRun)
    sys.exit(not result.wasSuccessful())
