"""Sessions as dataclasses: what a server knows of each client, and the engine that moves everything."""

from __future__ import annotations

from dataclasses import dataclass, field

import doca_cc as cc


@dataclass
class Session:
    connection: cc.Connection
    number: int
    words: list[str] = field(default_factory=list)


@dataclass
class Engine:
    pe: cc.ProgressEngine = field(default_factory=cc.ProgressEngine)

    def attach(self, context: cc.Server | cc.Client) -> cc.Context:
        ctx = context.as_ctx()
        self.pe.connect_ctx(ctx)
        return ctx

    def until(self, done) -> None:
        while not done():
            self.pe.progress()


@dataclass
class Sender:
    """Sends and counts what is on its way."""

    context: cc.Server | cc.Client
    depth: int = 8
    waiting: int = 0
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context.task_send_set_conf(self.done, self.failed, self.depth)

    def send(self, connection: cc.Connection, text: str) -> None:
        task: cc.TaskSend = self.context.task_send_alloc_init(connection, text.encode())
        task.as_task().set_user_data(text)
        task.as_task().submit()
        self.waiting += 1

    def done(self, task: cc.TaskSend, text: str, _: object) -> None:
        self.waiting -= 1
        task.as_task().free()

    def failed(self, task: cc.TaskSend, text: str, _: object) -> None:
        self.errors.append(text)
        self.done(task, text, _)
