"""How hypothesis makes up its examples: the same in every run of the suite, new ones under stress."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings

from tests.budget import SECONDS

__all__ = ["examples"]


def examples(count: int) -> settings:
    """Return the settings for that many examples of programs or processes, which wait for each other."""
    return settings(
        max_examples=count,
        derandomize=not SECONDS,
        deadline=None,  # an event of the other side may take a millisecond or two
        database=None,  # a failure prints its steps; nothing is left in the checkout
        suppress_health_check=list(HealthCheck),
        # Shrinking a failure that waits for its deadline takes longer than pytest lets a test run.
        phases=[Phase.generate, Phase.shrink] if SECONDS else [Phase.generate],
    )
