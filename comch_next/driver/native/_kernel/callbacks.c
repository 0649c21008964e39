/* Callbacks of the library's, which get addresses as numbers. They reach the program through the handle of their
 * context, while there is one; what they raise is their caller's: see ContextLife in _context.py. What is rare is left to
 * the Python ones, and all of it while signals are held back, which the program's callbacks are not to be.
 */
#include "objects.h"

enum { LIFE, SLOW, MASKED };  /* what they are bound to */

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

/* Whether it is left to Python. */
static int is_slow(PyObject *bound)
{
    return PyList_Size(PyTuple_GetItem(bound, MASKED)) != 0;
}

static PyObject *slowly(PyObject *bound, PyObject *args)
{
    return PyObject_CallObject(PyTuple_GetItem(bound, SLOW), args);
}

/* A task has succeeded. One that was freed while submitted is not there. */
static PyObject *completed(PyObject *bound, PyObject *args)
{
    PyObject *life = PyTuple_GetItem(bound, LIFE), *address = PyTuple_GetItem(args, 0), *context, *token;
    PyObject *flying, *result = NULL;
    Task *task;

    if (is_slow(bound))
        return slowly(bound, args);
    flying = PyObject_GetAttr(life, calls_name.submitted);
    task = flying ? (Task *)PyDict_GetItemWithError(flying, address) : NULL;
    Py_XINCREF(task);
    if (task && !PyDict_DelItem(flying, address)) {
        calls_set(&task->owner, calls_held);
        calls_set(&task->status, calls_success);
        if ((context = handle_of(life)) && context != Py_None) {
            token = calls_token(task);
            result = call_back(context, calls_name.on_done, token, NULL);
            Py_DECREF(token);
        }
        Py_XDECREF(context);
    }
    Py_XDECREF(flying);
    Py_XDECREF(task);
    Py_XDECREF(result);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* The handle of a known connection, as a new reference; NULL for another. */
static PyObject *connection_at(PyObject *context, PyObject *address)
{
    PyObject *connections = PyObject_GetAttr(context, calls_name.connections);
    PyObject *known = connections ? PyDict_GetItemWithError(connections, address) : NULL;

    Py_XINCREF(known);
    Py_XDECREF(connections);
    return known;
}

/* A message has come: the program gets a copy, or a view of that for as long as its callback runs. */
static PyObject *deliver(PyObject *context, PyObject *connection, PyObject *address, PyObject *length)
{
    PyObject *user_data = PyObject_GetAttr(connection, calls_name.user_data), *view, *result = NULL;
    PyObject *data = PyBytes_FromStringAndSize(PyLong_AsVoidPtr(address), PyLong_AsSsize_t(length));
    int viewed = calls_is(context, calls_name.view, Py_True);

    if (user_data && data && !viewed)
        result = call_back(context, calls_name.on_message, user_data, data);
    else if (user_data && data && viewed > 0 && (view = PyMemoryView_FromObject(data)))
        result = calls_released(view, call_back(context, calls_name.on_message, user_data, view));
    Py_XDECREF(data);
    Py_XDECREF(user_data);
    return result;
}

/* A message has come: (event, data, length, connection). */
static PyObject *received(PyObject *bound, PyObject *args)
{
    PyObject *context, *connection, *result = NULL;

    if (is_slow(bound))
        return slowly(bound, args);
    context = handle_of(PyTuple_GetItem(bound, LIFE));
    if (!context || context == Py_None)
        return context;
    if ((connection = connection_at(context, PyTuple_GetItem(args, 3))))
        result = deliver(context, connection, PyTuple_GetItem(args, 1), PyTuple_GetItem(args, 2));
    else if (!PyErr_Occurred())
        result = slowly(bound, args);
    Py_XDECREF(connection);
    Py_DECREF(context);
    if (!result)
        return NULL;
    Py_DECREF(result);  /* the program's own, which the library does not ask for */
    Py_RETURN_NONE;
}

static PyMethodDef completed_def = {"completed", completed, METH_VARARGS, NULL};
static PyMethodDef received_def = {"received", received, METH_VARARGS, NULL};

PyObject *calls_make_completed(PyObject *Py_UNUSED(module), PyObject *bound)
{
    return PyCFunction_NewEx(&completed_def, bound, NULL);
}

PyObject *calls_make_received(PyObject *Py_UNUSED(module), PyObject *bound)
{
    return PyCFunction_NewEx(&received_def, bound, NULL);
}
