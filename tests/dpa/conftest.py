"""What is printed of kernels that fail."""

from __future__ import annotations

import threading

import pytest


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[BaseException | None]:
    """Errors of kernels, which a program sees printed."""
    errors: list[BaseException | None] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: errors.append(args.exc_value))
    return errors
