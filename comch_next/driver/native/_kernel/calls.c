/* What programs of the control path do for every message: the module, and what its files share. The engine's lock is
 * held as in Python. The interpreter's is let go for progress, which calls back; what is done with a task neither calls
 * back nor waits, and costs less than to let the lock go and take it again. Written for the stable ABI of Python 3.10.
 *
 * task.c         submit and free
 * send_task.c    allocation
 * callbacks.c    tasks that have completed, messages that have come
 * progress.c     one call of the library's
 */
#include "objects.h"

struct calls_names calls_name;

void calls_set(PyObject **place, PyObject *value)
{
    PyObject *before = *place;

    Py_XINCREF(value);
    *place = value;
    Py_XDECREF(before);
}

void *calls_item(PyObject *bound, Py_ssize_t place)
{
    return PyLong_AsVoidPtr(PyTuple_GetItem(bound, place));
}

/* Whether that is what an attribute is, or -1. */
int calls_is(PyObject *object, PyObject *attribute, PyObject *value)
{
    PyObject *found = PyObject_GetAttr(object, attribute);

    Py_XDECREF(found);
    return found ? found == value : -1;
}

/* A context's lock, taken. */
PyObject *calls_taken(PyObject *life)
{
    PyObject *lock = PyObject_GetAttr(life, calls_name.lock), *done;

    if (lock && !(done = PyObject_CallMethodObjArgs(lock, calls_name.acquire, NULL)))
        Py_CLEAR(lock);
    else if (lock)
        Py_DECREF(done);
    return lock;
}

/* Release a lock or view, whatever has been raised, which a failure of that does not replace. Returns the result. */
PyObject *calls_released(PyObject *lock, PyObject *result)
{
    PyObject *kind, *error, *trace, *done;

    PyErr_Fetch(&kind, &error, &trace);
    done = PyObject_CallMethodObjArgs(lock, calls_name.release, NULL);
    if (kind) {
        PyErr_Clear();
        PyErr_Restore(kind, error, trace);
    } else if (!done)
        Py_CLEAR(result);
    Py_XDECREF(done);
    Py_DECREF(lock);
    return result;
}

static PyMethodDef functions[] = {
    {"alloc", calls_make_alloc, METH_VARARGS, NULL},
    {"completed", calls_make_completed, METH_VARARGS, NULL},
    {"received", calls_make_received, METH_VARARGS, NULL},
    {"progress", calls_make_progress, METH_VARARGS, NULL},
    {0},
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "calls", NULL, -1, functions, NULL, NULL, NULL, NULL};

static int intern_names(void)
{
#define INTERN(text) !(calls_name.text = PyUnicode_InternFromString(#text)) ||
    return CALLS_NAMES(INTERN) 0;
}

PyMODINIT_FUNC PyInit_calls(void)
{
    PyObject *module = PyModule_Create(&definition);

    if (module && (intern_names() || calls_add_task(module)))
        Py_CLEAR(module);
    return module;
}
