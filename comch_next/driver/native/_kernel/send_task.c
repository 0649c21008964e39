/* The allocation of send tasks, in front of the Python one: see quick_alloc in _control.py. */
#include "objects.h"

typedef int (*Alloc)(void *ctx, void *peer, const void *message, uint32_t length, void **task);
typedef void *(*AsTask)(void *task);

enum { CTX, LIFE, PEER, KIND, PROGRAM, SLOW, POINTER, ALLOC, AS_TASK };  /* what it is bound to */

/* Free the tasks that the program has dropped: another takes its slot at once. Whether that failed. */
static int free_dropped(PyObject *life)
{
    PyObject *dropped = PyObject_GetAttr(life, calls_name.dropped), *done = NULL;
    Py_ssize_t waiting = dropped ? PyObject_Size(dropped) : -1;

    Py_XDECREF(dropped);
    if (waiting > 0 && (done = PyObject_CallMethodObjArgs(life, calls_name.free_dropped, NULL)))
        waiting = 0;
    Py_XDECREF(done);
    return waiting != 0;
}

/* Whether neither the context nor its connection has ended. */
static int allows(PyObject *bound, PyObject *peer)
{
    PyObject *ctx = PyTuple_GetItem(bound, CTX);

    return !free_dropped(PyTuple_GetItem(bound, LIFE)) && calls_is(peer, calls_name.context, ctx) == 1
           && !calls_is(peer, calls_name.pointer, Py_None) && !calls_is(ctx, calls_name.pointer, Py_None);
}

/* Make it the program's, of that address. Whether that failed. */
static int fill(Task *task, PyObject *bound, PyObject *peer, PyObject *message, void *pointer, void *base)
{
    PyObject *tasks = PyObject_GetAttr(PyTuple_GetItem(bound, LIFE), calls_name.tasks);
    int failed;

    task->address = PyLong_FromVoidPtr(pointer);
    task->base = PyLong_FromVoidPtr(base);
    failed = !tasks || !task->address || !task->base || PyDict_SetItem(tasks, task->address, task->base);
    Py_XDECREF(tasks);
    calls_set(&task->ctx, PyTuple_GetItem(bound, CTX));
    calls_set(&task->context, PyTuple_GetItem(bound, PROGRAM));
    calls_set(&task->data, message);
    calls_set(&task->peer, peer);
    calls_set(&task->status, calls_success);
    if (!failed)
        calls_set(&task->owner, calls_held);
    return failed;
}

/* Allocate with the lock held; NULL without an exception where that is left to Python. */
static PyObject *allocate(PyObject *bound, PyObject *peer, PyObject *message)
{
    Alloc alloc = (Alloc)calls_item(bound, ALLOC);
    AsTask as_task = (AsTask)calls_item(bound, AS_TASK);
    Py_ssize_t length = PyBytes_Size(message);
    PyObject *address = PyObject_GetAttr(peer, calls_name.address);
    Task *task = (Task *)PyType_GenericAlloc((PyTypeObject *)PyTuple_GetItem(bound, KIND), 0);
    void *ctx = calls_item(bound, POINTER), *connection = address ? PyLong_AsVoidPtr(address) : NULL;
    void *made = NULL, *base = NULL;
    int code = -1;

    Py_XDECREF(address);
    if (task && connection && length <= UINT32_MAX && allows(bound, peer)) {
        const char *data = PyBytes_AsString(message);
        code = alloc(ctx, connection, data, (uint32_t)length, &made);
        if (!code)
            base = as_task(made);
    }
    if (code || fill(task, bound, peer, message, made, base))
        Py_CLEAR(task);
    return (PyObject *)task;
}

/* The handle of what the program has for a connection, if it is one of the driver's; else NULL. */
static PyObject *peer_of(PyObject *bound, PyObject *connection)
{
    PyObject *peer = PyObject_GetAttr(connection, calls_name._handle);

    if (!peer && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Clear();
    if (peer && (PyObject *)Py_TYPE(peer) != PyTuple_GetItem(bound, PEER))
        Py_CLEAR(peer);
    return peer;
}

static PyObject *task_send_alloc_init(PyObject *bound, PyObject *args, PyObject *names)
{
    PyObject *connection, *message, *peer, *lock, *task = NULL;

    if (!names && PyTuple_Size(args) == 2 && PyBytes_CheckExact(message = PyTuple_GetItem(args, 1))) {
        connection = PyTuple_GetItem(args, 0);
        if ((peer = peer_of(bound, connection)) && (lock = calls_taken(PyTuple_GetItem(bound, LIFE))))
            task = calls_released(lock, allocate(bound, peer, message));
        Py_XDECREF(peer);
    }
    return task || PyErr_Occurred() ? task : PyObject_Call(PyTuple_GetItem(bound, SLOW), args, names);
}

static PyMethodDef alloc_def = {
    "task_send_alloc_init", (PyCFunction)(void (*)(void))task_send_alloc_init, METH_VARARGS | METH_KEYWORDS, NULL,
};

PyObject *calls_make_alloc(PyObject *Py_UNUSED(module), PyObject *bound)
{
    return PyCFunction_NewEx(&alloc_def, bound, NULL);
}
