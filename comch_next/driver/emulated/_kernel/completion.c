/* The completions that a progress delivers. Whatever may run Python code, be it a callback or the death of an object,
 * finds nothing half done, and may end all that it finds.
 */
#include "objects.h"

/* Call back for one task that has arrived, and which is ours now. */
static void complete(Engine *engine, Context *context, Task *task)
{
    PyObject *token = calls_token(task), *done = context->on_done, *result;

    calls_set(&task->owner, calls_program);
    calls_set(&task->status, calls_success);
    Py_XINCREF(done);
    Py_DECREF(task);
    result = done ? PyObject_CallFunctionObjArgs(done, token, NULL) : NULL;
    if (!result && done)
        calls_keep_error(engine);
    Py_XDECREF(result);
    Py_XDECREF(done);
    Py_DECREF(token);
}

/* Take the connections off the list that have no task in flight. */
static int unlist(PyObject *sending)
{
    for (Py_ssize_t i = PyList_Size(sending); i-- > 0;) {
        Link *link = i < PyList_Size(sending) ? SELF(Link, PyList_GetItem(sending, i)) : NULL;
        if (link && !link->count) {
            link->listed = 0;
            if (PySequence_DelItem(sending, i))
                return -1;
        }
    }
    return 0;
}

/* Deliver the completions of sends that have arrived, each once, until one raises. Whether there were any, or -1. What
 * callbacks submit meanwhile waits for the next time. */
int calls_complete_sends(Engine *engine, Context *context)
{
    PyObject *sending = context->sending;
    Py_ssize_t count = sending ? PyList_Size(sending) : 0;
    int delivered = 0, failed;

    if (!count)
        return 0;
    Py_INCREF(sending);
    for (Py_ssize_t i = 0; i < count && i < PyList_Size(sending); i++) {
        Link *link = SELF(Link, PyList_GetItem(sending, i));
        uint64_t number = calls_arrived(link);
        Py_INCREF(link);
        while (link->count && link->flight[link->first]->number <= number && !calls_given(engine->error)) {
            complete(engine, context, &calls_pop_task(link)->task);
            delivered = 1;
        }
        Py_DECREF(link);
    }
    failed = unlist(sending);
    Py_DECREF(sending);
    return failed ? failed : delivered;
}
