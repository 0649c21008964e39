"""Send once and wait for room, in place of a loop that tries until there is some.

The loop may wait in a poller, if that waits for the event channel of the call alone, armed before each wait.
"""

from migrate.old_api.generation_1 import EP
from migrate.rules.idioms._site import Idiom, Retry

IDIOMS: dict[str, Idiom] = {
    EP + "sendto": Retry(
        "CCM100",
        objects=(r"(.+), timeout=0\)", r"\1)"),
        flat=(r"(\S+)\.try_send_to\((.+)\)", r"{comch}.outcome(\1.send_to, \2)[0]"),
    )
}
