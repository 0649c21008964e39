/* The rings that are read together. */
#include "objects.h"

PyTypeObject *calls_poller_type;

static int poller_traverse(Poller *poller, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(poller));
    Py_VISIT(poller->links);
    return 0;
}

static int poller_clear(Poller *poller)
{
    poller->c.count = 0;
    Py_CLEAR(poller->links);
    return 0;
}

static void poller_dealloc(PyObject *object)
{
    Poller *poller = SELF(Poller, object);

    PyMem_Free(poller->rings);
    PyMem_Free(poller->slots);
    calls_destroy(object, (inquiry)poller_clear);
}

/* follow(links): read the rings of these, a tuple, from now on. */
static PyObject *poller_follow(Poller *poller, PyObject *links)
{
    Py_ssize_t count = PyTuple_Size(links);
    PyObject *before = poller->links;
    comch_slot *slots;
    comch_rx **rings;

    if (count < 0)
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!calls_is(PyTuple_GetItem(links, i), calls_link_type)) {
            PyErr_SetString(PyExc_TypeError, "follow takes a tuple of links");
            return NULL;
        }
    }
    rings = PyMem_Malloc(sizeof *rings * (size_t)count);
    slots = PyMem_Malloc(sizeof *slots * (size_t)count);
    if (!rings || !slots) {
        PyMem_Free(rings);
        PyMem_Free(slots);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < count; i++)
        rings[i] = SELF(Link, PyTuple_GetItem(links, i))->rx;
    for (Py_ssize_t i = 0; before && i < PyTuple_Size(before); i++)
        Py_CLEAR(SELF(Link, PyTuple_GetItem(before, i))->poller);
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_INCREF(poller);
        SELF(Link, PyTuple_GetItem(links, i))->poller = (PyObject *)poller;
    }
    comch_follow(&poller->c, rings, slots, (uint32_t)count);
    PyMem_Free(poller->rings);
    PyMem_Free(poller->slots);
    poller->rings = rings;
    poller->slots = slots;
    Py_INCREF(links);
    poller->links = links;
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

Link *calls_found_link(Poller *poller)
{
    return SELF(Link, PyTuple_GetItem(poller->links, poller->c.index));
}

/* Room for the message that was found, as bytes. It is taken last, when all that the program gets is there: what has been
 * taken would be lost where memory runs out. */
PyObject *calls_room(Poller *poller)
{
    return PyBytes_FromStringAndSize(NULL, (Py_ssize_t)poller->c.length);
}

/* Take the message that was found in that turn into its room. Whether it is still there to be taken: making objects may
 * have had the collector run, and what that finalizes may have received. */
int calls_take_into(Poller *poller, uint32_t turn, PyObject *room)
{
    return poller->c.turn == turn && comch_take(&poller->c, PyBytes_AsString(room)) == COMCH_OK;
}

/* Take the message that was found as bytes; NULL without an error: its sender has taken it back. */
PyObject *calls_take(Poller *poller)
{
    PyObject *data = calls_room(poller);

    if (data && !calls_take_into(poller, poller->c.turn, data))
        Py_CLEAR(data);
    return data;
}

static PyObject *receive(Poller *poller, PyObject *size, int known)
{
    unsigned long long most = PyLong_AsUnsignedLongLong(size);
    uint32_t turn;
    int64_t result;
    PyObject *data, *link, *found;

    if (PyErr_Occurred())
        return NULL;
    result = comch_find(&poller->c);
    if (result == COMCH_AGAIN)
        Py_RETURN_NONE;
    if (result == COMCH_CORRUPT)
        return Py_NewRef((PyObject *)calls_found_link(poller));
    if (result < 0 || (uint64_t)result > most)
        return PyLong_FromLongLong(result);
    turn = poller->c.turn;
    link = (PyObject *)calls_found_link(poller);
    if (known && calls_given(SELF(Link, link)->user_data))
        link = SELF(Link, link)->user_data;
    if (!(data = calls_room(poller)))
        return NULL;
    Py_INCREF(link);  /* to make a tuple may have the collector run */
    found = PyTuple_Pack(2, data, link);
    if (found && !calls_take_into(poller, turn, data)) {
        Py_DECREF(found);
        found = Py_NewRef(Py_None);
    }
    Py_DECREF(link);
    Py_DECREF(data);
    return found;
}

