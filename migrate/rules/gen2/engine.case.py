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
