"""The modern Comch API in Python, on an emulated host/DPU pair by default.

Layout: device, engine, context, server, client, connection, task, and for the fast path memory, consumer,
producer, stream: one noun each; pull: the pull view; aio: asyncio; log: the log calls of old programs;
arguments: checks of the arguments of old calls; errors: the result codes as exceptions; api: the fact tables; driver:
the interface to the library.
"""

from typing import TYPE_CHECKING

from comch_next import log
from comch_next._blocking import BlockingChannel
from comch_next._channel import Channel
from comch_next._codes import AccessFlag, Counter, PciFuncType, RepFilter, State, SubmitFlag
from comch_next._init_attr import InitAttr
from comch_next._msgq import ConsumerCompletion, MsgQ
from comch_next._outcomes import named, outcome, outcome_list, outcomes, store, unraisable
from comch_next._pci import PciBdf
from comch_next._peer_info import PeerInfo, peer_info
from comch_next._version import __version__ as __version__
from comch_next.client import Client
from comch_next.connection import Connection, Message
from comch_next.consumer import Consumer
from comch_next.context import Context
from comch_next.device import Device, DevInfo, RepInfo, Representor, devices, open_device
from comch_next.engine import ProgressEngine
from comch_next.errors import (
    Again,
    AlreadyExist,
    Authentication,
    BadConfig,
    BadState,
    ConnectionAborted,
    ConnectionInprogress,
    ConnectionReset,
    DocaError,
    Driver,
    Empty,
    ErrorCode,
    Full,
    Initialization,
    InProgress,
    InUse,
    InvalidValue,
    IoFailed,
    NoLock,
    NoMemory,
    NotConnected,
    NotFound,
    NotPermitted,
    NotSupported,
    OperatingSystem,
    Shutdown,
    Skipped,
    TimeOut,
    TooBig,
    Unexpected,
    Unknown,
    UnsupportedVersion,
    code_name,
    code_names,
    describe,
    from_code,
)
from comch_next.memory import Buf, BufInventory, Mmap
from comch_next.producer import Producer
from comch_next.pull import PullPort
from comch_next.server import Server
from comch_next.stream import Stream
from comch_next.task import PostRecvTask, ProducerSendTask, SendTask

if not TYPE_CHECKING:  # a type checker would take any name for one of the package
    from comch_next._names import no_such_name as __getattr__  # noqa: F401  # Python calls it

__all__ = [
    "AccessFlag",
    "Again",
    "AlreadyExist",
    "Authentication",
    "BadConfig",
    "BadState",
    "BlockingChannel",
    "Buf",
    "BufInventory",
    "Channel",
    "Client",
    "Connection",
    "ConnectionAborted",
    "ConnectionInprogress",
    "ConnectionReset",
    "Consumer",
    "ConsumerCompletion",
    "Context",
    "Counter",
    "DevInfo",
    "Device",
    "DocaError",
    "Driver",
    "Empty",
    "ErrorCode",
    "Full",
    "InProgress",
    "InUse",
    "InitAttr",
    "Initialization",
    "InvalidValue",
    "IoFailed",
    "Message",
    "Mmap",
    "MsgQ",
    "NoLock",
    "NoMemory",
    "NotConnected",
    "NotFound",
    "NotPermitted",
    "NotSupported",
    "OperatingSystem",
    "PciBdf",
    "PciFuncType",
    "PeerInfo",
    "PostRecvTask",
    "Producer",
    "ProducerSendTask",
    "ProgressEngine",
    "PullPort",
    "RepFilter",
    "RepInfo",
    "Representor",
    "SendTask",
    "Server",
    "Shutdown",
    "Skipped",
    "State",
    "Stream",
    "SubmitFlag",
    "TimeOut",
    "TooBig",
    "Unexpected",
    "Unknown",
    "UnsupportedVersion",
    "code_name",
    "code_names",
    "describe",
    "devices",
    "from_code",
    "log",
    "named",
    "open_device",
    "outcome",
    "outcome_list",
    "outcomes",
    "peer_info",
    "store",
    "unraisable",
]
