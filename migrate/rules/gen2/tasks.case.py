# case: tasks of another library
queue.get().as_task().submit()


# case: views, user data and status
import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")
task = client.task_send_alloc_init(client.get_connection(), b"hello")
generic = task.as_task()
generic.set_user_data([1])
task.as_task().get_user_data().append(2)
generic.submit_ex(cc.DOCA_TASK_SUBMIT_FLAG_FLUSH)
if task.as_task().get_status() != cc.DOCA_SUCCESS:
    generic.get_ctx().stop()
generic.free()

# output
import comch_next as comch

client = comch.Client(comch.open_device("b1:00.0"), "svc")
task = client.task_send_alloc_init(client.connection, b"hello")
generic = task
generic.user_data = [1]
task.user_data.append(2)
generic.submit_ex(comch.SubmitFlag.FLUSH)
if task.status != comch.ErrorCode.SUCCESS:
    generic.context.stop()
generic.free()


# case: flat
from doca_cc import *


def done(task, task_user_data, ctx_user_data):
    rc = doca_task_get_status(doca_cc_task_send_as_task(task))
    doca_task_set_user_data(doca_cc_task_send_as_task(task), task_user_data + 1)
    if rc == DOCA_ERROR_AGAIN:
        rc = doca_task_try_submit(doca_cc_task_send_as_task(task))
    else:
        doca_task_free(doca_cc_task_send_as_task(task))


rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
rc = doca_cc_client_task_send_set_conf(client, done, done, 4)

# output
import comch_next as comch


def done(task, task_user_data, ctx_user_data):
    rc = task.status
    task.user_data = task_user_data + 1
    if rc == comch.ErrorCode.AGAIN:
        rc = comch.outcome(task.try_submit)[0]
    else:
        task.free()


rc, client = comch.outcome(comch.Client, comch.open_device("b1:00.0"), "svc")
rc = comch.outcome(
    comch.Client.task_send_set_conf,
    client,
    lambda task: done(task, task.user_data, task.context.user_data),
    lambda task: done(task, task.user_data, task.context.user_data),
    4,
)[0]


# case: flat, a second free, which did nothing
from doca_cc import *

rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
rc, task = doca_cc_client_task_send_alloc_init(client, None, b"a", 1)
if rc == DOCA_SUCCESS:
    doca_task_free(doca_cc_task_send_as_task(task))
    doca_task_free(doca_cc_task_send_as_task(task))

# output
import comch_next as comch

rc, client = comch.outcome(comch.Client, comch.open_device("b1:00.0"), "svc")
rc, task = comch.outcome(comch.Client.task_send_alloc_init, client, None, b"a")
if rc == comch.ErrorCode.SUCCESS:
    task.free()
    comch.outcome(task.free)
