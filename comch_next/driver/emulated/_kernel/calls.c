/* The rings as Python objects, and the memory that they lie in. Their calls hold the interpreter's lock from the first
 * look at a ring to the last, so threads never meet in one, and a mapping that is taken away is gone for the next call
 * only.
 *
 * A quick call stands in front of a Python one, with the same arguments: it does what succeeds at once. Whatever else
 * may come, be it a refusal, a full ring, a look at the sockets or arguments of another kind, it leaves everything as
 * it was and calls the Python one. Written for the stable ABI of Python 3.10.
 */
#include <sys/mman.h>

#include "objects.h"

PyTypeObject *calls_link_type, *calls_poller_type, *calls_quick_type;
static PyTypeObject *memory_type;
static PyObject *handle_name, *timeout_name, *message_name;

static int link_traverse(Link *link, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(link));
    Py_VISIT(link->cell);
    Py_VISIT(link->user_data);
    Py_VISIT(link->poller);
    Py_VISIT(link->context);
    return calls_visit_tasks(link, visit, arg);
}

static int link_clear(Link *link)
{
    link->tx = NULL;
    link->rx = NULL;
    Py_CLEAR(link->cell);
    Py_CLEAR(link->user_data);
    Py_CLEAR(link->poller);
    Py_CLEAR(link->context);
    calls_drop_tasks(link);
    return 0;
}

/* Know nothing any more: in a forked child. */
static PyObject *link_disinherit(Link *link, PyObject *Py_UNUSED(none))
{
    link_clear(link);
    Py_RETURN_NONE;
}

/* Whether the object is of the kind. */
int calls_is(PyObject *object, PyTypeObject *kind)
{
    return object && (Py_TYPE(object) == kind || PyType_IsSubtype(Py_TYPE(object), kind));
}

int calls_given(PyObject *object)
{
    return object && object != Py_None;
}

/* Whether the collection has anything in it. */
int calls_any(PyObject *collection)
{
    Py_ssize_t size = collection ? PyObject_Size(collection) : 0;

    if (size < 0)
        PyErr_Clear();
    return size != 0;
}

