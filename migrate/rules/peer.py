"""Read a peer's state, counters and user data from its connection."""

from migrate._legacy import PEER
from migrate._rule import Calls, Gives, Reads, Rule, Writes

RULES: dict[str, Rule] = {
    PEER + "update_info": Calls("{peer_addr}.update_info"),
    PEER + "get_send_messages": Calls("{peer_addr}.get_counter", "{comch}.Counter.SENT_MESSAGES"),
    PEER + "get_send_bytes": Calls("{peer_addr}.get_counter", "{comch}.Counter.SENT_BYTES"),
    PEER + "get_recv_messages": Calls("{peer_addr}.get_counter", "{comch}.Counter.RECV_MESSAGES"),
    PEER + "get_recv_bytes": Calls("{peer_addr}.get_counter", "{comch}.Counter.RECV_BYTES"),
    PEER + "get_send_in_flight_messages": Reads("{peer_addr}", "in_flight"),
    PEER + "set_user_data": Writes("{peer_addr}", "user_data", "{user_context}"),
    PEER + "get_user_data": Gives("({peer_addr}.user_data or 0)"),  # unset was 0, and is None
}
