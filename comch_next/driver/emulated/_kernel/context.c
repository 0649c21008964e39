/* What progress and tasks ask of a context: see Context in _context.py. */
#include "objects.h"

PyTypeObject *calls_context_type;
static PyObject *busy_name;

int calls_context_traverse(Context *context, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(context));
    Py_VISIT(context->engine);
    Py_VISIT(context->legal);
    Py_VISIT(context->sending);
    Py_VISIT(context->finished);
    Py_VISIT(context->lost);
    Py_VISIT(context->on_done);
    Py_VISIT(context->on_failed);
    Py_VISIT(context->on_message);
    return 0;
}

int calls_context_clear(Context *context)
{
    Py_CLEAR(context->engine);
    Py_CLEAR(context->legal);
    Py_CLEAR(context->sending);
    Py_CLEAR(context->finished);
    Py_CLEAR(context->lost);
    Py_CLEAR(context->on_done);
    Py_CLEAR(context->on_failed);
    Py_CLEAR(context->on_message);
    return 0;
}

static void context_dealloc(PyObject *context)
{
    calls_destroy(context, (inquiry)calls_context_clear);
}

static PyObject *context_disinherit(Context *context, PyObject *Py_UNUSED(none))
{
    calls_context_clear(context);
    Py_RETURN_NONE;
}

/* Whether progress has nothing to do for it but what the engine does for all. */
static int is_settled(Context *context)
{
    return !(calls_any(context->sending) || calls_any(context->finished) || calls_any(context->lost)
             || context->moving);
}

/* Have progress attend to a context no more, if it is settled. Whether that failed. */
int calls_settle(Context *context)
{
    if (!is_settled(context) || !calls_is(context->engine, calls_engine_type))
        return 0;
    context->attended = 0;
    return PySet_Discard(SELF(Engine, context->engine)->active, (PyObject *)context) < 0;
}

/* settle(): have progress attend to it no more, if there is nothing to do for it; in one step, because tasks are submitted
 * without the engine's lock.
 */
static PyObject *context_settle(Context *context, PyObject *Py_UNUSED(none))
{
    if (calls_settle(context))
        return NULL;
    Py_RETURN_NONE;
}

/* take_back(): the program's tasks are the pool's again, unless one of them has been submitted meanwhile. Whether they
 * are.
 */
static PyObject *context_take_back(Context *context, PyObject *Py_UNUSED(none))
{
    if (calls_any(context->finished))
        Py_RETURN_FALSE;
    context->life++;
    context->tasks_out = 0;
    Py_RETURN_TRUE;
}

/* vacate(legal): whether no task is out; then only these calls are legal from now on, so that none can be had. In one
 * step, because tasks are had without the engine's lock.
 */
static PyObject *context_vacate(Context *context, PyObject *legal)
{
    if (context->tasks_out)
        Py_RETURN_FALSE;
    calls_set(&context->legal, legal);
    Py_RETURN_TRUE;
}

/* The channel of its engine, if that is armed: the engine sleeps. */
static Channel *armed_channel(Context *context)
{
    PyObject *channel = calls_is(context->engine, calls_engine_type) ? SELF(Engine, context->engine)->notification : NULL;

    return calls_is(channel, calls_channel_type) && SELF(Channel, channel)->armed ? SELF(Channel, channel) : NULL;
}

/* Have the next progress attend to a context; nobody is woken for it. Whether that failed. */
int calls_enlist(Context *context)
{
    if (!calls_is(context->engine, calls_engine_type))
        return 0;
    context->attended = !armed_channel(context);
    return PySet_Add(SELF(Engine, context->engine)->active, (PyObject *)context);
}

/* enlist(): have the next progress attend to it. Whether its engine sleeps, and has to be armed anew. In one step, because
 * the progress of another thread may have done with it at any time.
 */
static PyObject *context_enlist(Context *context, PyObject *Py_UNUSED(none))
{
    return calls_enlist(context) ? NULL : PyBool_FromLong(armed_channel(context) != NULL);
}

static PyMethodDef context_methods[] = {
    {"vacate", (PyCFunction)context_vacate, METH_O, NULL},
    {"take_back", (PyCFunction)context_take_back, METH_NOARGS, NULL},
    {"settle", (PyCFunction)context_settle, METH_NOARGS, NULL},
    {"enlist", (PyCFunction)context_enlist, METH_NOARGS, NULL},
    {"disinherit", (PyCFunction)context_disinherit, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef context_members[] = {
    OBJECT(Context, engine),
    OBJECT(Context, legal),
    OBJECT(Context, sending),
    OBJECT(Context, finished),
    OBJECT(Context, lost),
    OBJECT(Context, on_done),
    OBJECT(Context, on_failed),
    OBJECT(Context, on_message),
    {"num_tasks", T_LONGLONG, offsetof(Context, num_tasks), 0, NULL},
    {"tasks_out", T_LONGLONG, offsetof(Context, tasks_out), 0, NULL},
    {"attended", T_BOOL, offsetof(Context, attended), 0, NULL},
    {"moving", T_BOOL, offsetof(Context, moving), 0, NULL},
    {0},
};

static PyType_Slot context_slots[] = {
    {Py_tp_dealloc, context_dealloc}, {Py_tp_traverse, calls_context_traverse}, {Py_tp_clear, calls_context_clear},
    {Py_tp_methods, context_methods}, {Py_tp_members, context_members},   {0, NULL},
};

static PyType_Spec context_spec = {
    NAME "Context", sizeof(Context), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, context_slots,
};

/* Whether the state of the context allows the call. */
int calls_allows(Context *context, PyObject *call)
{
    return context && context->legal && PySet_Contains(context->legal, call) == 1;
}

/* Have progress attend to a context while an exception is set: an engine that sleeps is woken, in C, where nothing
 * interrupts that.
 */
void calls_attend_anyway(Context *context)
{
    PyObject *kind, *error, *trace;
    Channel *channel;

    PyErr_Fetch(&kind, &error, &trace);
    if (calls_enlist(context) || ((channel = armed_channel(context)) && calls_ring(channel)))
        PyErr_Clear();
    PyErr_Restore(kind, error, trace);
}

/* Have progress attend to a context that it may have done with. An engine that sleeps is armed anew, in Python; one that
 * an interrupt keeps from that is woken.
 */
int calls_attend(Context *context)
{
    PyObject *done;

    if (context->attended)
        return 0;
    if (calls_enlist(context))
        return -1;
    if (!armed_channel(context))
        return 0;
    if ((done = PyObject_CallMethodObjArgs((PyObject *)context, busy_name, NULL))) {
        Py_DECREF(done);
        return 0;
    }
    calls_attend_anyway(context);
    return -1;
}

int calls_add_context(PyObject *module)
{
    const Name names[] = {{&busy_name, "busy_engine"}, {0}};

    return calls_intern(names) || calls_add_type(module, &context_spec, NULL, &calls_context_type);
}
