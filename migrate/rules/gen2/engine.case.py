# case: an engine of another library
engine.progress()


# case: progress and notifications
import select

import doca_cc as cc

pe = cc.ProgressEngine()
poller = select.poll()
poller.register(pe.get_notification_handle())
pe.request_notification()
poller.poll(10)
pe.clear_notification(0)
while pe.progress():
    print(pe.get_num_inflight_tasks())
pe.destroy()

# output
import select

import comch_next as comch

pe = comch.ProgressEngine(max_events=1)
poller = select.poll()
poller.register(pe.notification_handle)
pe.request_notification()
poller.poll(10)
pe.clear_notification(0)
while pe.progress():
    print(pe.num_inflight_tasks)
pe.destroy()


# case: flat
from doca_cc import *

rc, pe = doca_pe_create()
while doca_pe_progress(pe) == 0:
    pass
moved = doca_pe_progress(pe)
print(moved)
rc, handle = doca_pe_get_notification_handle(pe)
rc = doca_pe_request_notification(pe)
rc = doca_pe_clear_notification(pe, handle)
rc = doca_pe_destroy(pe)

# output
import comch_next as comch

rc, pe = comch.outcome(comch.ProgressEngine, max_events=1)
while (pe.progress() if pe is not None else 0) == 0:
    pass
moved = int(pe.progress()) if pe is not None else 0
print(moved)
rc, handle = comch.outcome(comch.ProgressEngine.notification_handle.fget, pe)
rc = comch.outcome(comch.ProgressEngine.request_notification, pe)[0]
rc = comch.outcome(comch.ProgressEngine.clear_notification, pe, handle)[0]
rc = comch.outcome(comch.ProgressEngine.destroy, pe)[0]


# case: flat, progress inside of a callback
from doca_cc import *


def drain():
    while doca_pe_progress(pe):
        pass


def sent(task, task_user_data, ctx_user_data):
    drain()
    doca_task_free(doca_cc_task_send_as_task(task))


rc, pe = doca_pe_create()
if rc != DOCA_SUCCESS:
    raise SystemExit(1)
rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
rc = doca_cc_client_task_send_set_conf(client, sent, sent, 4)
rc = doca_pe_connect_ctx(pe, doca_cc_client_as_ctx(client))
rc = doca_ctx_start(doca_cc_client_as_ctx(client))
doca_pe_progress(pe)

# output
from doca_cc import *


def drain():
    # CCM113: progress that may run inside of a callback (python -m migrate explain CCM113)
    while doca_pe_progress(pe):
        pass


def sent(task, task_user_data, ctx_user_data):
    drain()
    doca_task_free(doca_cc_task_send_as_task(task))


rc, pe = doca_pe_create()
if rc != DOCA_SUCCESS:
    raise SystemExit(1)
rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
rc = doca_cc_client_task_send_set_conf(client, sent, sent, 4)
rc = doca_pe_connect_ctx(pe, doca_cc_client_as_ctx(client))
rc = doca_ctx_start(doca_cc_client_as_ctx(client))
doca_pe_progress(pe)


# case: flat, an engine in a cell
from doca_cc import *

pe = [None]
rc, pe[0] = doca_pe_create()
while doca_pe_progress(pe[0]):
    pass

# output
import comch_next as comch

pe = [None]
rc, pe[0] = comch.outcome(comch.ProgressEngine, max_events=1)
while pe[0].progress() if pe[0] is not None else 0:
    pass