void calls_destroy(PyObject *object, inquiry clear)
{
    PyTypeObject *type = Py_TYPE(object);

    PyObject_GC_UnTrack(object);
    clear(object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static void link_dealloc(PyObject *link)
{
    calls_destroy(link, (inquiry)link_clear);
}

/* hold(cell, tx, rx): use these ends from now on, by their addresses in the cell's memory; 0 for none. */
static PyObject *link_hold(Link *link, PyObject *args)
{
    unsigned long long tx, rx;
    PyObject *cell, *before = link->cell;

    if (!PyArg_ParseTuple(args, "OKK", &cell, &tx, &rx))
        return NULL;
    link->tx = (comch_tx *)(uintptr_t)tx;
    link->rx = (comch_rx *)(uintptr_t)rx;
    Py_INCREF(cell);
    link->cell = cell;
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

static PyObject *link_send(Link *link, PyObject *data)
{
    char *message;
    Py_ssize_t length;

    if (PyBytes_AsStringAndSize(data, &message, &length))
        return NULL;
    return PyLong_FromLong(link->tx ? comch_send(link->tx, message, (uint64_t)length) : COMCH_CLOSED);
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
    {"check", (PyCFunction)link_check, METH_NOARGS, NULL},
    {"completed", (PyCFunction)link_completed, METH_NOARGS, NULL},
    {"cut", (PyCFunction)link_cut, METH_NOARGS, NULL},
    {"leave", (PyCFunction)link_leave, METH_NOARGS, NULL},
    {"arm_space", (PyCFunction)link_arm_space, METH_NOARGS, NULL},
    {"arm_completion", (PyCFunction)link_arm_completion, METH_O, NULL},
    {"available", (PyCFunction)link_available, METH_NOARGS, NULL},
    {"take_sent", (PyCFunction)calls_take_sent, METH_NOARGS, NULL},
    {"take_back", (PyCFunction)calls_take_back, METH_NOARGS, NULL},
    {"arm_tasks", (PyCFunction)calls_arm_tasks, METH_NOARGS, NULL},
    {"disinherit", (PyCFunction)link_disinherit, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef link_members[] = {
    {"user_data", T_OBJECT, offsetof(Link, user_data), 0, NULL},
    {"context", T_OBJECT_EX, offsetof(Link, context), 0, NULL},
    {"tasks", T_PYSSIZET, offsetof(Link, count), READONLY, NULL},
    {"listed", T_BOOL, offsetof(Link, listed), 0, NULL},
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

/* Poller: the rings that are read together. */

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

/* Take the message that was found as bytes; NULL without an error: its sender has taken it back. */
PyObject *calls_take(Poller *poller)
{
    PyObject *data = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)poller->c.length);

    if (data && comch_take(&poller->c, PyBytes_AsString(data)) != COMCH_OK) {
        Py_DECREF(data);
        return NULL;
    }
    return data;
}

/* A pair of the type, which takes over the data; a plain tuple without one. */
static PyObject *pair(PyObject *shape, PyObject *data, PyObject *connection)
{
    PyObject *made;

    if (!data)
        return NULL;
    if (!connection)
        connection = Py_None;
    Py_INCREF(connection);  /* now: what allocation collects may drop the last other reference */
    made = shape ? PyType_GenericAlloc((PyTypeObject *)shape, 2) : PyTuple_New(2);
    if (!made) {
        Py_DECREF(data);
        Py_DECREF(connection);
        return NULL;
    }
    PyTuple_SetItem(made, 0, data);
    PyTuple_SetItem(made, 1, connection);
    return made;
}

/* receive(size): (data, link), None when nothing is there, or what comch_find says else. */
static PyObject *poller_receive(Poller *poller, PyObject *size)
{
    unsigned long long most = PyLong_AsUnsignedLongLong(size);
    int64_t result;
    PyObject *data;

    if (PyErr_Occurred())
        return NULL;
    result = comch_find(&poller->c);
    if (result >= 0 && (uint64_t)result > most)
        result = COMCH_LONG;
    if (result == COMCH_AGAIN)
        Py_RETURN_NONE;
    if (result < 0)
        return PyLong_FromLongLong(result);
    if (!(data = calls_take(poller))) {
        if (PyErr_Occurred())
            return NULL;
        Py_RETURN_NONE;
    }
    return pair(NULL, data, (PyObject *)calls_found_link(poller));
}

static PyObject *poller_arm(Poller *poller, PyObject *Py_UNUSED(none))
{
    return PyBool_FromLong(comch_arm_data(&poller->c));
}

static PyObject *poller_poll_due(Poller *poller, PyObject *Py_UNUSED(none))
{
    return PyBool_FromLong(comch_poll_due(&poller->c.pace));
}

static PyObject *poller_polled(Poller *poller, PyObject *Py_UNUSED(none))
{
    comch_polled(&poller->c.pace);
    Py_RETURN_NONE;
}

static PyObject *poller_hurry(Poller *poller, PyObject *Py_UNUSED(none))
{
    poller->c.pace.next = 0;
    Py_RETURN_NONE;
}

static PyObject *poller_blamed(Poller *poller, void *Py_UNUSED(closure))
{
    PyObject *link = (PyObject *)calls_found_link(poller);

    Py_XINCREF(link);
    return link;
}

static PyMethodDef poller_methods[] = {
    {"follow", (PyCFunction)poller_follow, METH_O, NULL},
    {"receive", (PyCFunction)poller_receive, METH_O, NULL},
    {"arm", (PyCFunction)poller_arm, METH_NOARGS, NULL},
    {"poll_due", (PyCFunction)poller_poll_due, METH_NOARGS, NULL},
    {"polled", (PyCFunction)poller_polled, METH_NOARGS, NULL},
    {"hurry", (PyCFunction)poller_hurry, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef poller_members[] = {
    {"links", T_OBJECT, offsetof(Poller, links), READONLY, NULL},
    {"length", T_ULONGLONG, offsetof(Poller, c) + offsetof(comch_poller, length), READONLY, NULL},
    {0},
};

static PyGetSetDef poller_getset[] = {
    {"blamed", (getter)poller_blamed, NULL, NULL, NULL},
    {0},
};

static PyType_Slot poller_slots[] = {
    {Py_tp_dealloc, poller_dealloc}, {Py_tp_traverse, poller_traverse}, {Py_tp_clear, poller_clear},
    {Py_tp_methods, poller_methods}, {Py_tp_members, poller_members},   {Py_tp_getset, poller_getset},
    {0, NULL},
};

static PyType_Spec poller_spec = {
    NAME "Poller", sizeof(Poller), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, poller_slots,
};

/* Memory: a mapping of shared memory, whose descriptor may be closed. It has no finalizer, which the collector would run before those of the objects
 * that still say goodbye through it: it goes when nobody can reach it any more, or by release(). */

typedef struct {
    PyObject_HEAD
    void *base;
    size_t size;
} Memory;

static PyObject *memory_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(names))
{
    unsigned long long size;
    Memory *memory;
    int fd;

    if (!PyArg_ParseTuple(args, "iK", &fd, &size))
        return NULL;
    if (!(memory = SELF(Memory, PyType_GenericAlloc(type, 0))))
        return NULL;
    memory->size = (size_t)size;
    if ((memory->base = mmap(NULL, memory->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) != MAP_FAILED)
        return (PyObject *)memory;
    memory->base = NULL;
    PyErr_SetFromErrno(PyExc_OSError);
    Py_DECREF(memory);
    return NULL;
}

static PyObject *memory_release(Memory *memory, PyObject *Py_UNUSED(none))
{
    if (memory->base)
        munmap(memory->base, memory->size);
    memory->base = NULL;
    Py_RETURN_NONE;
}

static void memory_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Memory *memory = SELF(Memory, object);

    if (memory->base)
        munmap(memory->base, memory->size);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *memory_address(Memory *memory, void *Py_UNUSED(closure))
{
    return PyLong_FromVoidPtr(memory->base);
}

static PyMethodDef memory_methods[] = {
    {"release", (PyCFunction)memory_release, METH_NOARGS, NULL},
    {0},
};

static PyGetSetDef memory_getset[] = {
    {"address", (getter)memory_address, NULL, NULL, NULL},
    {0},
};

static PyType_Slot memory_slots[] = {
    {Py_tp_new, memory_new},         {Py_tp_dealloc, memory_dealloc}, {Py_tp_methods, memory_methods},
    {Py_tp_getset, memory_getset},   {0, NULL},
};

static PyType_Spec memory_spec = {
    NAME "Memory", sizeof(Memory), 0, Py_TPFLAGS_DEFAULT, memory_slots,
};

/* Quick calls. */

static int quick_traverse(Quick *quick, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(quick));
    Py_VISIT(quick->of);
    Py_VISIT(quick->slow);
    Py_VISIT(quick->shape);
    Py_VISIT(quick->news);
    Py_VISIT(quick->again);
    Py_VISIT(quick->program);
    return 0;
}

static int quick_clear(Quick *quick)
{
    Py_CLEAR(quick->of);
    Py_CLEAR(quick->slow);
    Py_CLEAR(quick->shape);
    Py_CLEAR(quick->news);
    Py_CLEAR(quick->again);
    Py_CLEAR(quick->program);
    return 0;
}

static void quick_dealloc(PyObject *quick)
{
    calls_destroy(quick, (inquiry)quick_clear);
}

static PyType_Slot quick_slots[] = {
    {Py_tp_dealloc, quick_dealloc}, {Py_tp_traverse, quick_traverse}, {Py_tp_clear, quick_clear}, {0, NULL},
};

static PyType_Spec quick_spec = {
    NAME "Quick", sizeof(Quick), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, quick_slots,
};

/* Call the Python one with what the quick one was called with. */
PyObject *calls_slow(Quick *quick, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    PyObject *positional = PyTuple_New(count), *keywords = named ? PyDict_New() : NULL, *result = NULL;

    if (!positional || (named && !keywords))
        goto end;
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_INCREF(args[i]);
        PyTuple_SetItem(positional, i, args[i]);
    }
    for (Py_ssize_t i = 0; i < named; i++)
        if (PyDict_SetItem(keywords, PyTuple_GetItem(names, i), args[count + i]))
            goto end;
    result = PyObject_Call(quick->slow, positional, keywords);
end:
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    return result;
}

/* Send bytes; 0 when something else is to be done first. A look that is due stays due. */
static int sent(Link *link, PyObject *data)
{
    comch_tx *tx = link->tx;
    int result;

    if (!tx || !PyBytes_CheckExact(data))
        return 0;
    result = comch_send(tx, PyBytes_AsString(data), (uint64_t)PyBytes_Size(data));
    if (result == COMCH_POLL)
        tx->pace.next = 0;
    return result == COMCH_OK;
}

static PyObject *port_send(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Quick *quick = SELF(Quick, self);
    PyObject *handle;

    if (count == 2 && !names) {
        if (!(handle = PyObject_GetAttr(args[0], handle_name)))
            PyErr_Clear();
        else {
            int done = PyType_IsSubtype(Py_TYPE(handle), calls_link_type) && SELF(Link, handle)->poller == quick->of
                       && sent(SELF(Link, handle), args[1]);
            Py_DECREF(handle);
            if (done)
                Py_RETURN_TRUE;
        }
    }
    return calls_slow(quick, args, count, names);
}

static int only_timeout(PyObject *names)
{
    return PyTuple_Size(names) == 1 && PyTuple_GetItem(names, 0) == timeout_name;
}

/* Send with at most a time-out, which room in the ring makes unimportant. */
static PyObject *link_send_quick(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Quick *quick = SELF(Quick, self);

    if ((names ? count == 1 && only_timeout(names) : count == 1 || count == 2) && sent(SELF(Link, quick->of), args[0]))
        Py_RETURN_NONE;
    return calls_slow(quick, args, count, names);
}

/* Is a message the only thing that could be received? A context without connections may have other reasons. */
static int quiet(Quick *quick)
{
    if (!SELF(Poller, quick->of)->c.count)
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(quick->news); i++)
        if (calls_any(PyTuple_GetItem(quick->news, i)))
            return 0;
    return 1;
}

/* Raise what OSError's own initialization makes of the arguments: a Python one costs more than the rest of the call. */
static PyObject *raise_again(PyObject *again)
{
    PyObject *type = PyTuple_GetItem(again, 0), *args = PyTuple_GetItem(again, 1), *error;
    initproc init = (initproc)PyType_GetSlot((PyTypeObject *)PyExc_OSError, Py_tp_init);

    if (!(error = ((newfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_new))((PyTypeObject *)type, args, NULL)))
        return NULL;
    if (!init(error, args, NULL) && !PyObject_SetAttr(error, message_name, PyTuple_GetItem(args, 1)))
        PyErr_SetObject(type, error);
    Py_DECREF(error);
    return NULL;
}

static int is_zero(PyObject *number)
{
    return PyLong_CheckExact(number) && PyLong_AsLong(number) == 0 && !PyErr_Occurred();
}

/* Receive with at most a size and, where having received nothing raises, a time-out by its name, which a message that
 * is there makes unimportant. */
static PyObject *port_receive(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Quick *quick = SELF(Quick, self);
    Poller *poller = SELF(Poller, quick->of);
    unsigned long long most = UINT64_MAX;
    PyObject *data;
    int64_t result;

    if (count > 1 || (names && !(quick->again && only_timeout(names))))
        return calls_slow(quick, args, count, names);
    if (count) {
        if (!PyLong_CheckExact(args[0]))
            return calls_slow(quick, args, count, names);
        most = PyLong_AsUnsignedLongLong(args[0]);
        if (PyErr_Occurred()) {
            PyErr_Clear();
            return calls_slow(quick, args, count, names);
        }
    }
    result = comch_find(&poller->c);
    if (result == COMCH_POLL)
        comch_poll_again(&poller->c);
    if (result == COMCH_AGAIN && quiet(quick)) {
        if (!quick->again && !names)
            Py_RETURN_NONE;
        if (quick->again && names && is_zero(args[count]))
            return raise_again(quick->again);
        PyErr_Clear();
    }
    if (result < 0 || (uint64_t)result > most)
        return calls_slow(quick, args, count, names);
    if (!(data = calls_take(poller)))
        return PyErr_Occurred() ? NULL : calls_slow(quick, args, count, names);
    return pair(quick->shape, data, calls_found_link(poller)->user_data);
}

static PyMethodDef port_send_def = {"send", FAST(port_send), NULL};
static PyMethodDef link_send_def = {"send", FAST(link_send_quick), NULL};
static PyMethodDef port_receive_def = {"receive", FAST(port_receive), NULL};

static PyObject *kept(PyObject *object)
{
    if (!calls_given(object))
        return NULL;
    Py_INCREF(object);
    return object;
}

/* A quick call of that definition, of its own objects: those given are borrowed. */
PyObject *calls_quick_call(PyMethodDef *def, Quick given)
{
    Quick *quick = SELF(Quick, PyType_GenericAlloc(calls_quick_type, 0));
    PyObject *call;

    if (!quick)
        return NULL;
    quick->of = kept(given.of);
    quick->slow = kept(given.slow);
    quick->shape = kept(given.shape);
    quick->news = kept(given.news);
    quick->again = kept(given.again);
    quick->program = kept(given.program);
    call = PyCFunction_NewEx(def, (PyObject *)quick, NULL);
    Py_DECREF(quick);
    return call;
}

static PyObject *make_send(PyMethodDef *def, PyTypeObject *kind, PyObject *args)
{
    Quick given = {0};

    if (!PyArg_ParseTuple(args, "O!O", kind, &given.of, &given.slow))
        return NULL;
    return calls_quick_call(def, given);
}

/* port_send(poller, slow), link_send(link, slow): of the Python call `slow`. */
static PyObject *make_port_send(PyObject *Py_UNUSED(module), PyObject *args)
{
    return make_send(&port_send_def, calls_poller_type, args);
}

static PyObject *make_link_send(PyObject *Py_UNUSED(module), PyObject *args)
{
    return make_send(&link_send_def, calls_link_type, args);
}

/* receive(poller, slow, shape, news, again): see Quick; None stands for NULL. */
static PyObject *make_receive(PyObject *Py_UNUSED(module), PyObject *args)
{
    Quick given = {0};

    if (!PyArg_ParseTuple(args, "O!OOO!O", calls_poller_type, &given.of, &given.slow, &given.shape, &PyTuple_Type,
                          &given.news, &given.again))
        return NULL;
    return calls_quick_call(&port_receive_def, given);
}

static PyMethodDef functions[] = {
    {"port_send", make_port_send, METH_VARARGS, NULL},
    {"link_send", make_link_send, METH_VARARGS, NULL},
    {"receive", make_receive, METH_VARARGS, NULL},
    {"task_alloc", calls_make_alloc, METH_VARARGS, NULL},
    {0},
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "calls", NULL, -1, functions, NULL, NULL, NULL, NULL};

/* Make the type and name it in the module. Whether that failed. */
int calls_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type)
{
    *type = (PyTypeObject *)PyType_FromSpec(spec);
    return !*type || PyModule_AddType(module, *type);
}

PyMODINIT_FUNC PyInit_calls(void)
{
    PyObject *module = PyModule_Create(&definition);

    if (!module)
        return NULL;
    handle_name = PyUnicode_InternFromString("_handle");
    timeout_name = PyUnicode_InternFromString("timeout");
    message_name = PyUnicode_InternFromString("message");
    if (!handle_name || !timeout_name || !message_name || calls_add_type(module, &link_spec, &calls_link_type)
        || calls_add_type(module, &poller_spec, &calls_poller_type)
        || calls_add_type(module, &quick_spec, &calls_quick_type)
        || calls_add_type(module, &memory_spec, &memory_type) || calls_add_tasks(module)
        || calls_add_progress(module)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
