"""Listen and connect under the name given; a connect does not wait."""

from migrate.old_api.generation_1 import EP
from migrate.rules._answers import Rule
from migrate.rules._forms import Method

RULES: dict[str, Rule] = {
    EP + "listen": Method("listen", {"name": "name"}),
    EP + "connect": Method("connect", {"name": "name"}, "timeout=0"),
}
