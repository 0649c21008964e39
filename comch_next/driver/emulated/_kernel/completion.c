/* The completions that a progress delivers. Whatever may run Python code, be it a callback or the death of an object,
 * finds nothing half done, and may end all that it finds.
 */
#include "objects.h"

static PyObject *popleft_name;

/* Call back for a task, which is the program's from now on. */
void calls_complete(Engine *engine, Task *task, PyObject *callback)
{
    PyObject *token = calls_token(task), *result;

    calls_set(&task->owner, calls_program);
    Py_XINCREF(callback);
    result = callback ? PyObject_CallFunctionObjArgs(callback, token, NULL) : NULL;
    if (!result && callback)
        calls_keep_error(engine);
    Py_XDECREF(result);
    Py_XDECREF(callback);
    Py_DECREF(token);
}

/* Call back for a task whose send has arrived, and which is ours now. */
static void complete_sent(Engine *engine, Context *context, Task *task)
{
    calls_set(&task->status, calls_success);
    calls_complete(engine, task, context->on_done);
    Py_DECREF(task);
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
            complete_sent(engine, context, &calls_pop_task(link)->task);
            delivered = 1;
        }
        Py_DECREF(link);
    }
    failed = unlist(sending);
    Py_DECREF(sending);
    return failed ? failed : delivered;
}

/* Whether the status is of a success. Each interpreter of the process has a SUCCESS of its own. */
static int is_success(PyObject *status)
{
    return status == calls_success || (status && PyLong_Check(status) && PyObject_Not(status) == 1);
}

/* Deliver the completions of tasks that have finished, each once, until one raises. Whether there were any, or -1. What
 * a callback submits on a dead connection fails the next time. */
int calls_complete_finished(Engine *engine, Context *context)
{
    PyObject *finished = context->finished;
    Py_ssize_t count = finished ? PyObject_Size(finished) : 0;
    int delivered = 0;

    if (count <= 0)
        return (int)count;
    Py_INCREF(finished);
    while (count-- && !calls_given(engine->error) && calls_any(finished)) {
        PyObject *task = PyObject_CallMethodObjArgs(finished, popleft_name, NULL);
        if (!task || !calls_is(task, calls_task_type)) {
            Py_XDECREF(task);
            delivered = -1;
            break;
        }
        calls_complete(engine, SELF(Task, task),
                       is_success(SELF(Task, task)->status) ? context->on_done : context->on_failed);
        Py_DECREF(task);
        delivered = 1;
    }
    Py_DECREF(finished);
    return delivered;
}

int calls_add_completion(PyObject *Py_UNUSED(module))
{
    const Name names[] = {{&popleft_name, "popleft"}, {0}};

    return calls_intern(names);
}
