/* Both ends of a connection's rings, and its tasks in flight. A mapping that is taken away is gone for the next call
 * only: no call releases the interpreter's lock.
 *
 * A connection keeps its tasks in flight in the order of their sends; so it is its messages' order, and which of them
 * have arrived is one comparison.
 */
#include "objects.h"

PyTypeObject *calls_link_type;

enum { FIRST_ROOM = 16 };

/* Make room for one more task in flight. Whether that failed. */
int calls_make_room(Link *link)
{
    size_t room = link->room ? link->room * 2 : FIRST_ROOM;
    SendTask **flight;

    if (link->count < link->room)
        return 0;
    if (!(flight = PyMem_Malloc(room * sizeof *flight))) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < link->count; i++)
        flight[i] = link->flight[(link->first + i) % link->room];
    PyMem_Free(link->flight);
    link->flight = flight;
    link->first = 0;
    link->room = room;
    return 0;
}

/* Add a task behind those in flight; there is room for it. */
void calls_push_task(Link *link, SendTask *task)
{
    Py_INCREF(task);
    link->flight[(link->first + link->count++) % link->room] = task;
}

/* The first task in flight, which is the caller's from now on. */
SendTask *calls_pop_task(Link *link)
{
    SendTask *task = link->flight[link->first];

    link->first = (link->first + 1) % link->room;
    link->count--;
    return task;
}

static int visit_tasks(Link *link, visitproc visit, void *arg)
{
    for (size_t i = 0; i < link->count; i++)
        Py_VISIT(link->flight[(link->first + i) % link->room]);
    return 0;
}

static void drop_tasks(Link *link)
{
    while (link->count)
        Py_DECREF(calls_pop_task(link));
    PyMem_Free(link->flight);
    link->flight = NULL;
    link->room = 0;
}

/* How many sends have arrived; none on a connection that has ended, which has no ring. */
uint64_t calls_arrived(Link *link)
{
    return link->count && link->tx && link->tx->open ? comch_completed(link->tx) : 0;
}

static PyObject *popped(Link *link, uint64_t number)
{
    if (!link->count || link->flight[link->first]->number > number)
        Py_RETURN_NONE;
    return (PyObject *)calls_pop_task(link);
}

/* take_sent(): the first task in flight, if its send has arrived; else None. */
static PyObject *link_take_sent(Link *link, PyObject *Py_UNUSED(none))
{
    return popped(link, calls_arrived(link));
}

/* take_back(): the first task in flight, whatever became of it; None when there is none. */
static PyObject *link_take_back(Link *link, PyObject *Py_UNUSED(none))
{
    return popped(link, UINT64_MAX);
}

/* arm_tasks(): ask for the bell when the first task in flight has arrived. Whether it has already. */
static PyObject *link_arm_tasks(Link *link, PyObject *Py_UNUSED(none))
{
    if (!link->count || !link->tx || !link->tx->open)
        Py_RETURN_FALSE;
    return PyBool_FromLong(comch_arm_flight(link->tx, link->flight[link->first]->number));
}

static int link_traverse(Link *link, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(link));
    Py_VISIT(link->cell);
    Py_VISIT(link->user_data);
    Py_VISIT(link->poller);
    Py_VISIT(link->context);
    return visit_tasks(link, visit, arg);
}

static int link_clear(Link *link)
{
    link->tx = NULL;
    link->rx = NULL;
    Py_CLEAR(link->cell);
    Py_CLEAR(link->user_data);
    Py_CLEAR(link->poller);
    Py_CLEAR(link->context);
    drop_tasks(link);
    return 0;
}

/* Know nothing any more: in a forked child. */
static PyObject *link_disinherit(Link *link, PyObject *Py_UNUSED(none))
{
    if (calls_is(link->poller, calls_poller_type))
        SELF(Poller, link->poller)->c.count = 0;  /* of the rings, whose memory goes */
    link_clear(link);
    Py_RETURN_NONE;
}

static void link_dealloc(PyObject *link)
{
    calls_destroy(link, (inquiry)link_clear);
}

/* Have its poller, if any, read nothing any more: it is of no use to anybody either, as a ring goes only in a forked
 * child, or when all that knows it is collected, and finalizers of the program may still call. Whether that failed.
 */
