/* Quick calls: each stands in front of a Python one, with the same arguments, and does what succeeds at once. Whatever
 * else may come, be it a refusal, a full ring, a look at the sockets or arguments of another kind, it leaves everything
 * as it was and calls the Python one.
 */
#include "objects.h"

PyTypeObject *calls_quick_type;
static PyObject *handle_name, *timeout_name, *message_name;

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
PyObject *calls_make_port_send(PyObject *Py_UNUSED(module), PyObject *args)
{
    return make_send(&port_send_def, calls_poller_type, args);
}

PyObject *calls_make_link_send(PyObject *Py_UNUSED(module), PyObject *args)
{
    return make_send(&link_send_def, calls_link_type, args);
}

/* receive(poller, slow, shape, news, again): see Quick; None stands for NULL. */
PyObject *calls_make_receive(PyObject *Py_UNUSED(module), PyObject *args)
{
    Quick given = {0};

    if (!PyArg_ParseTuple(args, "O!OOO!O", calls_poller_type, &given.of, &given.slow, &given.shape, &PyTuple_Type,
                          &given.news, &given.again))
        return NULL;
    return calls_quick_call(&port_receive_def, given);
}

int calls_add_quick(PyObject *module)
{
    const Name names[] = {
        {&handle_name, "_handle"}, {&timeout_name, "timeout"}, {&message_name, "message"}, {0},
    };

    return calls_intern(names) || calls_add_type(module, &quick_spec, NULL, &calls_quick_type);
}
