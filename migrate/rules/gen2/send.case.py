# case: the words of 2.6
import doca_cc as cc


class Talk:
    def __init__(self, dev):
        self.client = cc.Client(dev, "svc")
        self.client.task_send_set_conf(self.done, self.failed, num_send_tasks=16)

    def done(self, task, data, talk):
        task.as_task().free()

    def failed(self, task, data, talk):
        print(task.as_task().get_status())
        task.as_task().free()

    def say(self, text, size):
        peer = self.client.get_connection()
        self.client.task_send_alloc_init(peer, text).as_task().submit()
        self.client.task_send_alloc_init(peer, b"hello", 5).as_task().submit()
        self.client.task_send_alloc_init(peer, text, size).as_task().submit()


Talk(cc.open_device("b1:00.0")).say(b"hello", 2)

# output
import comch_next as comch


class Talk:
    def __init__(self, dev):
        self.client = comch.Client(dev, "svc")
        self.client.task_send_set_conf(
            lambda task: self.done(task, task.user_data, task.context.user_data),
            lambda task: self.failed(
                task, task.user_data, task.context.user_data
            ),
            16,
        )

    def done(self, task, data, talk):
        task.free()

    def failed(self, task, data, talk):
        print(task.status)
        task.free()

    def say(self, text, size):
        peer = self.client.connection
        self.client.task_send_alloc_init(peer, text).submit()
        self.client.task_send_alloc_init(peer, b"hello").submit()
        self.client.task_send_alloc_init(
            peer, comch.arguments.cut(text, size)
        ).submit()


Talk(comch.open_device("b1:00.0")).say(b"hello", 2)


# case: the words and counts of 2.5
import functools

import doca_cc as cc

LOG_NUM_TASKS = 10


def ended(what, task, *data):
    task.as_task().free()


client = cc.Client(cc.open_device("b1:00.0"), "svc")
client.send_task_set_conf(functools.partial(ended, "sent"), functools.partial(ended, "lost"), 10)
client.send_task_set_conf(lambda task, *data: None, print, LOG_NUM_TASKS)
task = client.send_task_alloc_init(client.get_connection(), b"hello")

# output
import functools

import comch_next as comch

LOG_NUM_TASKS = 10


def ended(what, task, *data):
    task.free()


client = comch.Client(comch.open_device("b1:00.0"), "svc")
client.task_send_set_conf(
    lambda task, call=functools.partial(ended, "sent"): call(
        task, task.user_data, task.context.user_data
    ),
    lambda task, call=functools.partial(ended, "lost"): call(
        task, task.user_data, task.context.user_data
    ),
    1024,
)
client.task_send_set_conf(
    lambda task, call=(lambda task, *data: None): call(
        task, task.user_data, task.context.user_data
    ),
    lambda task, call=print: call(task, task.user_data, task.context.user_data),
    1 << LOG_NUM_TASKS,
)
task = client.task_send_alloc_init(client.connection, b"hello")


# case: a log2 that cannot be seen, and one that is out of range
import sys

import doca_cc as cc

dev = cc.open_device("b1:00.0")
first = cc.Client(dev, "svc")
first.send_task_set_conf(print, print, int(sys.argv[1]))
dev = cc.open_device("b1:00.1")
second = cc.Client(dev, "svc")
second.send_task_set_conf(print, print, 64)

# output
import sys

import comch_next as comch

dev = comch.open_device("b1:00.0")
first = comch.Client(dev, "svc")
first.task_send_set_conf(
    lambda task, call=print: call(
        task, task.user_data, task.context.user_data
    ),
    lambda task, call=print: call(
        task, task.user_data, task.context.user_data
    ),
    comch.arguments.absolute(int(sys.argv[1])),
)
dev = comch.open_device("b1:00.1")
second = comch.Client(dev, "svc")
second.task_send_set_conf(
    lambda task, call=print: call(
        task, task.user_data, task.context.user_data
    ),
    lambda task, call=print: call(
        task, task.user_data, task.context.user_data
    ),
    comch.arguments.absolute(64),
)


# case: flat, a log2 that cannot be seen
import sys

from doca_cc import *


def done(task, task_user_data, ctx_user_data):
    doca_task_free(doca_cc_send_task_as_task(task))


rc, infos, count = doca_devinfo_create_list()
rc, dev = doca_dev_open(infos[0])
rc, client = doca_cc_client_create(dev, "svc")
if rc == DOCA_SUCCESS:
    log_tasks = int(sys.argv[1])
    rc = doca_cc_client_send_task_set_conf(client, done, done, log_tasks)

# output

import sys

import comch_next as comch


def done(task, task_user_data, ctx_user_data):
    task.free()


rc, infos, count = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(infos[0].open)
rc, client = comch.outcome(comch.Client, dev, "svc") if dev is not None else (
    comch.ErrorCode.INVALID_VALUE, None
)
if rc == comch.ErrorCode.SUCCESS:
    log_tasks = int(sys.argv[1])
    rc = comch.outcome(
        lambda: client.task_send_set_conf(
            lambda task: done(task, task.user_data, task.context.user_data),
            lambda task: done(task, task.user_data, task.context.user_data),
            comch.arguments.absolute(log_tasks),
        )
    )[0]


# case: a log2 that a loop gives, and one that is another thing at times
import sys

import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")
for log_tasks in (14, 13):
    client.send_task_set_conf(print, print, log_tasks)
