"""Receive once and wait for a message, in place of a loop that polls until there is one.

The loop may wait in a poller, if that waits for the event channel of the call alone, armed before each wait.
"""

from migrate.old_api.generation_1 import EP
from migrate.rules.idioms._site import Idiom, Retry

IDIOMS: dict[str, Idiom] = {
    EP + "recvfrom": Retry(
        "CCM101",
        objects=(r"(.+), timeout=0\)", r"\1)"),
        flat=(r"(\S+\.try_receive\(.+)\)", r"\1, timeout=None)"),
    )
}
