/* Quick receives: of a message that is there, or of nothing while nothing else could be received either. */
#include <string.h>

#include "quick.h"
#include "direct.h"

static PyObject *timeout_name, *message_name, *success_code;
static newfunc tuple_new;
static int tuples_keep_more;

/* Is a message the only thing that could be received? A context without connections may have other reasons. */
int calls_quiet(Quick *quick)
{
    if (!SELF(Poller, quick->of)->c.count)
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(quick->news); i++)
        if (calls_any(PyTuple_GetItem(quick->news, i)))
            return 0;
    return 1;
}

/* Raise what OSError's own initialization makes of the arguments: a Python one costs more than the rest of the call. That
 * takes half the time between two receives of a program that polls, so whether a message has come is asked once more:
 * nothing is raised then. */
static void raise_again(PyObject *again, comch_poller *poller)
{
    PyObject *type = PyTuple_GetItem(again, 0), *args = PyTuple_GetItem(again, 1), *error;
    initproc init = (initproc)PyType_GetSlot((PyTypeObject *)PyExc_OSError, Py_tp_init);

    if (!(error = ((newfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_new))((PyTypeObject *)type, args, NULL)))
        return;
    if (!init(error, args, NULL) && !PyObject_SetAttr(error, message_name, PyTuple_GetItem(args, 1))
        && !comch_more_of_last(poller))
        PyErr_SetObject(type, error);
    Py_DECREF(error);
}

/* Whether the arguments are of a receive that may be quick, and the most bytes that it takes. */
static int fits(Quick *quick, PyObject *const *args, Py_ssize_t count, PyObject *names, unsigned long long *most)
{
    int timed = names && quick->timed && PyTuple_Size(names) == 1 && PyTuple_GetItem(names, 0) == timeout_name;

    if (count < quick->least || count > (Py_ssize_t)strlen(quick->takes)
        || (names && (!timed || !calls_is_timeout(args[count]))))
        return 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (quick->takes[i] != SIZE && !calls_is_zero(args[i]))
            return 0;
        if (quick->takes[i] != SIZE)
            continue;
        *most = PyLong_CheckExact(args[i]) ? PyLong_AsUnsignedLongLong(args[i]) : (unsigned long long)-1;
        if (!PyLong_CheckExact(args[i]) || PyErr_Occurred()) {
            PyErr_Clear();
            return 0;
        }
    }
    return 1;
}

/* Whether the call does not wait. */
static int is_poll(Quick *quick, PyObject *timeout)
{
    return quick->timed ? timeout && calls_is_zero(timeout) : !timeout;
}

/* The answer when nothing has come; NULL without an error when something has. */
static PyObject *nothing(Quick *quick)
{
    PyObject *answer = quick->nothing ? quick->nothing : Py_None;

    if (quick->again) {
        raise_again(quick->again, &SELF(Poller, quick->of)->c);
        return NULL;
    }
    Py_INCREF(answer);
    return answer;
}

/* The program's object for the peer on whose connection a message came, as a new reference: what allocation collects
 * may drop the last other one. NULL without an error: it has none yet. */
static PyObject *peer_of(Quick *quick, Link *link)
{
    PyObject *connection = link->user_data, *peer = connection;

    if (!calls_given(connection))  /* another thread is just accepting it */
        return NULL;
    if (quick->peers && !(peer = PyDict_GetItemWithError(quick->peers, connection)))
        PyErr_Clear();
    Py_XINCREF(peer);
    return peer;
}

static PyObject *valued(char word, PyObject *data, PyObject *peer)
{
    PyObject *value = word == CONNECTION ? peer : word == CODE ? success_code : data;

    if (word == LENGTH)
        return PyLong_FromSsize_t(PyBytes_Size(data));
    Py_INCREF(value);
    return value;
}

/* Whether there is more to a tuple than its parts and their number: from Python 3.14 on it keeps its hash. */
static int know_tuples(void)
{
    PyObject *bare = PyType_GenericAlloc(&PyTuple_Type, 1), *built = PyTuple_Pack(1, success_code);

    if (bare && built) {
        Py_INCREF(success_code);
        PyTuple_SetItem(bare, 0, success_code);
        tuples_keep_more = PyObject_Hash(bare) != PyObject_Hash(built);
    }
    Py_XDECREF(bare);
    Py_XDECREF(built);
    tuple_new = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
    return bare && built ? 0 : -1;
}

