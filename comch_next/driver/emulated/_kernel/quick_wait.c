/* Quick calls before and after a wait: they ask for a bell, and wait for sockets that the kernel knows to be silent. */
#include <string.h>

#include "quick.h"

static PyObject *recv_name;

/* Whether another thread has left something to the engine of those who are followed. */
static int called(Poller *poller)
{
    PyObject *context = poller->c.count ? SELF(Link, PyTuple_GetItem(poller->links, 0))->context : NULL;
    PyObject *engine = calls_is(context, calls_context_type) ? SELF(Context, context)->engine : NULL;

    return !calls_is(engine, calls_engine_type) || calls_any(SELF(Engine, engine)->pending_calls);
}

/* Whether a farewell matters, or begins or ceases to: only to whom a message is in flight. */
static int in_flight(Poller *poller)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(poller->links); i++) {
        Link *link = SELF(Link, PyTuple_GetItem(poller->links, i));
        if (link->wakes || !link->tx || !link->tx->open || comch_completed(link->tx) != link->tx->head)
            return 1;
    }
    return 0;
}

/* Ask for a bell of every ring; the channel is ready if it would be rung already. Whether that failed. */
static int arm_rings(Poller *poller, Channel *channel)
{
    return comch_arm_data(&poller->c) && calls_ring(channel);
}

/* Leave the call to the Python one, unless Python code has raised already: a bell that is rung too fast runs some, where
 * a signal's handler may come. What the system refuses has no traceback, and is named by the Python call. */
static PyObject *otherwise(Quick *quick, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *kind, *error, *trace;

    PyErr_Fetch(&kind, &error, &trace);
    if (trace) {
        PyErr_Restore(kind, error, trace);
        return NULL;
    }
    Py_XDECREF(kind);
    Py_XDECREF(error);
    return calls_slow(quick, args, count, names);
}

static PyObject *port_arm(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Quick *quick = SELF(Quick, self);
    Poller *poller = SELF(Poller, quick->of);
    PyObject *found;
    Channel *channel;
    int armed = 0;

    if (calls_in_kernel && calls_refuse_kernel("arm_recv"))
        return NULL;
    found = Py_XNewRef(PyDict_GetItemWithError(quick->channels, recv_name));
    channel = SELF(Channel, found);
    if (!count && !names && calls_is(found, calls_channel_type) && channel->armed && calls_quiet(quick)
        && !(quick->flights && in_flight(poller)) && calls_forget(channel, 1) == 1 && !called(poller)) {
        comch_attended(&poller->c.pace);
        armed = !comch_poll_due(&poller->c.pace, comch_now()) && !arm_rings(poller, channel);
        if (!armed)
            comch_hurry(&poller->c.pace);  /* it is still due */
    }
    Py_XDECREF(found);
    if (armed)
        Py_RETURN_NONE;
    return otherwise(quick, args, count, names);
}

/* The channel of an engine that nobody runs, and that has nothing to do but to read rings; or NULL. */
static Channel *plain(Engine *engine)
{
    int other = engine->guarded || !calls_is(engine->poller, calls_poller_type);

    return other || !calls_is(engine->notification, calls_channel_type) ? NULL : SELF(Channel, engine->notification);
}

static PyObject *engine_request(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Quick *quick = SELF(Quick, self);
    Engine *engine = SELF(Engine, quick->of);
    Channel *channel = plain(engine);

    if (calls_in_kernel && calls_refuse_kernel("request_notification"))
        return NULL;
    if (!count && !names && channel && !calls_any(engine->active) && !calls_any(engine->consumers)) {
        PyObject *poller = Py_NewRef(engine->poller);
        int armed;
        Py_INCREF(channel);  /* as the poller: arming may run Python code */
        armed = !calls_arm_again(channel) && !calls_any(engine->pending_calls)
                && !arm_rings(SELF(Poller, poller), channel);
        Py_DECREF(channel);
        Py_DECREF(poller);
        if (armed)
            Py_RETURN_NONE;
    }
    return otherwise(quick, args, count, names);
}

static PyObject *engine_clear(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Quick *quick = SELF(Quick, self);
    Engine *engine = SELF(Engine, quick->of);
    Channel *channel = plain(engine);
    int silent;

    if (calls_in_kernel && calls_refuse_kernel("clear_notification"))
        return NULL;
    if (!names && channel && (!count || (count == 1 && calls_is_zero(args[0])))
        && (silent = calls_forget(channel, 0)) >= 0) {
        (silent ? comch_attended : comch_hurry)(&SELF(Poller, engine->poller)->c.pace);
        Py_RETURN_NONE;
    }
    return otherwise(quick, args, count, names);
}

static PyMethodDef port_arm_def = {"arm_recv", FAST(port_arm), NULL};
static PyMethodDef request_def = {"request_notification", FAST(engine_request), NULL};
static PyMethodDef clear_def = {"clear_notification", FAST(engine_clear), NULL};

/* port_arm(poller, slow, channels, flights, news): arm the channel "recv", see Quick. */
PyObject *calls_make_port_arm(PyObject *Py_UNUSED(module), PyObject *args)
{
    Quick given = {0};

    if (!PyArg_ParseTuple(args, "O!OO!pO!", calls_poller_type, &given.of, &given.slow, &PyDict_Type, &given.channels,
                          &given.flights, &PyTuple_Type, &given.news))
        return NULL;
    return calls_quick_call(&port_arm_def, given);
}

static PyObject *of_engine(PyMethodDef *def, PyObject *args)
{
    Quick given = {0};

    if (!PyArg_ParseTuple(args, "O!O", calls_engine_type, &given.of, &given.slow))
        return NULL;
    return calls_quick_call(def, given);
}

/* request(engine, slow): request_notification() of this engine. */
PyObject *calls_make_request(PyObject *Py_UNUSED(module), PyObject *args)
{
    return of_engine(&request_def, args);
}

/* clear(engine, slow): clear_notification(handle) of this engine. */
PyObject *calls_make_clear(PyObject *Py_UNUSED(module), PyObject *args)
{
    return of_engine(&clear_def, args);
}

int calls_add_quick_wait(PyObject *Py_UNUSED(module))
{
    const Name names[] = {{&recv_name, "recv"}, {0}};

    return calls_intern(names);
}