/* receive(size): (data, link), None when nothing is there, the length of a message that is longer, the link whose peer
 * violates the protocol, or what comch_find says else. One result: another thread may find something else next. */
static PyObject *poller_receive(Poller *poller, PyObject *size)
{
    return receive(poller, size, 0);
}

/* pull(size): the same, with the program's object in place of its link, if it has one. */
static PyObject *poller_pull(Poller *poller, PyObject *size)
{
    return receive(poller, size, 1);
}

/* any(): whether there is something to receive. */
static PyObject *poller_any(Poller *poller, PyObject *Py_UNUSED(none))
{
    return PyBool_FromLong(comch_any(&poller->c));
}

static PyObject *poller_arm(Poller *poller, PyObject *Py_UNUSED(none))
{
    return PyBool_FromLong(comch_arm_data(&poller->c));
}

static PyObject *poller_poll_due(Poller *poller, PyObject *Py_UNUSED(none))
{
    return PyBool_FromLong(comch_poll_due(&poller->c.pace, comch_now()));
}

static PyObject *poller_polled(Poller *poller, PyObject *Py_UNUSED(none))
{
    comch_polled(&poller->c.pace);
    Py_RETURN_NONE;
}

/* attended(): whoever makes the next call has not been away, but waited for the sockets. */
static PyObject *poller_attended(Poller *poller, PyObject *Py_UNUSED(none))
{
    comch_attended(&poller->c.pace);
    Py_RETURN_NONE;
}

/* watch(fd): while this descriptor is not readable, no socket is ready; 0: they may be. */
static PyObject *poller_watch(Poller *poller, PyObject *fd)
{
    long watched = PyLong_AsLong(fd);

    if (PyErr_Occurred())
        return NULL;
    poller->c.pace.watched = (int32_t)watched;
    Py_RETURN_NONE;
}

static PyObject *poller_hurry(Poller *poller, PyObject *Py_UNUSED(none))
{
    comch_hurry(&poller->c.pace);
    Py_RETURN_NONE;
}

static PyMethodDef poller_methods[] = {
    {"follow", (PyCFunction)poller_follow, METH_O, NULL},
    {"receive", (PyCFunction)poller_receive, METH_O, NULL},
    {"pull", (PyCFunction)poller_pull, METH_O, NULL},
    {"any", (PyCFunction)poller_any, METH_NOARGS, NULL},
    {"arm", (PyCFunction)poller_arm, METH_NOARGS, NULL},
    {"poll_due", (PyCFunction)poller_poll_due, METH_NOARGS, NULL},
    {"polled", (PyCFunction)poller_polled, METH_NOARGS, NULL},
    {"attended", (PyCFunction)poller_attended, METH_NOARGS, NULL},
    {"watch", (PyCFunction)poller_watch, METH_O, NULL},
    {"hurry", (PyCFunction)poller_hurry, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef poller_members[] = {
    {"links", T_OBJECT, offsetof(Poller, links), READONLY, NULL},
    {0},
};

static PyType_Slot poller_slots[] = {
    {Py_tp_dealloc, poller_dealloc}, {Py_tp_traverse, poller_traverse}, {Py_tp_clear, poller_clear},
    {Py_tp_methods, poller_methods}, {Py_tp_members, poller_members},   {0, NULL},
};

static PyType_Spec poller_spec = {
    NAME "Poller", sizeof(Poller), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, poller_slots,
};

int calls_add_poller(PyObject *module)
{
    return calls_add_type(module, &poller_spec, NULL, &calls_poller_type);
}