static int unfollow(Link *link)
{
    PyObject *poller = link->poller, *done;

    if (!calls_is(poller, calls_poller_type))
        return 0;
    Py_INCREF(poller);
    done = PyObject_CallMethod(poller, "follow", "(N)", PyTuple_New(0));
    Py_DECREF(poller);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* hold(cell, tx, rx): use these ends from now on, by their addresses in the cell's memory; 0 for none. */
static PyObject *link_hold(Link *link, PyObject *args)
{
    unsigned long long tx, rx;
    PyObject *cell, *before;

    if (!PyArg_ParseTuple(args, "OKK", &cell, &tx, &rx) || (!rx && unfollow(link)))
        return NULL;
    link->tx = (comch_tx *)(uintptr_t)tx;
    link->rx = (comch_rx *)(uintptr_t)rx;
    before = link->cell;
    Py_INCREF(cell);
    link->cell = cell;
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

static PyObject *send_by(int (*send)(comch_tx *, const char *, uint64_t), Link *link, PyObject *data)
{
    char *message;
    Py_ssize_t length;

    if (PyBytes_AsStringAndSize(data, &message, &length))
        return NULL;
    return PyLong_FromLong(link->tx ? send(link->tx, message, (uint64_t)length) : COMCH_CLOSED);
}

static PyObject *link_send(Link *link, PyObject *data)
{
    return send_by(comch_send, link, data);
}

static PyObject *link_send_now(Link *link, PyObject *data)
{
    return send_by(comch_send_now, link, data);
}

#define ASK(name, expression)                                        \
    static PyObject *link_##name(Link *link, PyObject *Py_UNUSED(none)) \
    {                                                                \
        return PyLong_FromLongLong((long long)(expression));         \
    }

ASK(check, link->tx && link->tx->open ? comch_check(link->tx) : COMCH_CLOSED)
ASK(completed, link->tx && link->tx->open ? comch_completed(link->tx) : 0)
ASK(cut, link->tx ? comch_cut(link->tx) : 0)
ASK(arm_space, link->tx && link->tx->open ? comch_arm_space(link->tx) : 1)
ASK(left, link->tx && link->tx->open && comch_has_left(link->tx))
ASK(available, link->rx && link->rx->shared ? comch_available(link->rx) : 0)

/* leave(): the other side's sends reach this one no more; it is to be told by the socket, too. */
static PyObject *link_leave(Link *link, PyObject *Py_UNUSED(none))
{
    if (link->rx && link->rx->shared)
        comch_leave(link->rx);
    Py_RETURN_NONE;
}

static PyObject *link_arm_completion(Link *link, PyObject *number)
{
    unsigned long long count = PyLong_AsUnsignedLongLong(number);

    if (PyErr_Occurred())
        return NULL;
    return PyLong_FromLong(link->tx && link->tx->open ? comch_arm_flight(link->tx, count) : 1);
}

static PyMethodDef link_methods[] = {
    {"hold", (PyCFunction)link_hold, METH_VARARGS, NULL},
    {"send", (PyCFunction)link_send, METH_O, NULL},
    {"send_now", (PyCFunction)link_send_now, METH_O, NULL},
    {"check", (PyCFunction)link_check, METH_NOARGS, NULL},
    {"completed", (PyCFunction)link_completed, METH_NOARGS, NULL},
    {"cut", (PyCFunction)link_cut, METH_NOARGS, NULL},
    {"leave", (PyCFunction)link_leave, METH_NOARGS, NULL},
    {"arm_space", (PyCFunction)link_arm_space, METH_NOARGS, NULL},
    {"arm_completion", (PyCFunction)link_arm_completion, METH_O, NULL},
    {"left", (PyCFunction)link_left, METH_NOARGS, NULL},
    {"available", (PyCFunction)link_available, METH_NOARGS, NULL},
    {"take_sent", (PyCFunction)link_take_sent, METH_NOARGS, NULL},
    {"take_back", (PyCFunction)link_take_back, METH_NOARGS, NULL},
    {"arm_tasks", (PyCFunction)link_arm_tasks, METH_NOARGS, NULL},
    {"disinherit", (PyCFunction)link_disinherit, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef link_members[] = {
    {"user_data", T_OBJECT, offsetof(Link, user_data), 0, NULL},
    {"context", T_OBJECT_EX, offsetof(Link, context), 0, NULL},
    {"tasks", T_PYSSIZET, offsetof(Link, count), READONLY, NULL},
    {"listed", T_BOOL, offsetof(Link, listed), 0, NULL},
    {"wakes", T_BOOL, offsetof(Link, wakes), 0, NULL},
    {0},
};

static PyType_Slot link_slots[] = {
    {Py_tp_dealloc, link_dealloc}, {Py_tp_traverse, link_traverse}, {Py_tp_clear, link_clear},
    {Py_tp_methods, link_methods}, {Py_tp_members, link_members},   {0, NULL},
};

static PyType_Spec link_spec = {
    NAME "Link", sizeof(Link), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, link_slots,
};

int calls_add_link(PyObject *module)
{
    return calls_add_type(module, &link_spec, NULL, &calls_link_type);
}
