/* The progress of an engine, in front of the Python one: one call of the library's function. What follows that is done
 * in Python, where there is any of it: see EngineLife in _progress.py.
 */
#include "objects.h"

typedef uint8_t (*Progress)(void *pe);

enum { ENGINE, LIFE, SLOW, POINTER, FUNCTION, LONGEST_S };  /* what it is bound to */

/* Whether one call of an engine that has not ended is asked for, outside of callbacks, or -1. */
static int is_plain(PyObject *engine, PyObject *life)
{
    int ended = calls_is(engine, calls_name.pointer, Py_None), plain;

    if (ended)
        return ended < 0 ? -1 : 0;
    plain = calls_is(engine, calls_name.max_events, Py_None);
    return plain > 0 ? calls_is(life, calls_name.running, Py_False) : plain;
}

/* Whether a progress has left anything to be done, or -1. */
static int is_left(PyObject *life)
{
    PyObject *orphans = PyObject_GetAttr(life, calls_name.orphans);
    Py_ssize_t waiting = orphans ? PyObject_Size(orphans) : -1;
    int silent;

    Py_XDECREF(orphans);
    if (waiting)
        return waiting < 0 ? -1 : 1;
    silent = calls_is(life, calls_name.notification, Py_None);
    if (silent > 0)
        silent = calls_is(life, calls_name.error, Py_None);
    return silent < 0 ? -1 : !silent;
}

/* Report what a callback has raised, where something else comes out of its progress. */
static void report_instead(PyObject *life)
{
    PyObject *kind, *error, *trace, *reported;

    PyErr_Fetch(&kind, &error, &trace);
    if (!(reported = PyObject_CallMethodObjArgs(life, calls_name.report_error, NULL)))
        PyErr_WriteUnraisable(life);
    Py_XDECREF(reported);
    PyErr_Restore(kind, error, trace);
}

/* Call the library's function with the lock held. Whether anything moved; NULL without an exception for Python. */
static PyObject *run(PyObject *bound, PyObject *life)
{
    Progress function = (Progress)calls_item(bound, FUNCTION);
    void *pointer = calls_item(bound, POINTER);
    PyObject *moved, *done;
    int left;

    if (!function || is_plain(PyTuple_GetItem(bound, ENGINE), life) <= 0 || PyObject_SetAttr(life, calls_name.running, Py_True))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    left = function(pointer);
    Py_END_ALLOW_THREADS
    moved = left ? Py_True : Py_False;
    if (PyObject_SetAttr(life, calls_name.running, Py_False) || (left = is_left(life)) < 0)
        return NULL;
    if (left) {
        if (!(done = PyObject_CallMethodObjArgs(life, calls_name.finish, moved, NULL))) {
            report_instead(life);
            return NULL;
        }
        Py_DECREF(done);
    }
    Py_INCREF(moved);
    return moved;
}

/* The engine's lock, taken; refused when another thread, perhaps in a callback that waits for this one, has it long. */
static PyObject *taken_in_time(PyObject *life, PyObject *longest_s)
{
    PyObject *lock = PyObject_GetAttr(life, calls_name.lock), *done;

    if (!lock)
        return NULL;
    done = PyObject_CallMethodObjArgs(lock, calls_name.acquire, Py_True, longest_s, NULL);
    if (done == Py_False) {
        Py_DECREF(done);
        done = PyObject_CallMethodObjArgs(life, calls_name.refuse_to_wait, longest_s, NULL);
    }
    if (!done)
        Py_CLEAR(lock);
    Py_XDECREF(done);
    return lock;
}

static PyObject *progress(PyObject *bound, PyObject *Py_UNUSED(none))
{
    PyObject *life = PyTuple_GetItem(bound, LIFE), *moved;
    PyObject *lock = taken_in_time(life, PyTuple_GetItem(bound, LONGEST_S));

    if (!lock)
        return NULL;
    moved = run(bound, life);
    if (!moved && !PyErr_Occurred())
        moved = PyObject_CallObject(PyTuple_GetItem(bound, SLOW), NULL);
    return calls_released(lock, moved);
}

static PyMethodDef progress_def = {"progress", progress, METH_NOARGS, NULL};

PyObject *calls_make_progress(PyObject *Py_UNUSED(module), PyObject *bound)
{
    return PyCFunction_NewEx(&progress_def, bound, NULL);
}
