from relaying.leg import Leg
from relaying.relay import Relay

__all__ = ["Leg", "Relay"]
