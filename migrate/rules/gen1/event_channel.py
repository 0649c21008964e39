"""Take both descriptors from the context itself, and arm them there."""

from migrate.old_api.generation_1 import EP
from migrate.rules._answers import Rule
from migrate.rules._forms import Method, Value

RULES: dict[str, Rule] = {
    EP + "get_event_channel": Value("({local_ep}.send_fd, {local_ep}.recv_fd)"),
    EP + "event_handle_arm_send": Method("arm_send"),
    EP + "event_handle_arm_recv": Method("arm_recv"),
}
