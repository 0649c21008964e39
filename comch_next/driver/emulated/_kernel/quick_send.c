/* Quick sends: of bytes for which there is room in the ring. */
#include <string.h>

#include "quick.h"
#include "direct.h"

static PyObject *handle_name, *timeout_name;

/* Send bytes; 0 when something else is to be done first. A look that is due stays due. */
static int sent_bytes(Link *link, const char *data, size_t length)
{
    comch_tx *tx = link->tx;
    int result;

    if (!tx)
        return 0;
    result = comch_send(tx, data, length);
    if (result == COMCH_POLL)
        comch_hurry(&tx->pace);
    return result == COMCH_OK;
}

static int sent(Link *link, PyObject *data)
{
    return PyBytes_CheckExact(data) && sent_bytes(link, PyBytes_AsString(data), (size_t)PyBytes_Size(data));
}

/* The handle of the program's object for a peer, as a new reference; NULL without an error when it has none. */
static PyObject *handle_of(Quick *quick, PyObject *peer)
{
    PyObject *connection = peer, *handle;

    Py_INCREF(peer);
    if (quick->through) {
        connection = PyObject_GetAttr(peer, quick->through);
        Py_DECREF(peer);
    }
    handle = connection ? PyObject_GetAttr(connection, handle_name) : NULL;
    Py_XDECREF(connection);
    if (!handle)
        PyErr_Clear();
    return handle;
}

/* Whether the arguments are of a send that may be quick: bytes of that length, without flags. */
static int fits(Quick *quick, PyObject *const *args, Py_ssize_t count, PyObject **data, PyObject **peer)
{
    PyObject *length = NULL;

    if (count < quick->least || count > (Py_ssize_t)strlen(quick->takes))
        return 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        switch (quick->takes[i]) {
        case DATA: *data = args[i]; break;
        case CONNECTION: *peer = args[i]; break;
        case LENGTH: length = args[i]; break;
        default:
            if (!calls_is_zero(args[i]))
                return 0;
        }
    }
    if (!*data || !*peer || !PyBytes_CheckExact(*data))
        return 0;
    return !length || (PyLong_CheckExact(length) && PyLong_AsSsize_t(length) == PyBytes_Size(*data));
}

/* Send to a peer, whose connection must be the port's; 0 when something else is to be done first. */
static int sent_to(Quick *quick, PyObject *peer, const char *data, size_t length)
{
    PyObject *handle = handle_of(quick, peer);
    int done = handle && calls_is(handle, calls_link_type) && SELF(Link, handle)->poller == quick->of
               && sent_bytes(SELF(Link, handle), data, length);

    Py_XDECREF(handle);
    return done;
}

static PyObject *port_send(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Quick *quick = SELF(Quick, self);
    PyObject *data = NULL, *peer = NULL, *result;

    if (calls_in_kernel && calls_refuse_kernel("send"))
        return NULL;
    if (!names && fits(quick, args, count, &data, &peer)
        && sent_to(quick, peer, PyBytes_AsString(data), (size_t)PyBytes_Size(data))) {
        result = quick->nothing ? quick->nothing : Py_None;
        Py_INCREF(result);
        return result;
    }
    PyErr_Clear();
    return calls_slow(quick, args, count, names);
}

int calls_send_direct(PyObject *call, PyObject *peer, const char *data, size_t length)
{
    Quick *quick = calls_in_kernel ? NULL : calls_quick_of(call, (PyCFunction)(void (*)(void))port_send);

    return quick && sent_to(quick, peer, data, length) ? 0 : COMCH_NOT_DIRECT;
}

/* Whether a message is given, and nothing else but a time-out. */
static int fits_link(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names ? PyTuple_Size(names) : 0;

    if (!count || count + named > 2 || (named && PyTuple_GetItem(names, 0) != timeout_name))
        return 0;
    return count + named == 1 || calls_is_timeout(args[1]);
}

/* Send with at most a time-out, which room in the ring makes unimportant. */
static PyObject *link_send(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Quick *quick = SELF(Quick, self);

    if (calls_in_kernel && calls_refuse_kernel("send"))
        return NULL;
    if (fits_link(args, count, names) && sent(SELF(Link, quick->of), args[0]))
        Py_RETURN_NONE;
    return calls_slow(quick, args, count, names);
}

static PyMethodDef port_send_def = {"send", FAST(port_send), NULL};
static PyMethodDef link_send_def = {"send", FAST(link_send), NULL};

/* port_send(poller, slow, shape): of the Python call `slow`, on any connection that the poller follows. */
PyObject *calls_make_port_send(PyObject *Py_UNUSED(module), PyObject *args)
{
    Quick given = {0};
    PyObject *shape;

    if (!PyArg_ParseTuple(args, "O!OO!", calls_poller_type, &given.of, &given.slow, &PyTuple_Type, &shape)
        || calls_read_shape(shape, &given))
        return NULL;
    return calls_quick_call(&port_send_def, given);
}

/* link_send(link, slow): send(data, timeout) on this connection. */
PyObject *calls_make_link_send(PyObject *Py_UNUSED(module), PyObject *args)
{
    Quick given = {0};

    if (!PyArg_ParseTuple(args, "O!O", calls_link_type, &given.of, &given.slow))
        return NULL;
    return calls_quick_call(&link_send_def, given);
}

int calls_add_quick_send(PyObject *Py_UNUSED(module))
{
    const Name names[] = {{&handle_name, "_handle"}, {&timeout_name, "timeout"}, {0}};

    return calls_intern(names);
}
