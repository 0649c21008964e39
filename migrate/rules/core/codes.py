"""Name, describe and test result codes."""

from migrate.rules._answers import Rule
from migrate.rules._form import SUCCESS
from migrate.rules._forms import Function, Value

RULES: dict[str, Rule] = {
    "doca_error_get_descr": Function("describe", {"error": "code"}),
    "doca_error_get_name": Function("code_name", {"error": "code"}),
    "DOCA_IS_ERROR": Value(f"{{error}} != {SUCCESS}", is_open=True),
    "DOCA_ERROR_PROPAGATE": Value(f"{{then}} if {{first}} == {SUCCESS} else {{first}}", is_open=True),
}