/* A tuple of this kind with the same parts, whose reference is taken. */
static PyObject *of_kind(PyObject *kind, PyObject *parts)
{
    PyObject *args = PyTuple_Pack(1, parts), *whole;

    whole = args ? tuple_new((PyTypeObject *)kind, args, NULL) : NULL;
    Py_XDECREF(args);
    Py_DECREF(parts);
    return whole;
}

/* A tuple of the message's parts, as the shape has them. */
static PyObject *made(Quick *quick, PyObject *data, PyObject *peer)
{
    Py_ssize_t count = (Py_ssize_t)strlen(quick->gives);
    PyObject *parts = quick->kind && !tuples_keep_more ? PyType_GenericAlloc((PyTypeObject *)quick->kind, count)
                                                       : PyTuple_New(count);

    for (Py_ssize_t i = 0; parts && i < count; i++) {
        PyObject *value = valued(quick->gives[i], data, peer);
        if (!value)
            Py_CLEAR(parts);
        else
            PyTuple_SetItem(parts, i, value);
    }
    return parts && quick->kind && tuples_keep_more ? of_kind(quick->kind, parts) : parts;
}

static PyObject *port_receive(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Quick *quick = SELF(Quick, self);
    Poller *poller = SELF(Poller, quick->of);
    unsigned long long most = UINT64_MAX;
    uint32_t turn;
    int at_once;
    PyObject *data, *peer, *parts;
    int64_t result;

    if (calls_in_kernel && calls_refuse_kernel("receive"))
        return NULL;
    if (!fits(quick, args, count, names, &most))
        return calls_slow(quick, args, count, names);
    result = comch_find(&poller->c);
    at_once = is_poll(quick, names ? args[count] : NULL);
    if (result == COMCH_AGAIN && at_once && calls_quiet(quick) && calls_looked(0))
        result = comch_find(&poller->c);
    if (result == COMCH_AGAIN && at_once && calls_quiet(quick)) {
        if ((parts = nothing(quick)) || PyErr_Occurred())
            return parts;
        result = comch_find(&poller->c);
    }
    if (result == COMCH_POLL)
        comch_poll_again(&poller->c);
    if (result < 0 || (uint64_t)result > most || !(peer = peer_of(quick, calls_found_link(poller))))
        return calls_slow(quick, args, count, names);
    turn = poller->c.turn;
    data = calls_room(poller);
    parts = data ? made(quick, data, peer) : NULL;
    if (parts && calls_take_into(poller, turn, data))
        calls_looked(1);
    else if (parts) {
        Py_DECREF(parts);
        parts = calls_slow(quick, args, count, names);
    }
    Py_DECREF(peer);
    Py_XDECREF(data);
    return parts;
}

int64_t calls_receive_direct(PyObject *call, char *into, size_t room, PyObject **peer)
{
    Quick *quick = calls_in_kernel ? NULL : calls_quick_of(call, (PyCFunction)(void (*)(void))port_receive);
    Poller *poller = quick ? SELF(Poller, quick->of) : NULL;
    int64_t result = quick ? comch_find(&poller->c) : COMCH_NOT_DIRECT;

    if (quick && result == COMCH_AGAIN && calls_quiet(quick)) {
        calls_looked(0);
        return COMCH_NOTHING;
    }
    if (quick && result == COMCH_POLL)
        comch_poll_again(&poller->c);
    if (result < 0 || (uint64_t)result > room || !(*peer = peer_of(quick, calls_found_link(poller))))
        return COMCH_NOT_DIRECT;
    if (comch_take(&poller->c, into) == COMCH_OK) {
        calls_looked(1);
        return result;
    }
    Py_CLEAR(*peer);
    return COMCH_NOT_DIRECT;
}

static PyMethodDef port_receive_def = {"receive", FAST(port_receive), NULL};

/* receive(poller, slow, shape, news): of the Python call `slow`; see Quick. */
PyObject *calls_make_receive(PyObject *Py_UNUSED(module), PyObject *args)
{
    Quick given = {0};
    PyObject *shape;

    if (!PyArg_ParseTuple(args, "O!OO!O!", calls_poller_type, &given.of, &given.slow, &PyTuple_Type, &shape,
                          &PyTuple_Type, &given.news)
        || calls_read_shape(shape, &given))
        return NULL;
    return calls_quick_call(&port_receive_def, given);
}

int calls_add_quick_receive(PyObject *Py_UNUSED(module))
{
    const Name names[] = {{&timeout_name, "timeout"}, {&message_name, "message"}, {0}};

    return calls_intern(names) || !(success_code = PyLong_FromLong(0)) || know_tuples();
}