for count in (1, len(sys.argv)):
    client.send_task_set_conf(print, print, count)

# output
import sys

import comch_next as comch

client = comch.Client(comch.open_device("b1:00.0"), "svc")
for log_tasks in (14, 13):
    client.task_send_set_conf(
        lambda task, call=print: call(
            task, task.user_data, task.context.user_data
        ),
        lambda task, call=print: call(
            task, task.user_data, task.context.user_data
        ),
        1 << log_tasks,
    )
for count in (1, len(sys.argv)):
    client.task_send_set_conf(
        lambda task, call=print: call(
            task, task.user_data, task.context.user_data
        ),
        lambda task, call=print: call(
            task, task.user_data, task.context.user_data
        ),
        comch.arguments.absolute(count),
    )


# case: a log2 that a loop gives
import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")
for log_tasks in (14, 13):
    client.send_task_set_conf(print, print, log_tasks)

# output
import comch_next as comch

client = comch.Client(comch.open_device("b1:00.0"), "svc")
for log_tasks in (14, 13):
    client.task_send_set_conf(
        lambda task, call=print: call(
            task, task.user_data, task.context.user_data
        ),
        lambda task, call=print: call(
            task, task.user_data, task.context.user_data
        ),
        1 << log_tasks,
    )


# case: flat
from doca_cc import *


def done(task, task_user_data, ctx_user_data):
    doca_task_free(doca_cc_send_task_as_task(task))


rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
rc = doca_cc_client_send_task_set_conf(client, done, done, 4)
rc, connection = doca_cc_client_get_connection(client)
msg = b"hello"
rc, task = doca_cc_client_send_task_alloc_init(client, connection, msg, len(msg))
rc = doca_task_submit(doca_cc_send_task_as_task(task))

# output
import comch_next as comch


def done(task, task_user_data, ctx_user_data):
    task.free()


rc, client = comch.outcome(comch.Client, comch.open_device("b1:00.0"), "svc")
rc = comch.outcome(
    comch.Client.task_send_set_conf,
    client,
    lambda task: done(task, task.user_data, task.context.user_data),
    lambda task: done(task, task.user_data, task.context.user_data),
    16,
)[0]
rc, connection = comch.outcome(comch.Client.connection.fget, client)
msg = b"hello"
rc, task = comch.outcome(
    comch.Client.task_send_alloc_init, client, connection, msg
)
rc = comch.outcome(
    task.submit
)[0] if task is not None else comch.ErrorCode.INVALID_VALUE


# case: a log2 in a sequence, and a configuration as a value
import doca_cc as cc

host = cc.open_device("b1:00.0")
client = cc.Client(host, "svc")
client.send_task_set_conf(*(print, print, 3))
configure = client.task_send_set_conf
configure(print, print, 8)

# output
import comch_next as comch

host = comch.open_device("b1:00.0")
client = comch.Client(host, "svc")
(
    lambda task_completion_cb, task_error_cb, log_num_tasks, *, client=client: client.task_send_set_conf(
        lambda task: task_completion_cb(
            task, task.user_data, task.context.user_data
        ),
        lambda task: task_error_cb(
            task, task.user_data, task.context.user_data
        ),
        comch.arguments.absolute(log_num_tasks),
    )
)(*(print, print, 3))
configure = lambda task_completion_cb, task_error_cb, num_send_tasks, *, client=client: client.task_send_set_conf(
    lambda task: task_completion_cb(
        task, task.user_data, task.context.user_data
    ),
    lambda task: task_error_cb(task, task.user_data, task.context.user_data),
    num_send_tasks,
)
configure(print, print, 8)


# case: flat, messages that callers give
import sys

from doca_cc import *


def put(msg):
    return doca_cc_client_task_send_alloc_init(client, connection, msg, len(msg))


def put_some(data, left):
    rc, task = doca_cc_client_task_send_alloc_init(client, connection, data, len(data))
    rc, task = doca_cc_client_task_send_alloc_init(client, connection, data, len(data) - left)


rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
rc, connection = doca_cc_client_get_connection(client)
for word in b"to", b"be":
    put(word)
    doca_cc_client_task_send_alloc_init(client, connection, word, len(word))
put(sys.argv[1].encode())
put_some(sys.stdin.readline(), 1)

# output
import sys

import comch_next as comch


def put(msg):
    return comch.outcome(comch.Client.task_send_alloc_init, client, connection, msg)


def put_some(data, left):
    rc, task = comch.outcome(
        lambda: client.task_send_alloc_init(connection, comch.arguments.cut(data, len(data)))
    ) if client is not None else (comch.ErrorCode.INVALID_VALUE, None)
    rc, task = (
        lambda cc_client, peer, msg, len: comch.outcome(
            lambda: cc_client.task_send_alloc_init(peer, comch.arguments.cut(msg, len))
        ) if cc_client is not None else (comch.ErrorCode.INVALID_VALUE, None)
    )(client, connection, data, len(data) - left)


rc, client = comch.outcome(comch.Client, comch.open_device("b1:00.0"), "svc")
rc, connection = comch.outcome(comch.Client.connection.fget, client)
for word in b"to", b"be":
    put(word)
    comch.outcome(comch.Client.task_send_alloc_init, client, connection, word)
put(sys.argv[1].encode())
put_some(sys.stdin.readline(), 1)
