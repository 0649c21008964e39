/* Callbacks of the library's, which get addresses as numbers. They reach the program through the handle of their
 * context, while there is one; what they raise is their caller's: see ContextLife in _context.py.
 */
#include "objects.h"

/* The handle of a context, or None when the program has dropped it. */
static PyObject *handle_of(PyObject *life)
{
    return PyObject_CallMethodObjArgs(life, calls_name.handle, NULL);
}

/* Call what an attribute of the context is. */
static PyObject *call_back(PyObject *context, PyObject *attribute, PyObject *first, PyObject *second)
{
    PyObject *callback = PyObject_GetAttr(context, attribute), *result;

    result = callback ? PyObject_CallFunctionObjArgs(callback, first, second, NULL) : NULL;
    Py_XDECREF(callback);
    return result;
}

/* A task has completed, for a (life, failed). One that was freed while submitted is not there. */
static PyObject *completed(PyObject *bound, PyObject *args)
{
    PyObject *life = PyTuple_GetItem(bound, 0), *address = PyTuple_GetItem(args, 0), *done = NULL, *context, *token;
    int failed = PyTuple_GetItem(bound, 1) == Py_True;
    PyObject *flying = PyObject_GetAttr(life, calls_name.submitted);
    Task *task = flying ? (Task *)PyDict_GetItemWithError(flying, address) : NULL;

    Py_XINCREF(task);
    if (task && !PyDict_DelItem(flying, address)) {
        calls_set(&task->owner, calls_held);
        calls_set(&task->status, calls_success);
        done = failed ? PyObject_CallMethodObjArgs((PyObject *)task, calls_name.read_status, NULL) : life;
        if (done == life)
            Py_INCREF(done);
    }
    Py_XDECREF(flying);
    if (done && (context = handle_of(life))) {
        token = calls_token(task);
        Py_DECREF(done);
        done = context;
        if (context != Py_None) {
            done = call_back(context, failed ? calls_name.on_failed : calls_name.on_done, token, NULL);
            Py_DECREF(context);
        }
        Py_DECREF(token);
    }
    Py_XDECREF(task);
    Py_XDECREF(done);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* The handle of a connection, as a new reference. */
static PyObject *connection_at(PyObject *context, PyObject *address)
{
    PyObject *connections = PyObject_GetAttr(context, calls_name.connections);
    PyObject *known = connections ? PyDict_GetItemWithError(connections, address) : NULL;

    Py_XINCREF(known);
    Py_XDECREF(connections);
    return known || PyErr_Occurred() ? known : PyObject_CallMethodObjArgs(context, calls_name.begin_at, address, NULL);
}

/* A message has come: its data is what the program gets, unless that wants a view. */
static PyObject *deliver(PyObject *context, PyObject *connection, PyObject *address, PyObject *length)
{
    int view = calls_is(context, calls_name.view, Py_True);
    PyObject *user_data, *data, *result = NULL;

    if (view)
        return view < 0 ? NULL
                        : PyObject_CallMethodObjArgs(context, calls_name.show, connection, address, length, NULL);
    user_data = PyObject_GetAttr(connection, calls_name.user_data);
    data = PyBytes_FromStringAndSize(PyLong_AsVoidPtr(address), PyLong_AsSsize_t(length));
    if (user_data && data)
        result = call_back(context, calls_name.on_message, user_data, data);
    Py_XDECREF(data);
    Py_XDECREF(user_data);
    return result;
}

/* A message has come, for a life: (event, data, length, connection). */
static PyObject *received(PyObject *life, PyObject *args)
{
    PyObject *context = handle_of(life), *connection, *result;

    if (!context || context == Py_None)
        return context;
    connection = connection_at(context, PyTuple_GetItem(args, 3));
    result = connection ? deliver(context, connection, PyTuple_GetItem(args, 1), PyTuple_GetItem(args, 2)) : NULL;
    Py_XDECREF(connection);
    Py_DECREF(context);
    return result;
}

static PyMethodDef completed_def = {"completed", completed, METH_VARARGS, NULL};
static PyMethodDef received_def = {"received", received, METH_VARARGS, NULL};

PyObject *calls_make_completed(PyObject *Py_UNUSED(module), PyObject *bound)
{
    return PyCFunction_NewEx(&completed_def, bound, NULL);
}

PyObject *calls_make_received(PyObject *Py_UNUSED(module), PyObject *life)
{
    return PyCFunction_NewEx(&received_def, life, NULL);
}
