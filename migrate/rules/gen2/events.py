"""Register for messages, connections and consumers; the program's functions get what C passed them."""

from migrate.old_api.generation_2 import PREFIX
from migrate.rules._answers import Rule
from migrate.rules.gen2._callbacks import CHANGED, CONSUMER, RECEIVED, registered
from migrate.rules.gen2._sides import for_both

RULES: dict[str, Rule] = {
    **for_both(
        {
            "event_msg_recv_register": registered(
                "event_msg_recv_register", {"recv_event_cb": "callback"}, RECEIVED, gives=True
            ),
            "event_consumer_register": registered(
                "event_consumer_register",
                {"new_consumer_event_cb": "new", "expired_consumer_event_cb": "expired"},
                CONSUMER,
            ),
        }
    ),
    PREFIX + "server_event_connection_register": registered(
        "event_connection_status_changed_register",
        {"connect_event_cb": "up", "disconnect_event_cb": "down"},
        CHANGED,
    ),
}
