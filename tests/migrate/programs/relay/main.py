"""A relay on the host between two services of the DPU."""
import sys

from doca_comm_channel import open_device
from relaying import Leg, Relay


def main():
    with open_device("b1:00.0") as device:
        upper, reverse = (Leg.to(device, name) for name in ("upper", "reverse"))
        with Relay(upper, reverse) as relay:
            relay.route("upper", "reverse")
            for text in (b"stressed", b"desserts", b"drawer"):
                relay.feed("upper", text)
            print(relay.feed("upper", b"x" * 300))
            relay.run(3)
            print(sorted(relay.delivered))
            print(sorted(relay.log))
            for name, leg in relay.legs.items():
                print(name, leg.counters())
            print(leg.closed)
        print(leg.closed)


sys.exit(main())
