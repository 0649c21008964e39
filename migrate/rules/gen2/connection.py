"""Find connections and their contexts, and read counters and user data from them."""

from migrate.old_api.generation_2 import PREFIX
from migrate.rules._answers import Rule
from migrate.rules._forms import Attribute, Method, Property

RULES: dict[str, Rule] = {
    PREFIX + "client_get_connection": Property("connection"),
    PREFIX + "server_get_server_ctx": Property("server"),
    PREFIX + "client_get_client_ctx": Property("client"),
    PREFIX + "connection_update_info": Method("update_info"),
    PREFIX + "connection_get_counter": Method("get_counter", {"counter_type": "counter"}),
    PREFIX + "connection_set_user_data": Attribute("user_data", "user_data"),
    PREFIX + "connection_get_user_data": Property("user_data"),
    "doca_ctx_set_user_data": Attribute("user_data", "user_data", is_own=True),
    "doca_ctx_get_user_data": Property("user_data", is_own=True),
}
