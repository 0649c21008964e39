"""Parcels: files in pieces over the fast path of doca_cc (DOCA 2.5)."""

from .errors import ParcelError
from .lanes import Inbound, Outbound
from .links import Dpu, Host

__all__ = ["Dpu", "Host", "Inbound", "Outbound", "ParcelError"]
