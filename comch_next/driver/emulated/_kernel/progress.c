/* The progress of an engine: it reads the rings, completes what has been sent, and calls what else has something to
 * do, in Python. A progress that finds nothing asks each of them once, and runs no Python code: it is over before
 * another thread could move on, so it needs no lock. All else happens with the engine's lock held.
 *
 * A callback that raises ends the reading of rings, or the delivery of completions; the first exception is raised at
 * the end. What raises else is no callback, and ends the progress at once.
 */
#include "fast.h"

PyTypeObject *calls_engine_type;
static PyObject *attend_name, *guarded_name, *poll_name, *pending_name, *raise_name, *release_name, *violation_name;

static int engine_traverse(Engine *engine, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(engine));
    Py_VISIT(engine->poller);
    Py_VISIT(engine->active);
    Py_VISIT(engine->consumers);
    Py_VISIT(engine->pending_calls);
    Py_VISIT(engine->notification);
    Py_VISIT(engine->acquire);
    Py_VISIT(engine->release);
    Py_VISIT(engine->error);
    return 0;
}

static int engine_clear(Engine *engine)
{
    Py_CLEAR(engine->poller);
    Py_CLEAR(engine->active);
    Py_CLEAR(engine->consumers);
    Py_CLEAR(engine->pending_calls);
    Py_CLEAR(engine->notification);
    Py_CLEAR(engine->acquire);
    Py_CLEAR(engine->release);
    Py_CLEAR(engine->error);
    return 0;
}

static void engine_dealloc(PyObject *engine)
{
    calls_destroy(engine, (inquiry)engine_clear);
}

/* Know nothing any more, and refuse progress: in a forked child. */
static PyObject *engine_disinherit(Engine *engine, PyObject *Py_UNUSED(none))
{
    engine->guarded = 1;
    engine_clear(engine);
    Py_RETURN_NONE;
}

/* Whether a callback has forked, and this is the child: its engine has been disinherited, and nothing of it is left. */
static int is_inherited(Engine *engine)
{
    return !engine->poller;
}

/* Whether a callback has ended the engine for this process. */
static int is_over(Engine *engine)
{
    return is_inherited(engine) || SELF(Channel, engine->notification)->set < 0;
}

/* Keep what a callback has raised for the end. */
void calls_keep_error(Engine *engine)
{
    PyObject *kind, *error, *trace;

    PyErr_Fetch(&kind, &error, &trace);
    PyErr_NormalizeException(&kind, &error, &trace);
    if (trace)
        PyException_SetTraceback(error, trace);
    if (!calls_given(engine->error)) {
        PyObject *none = engine->error;
        engine->error = error;
        error = none;
    } else {
        PyObject *kept = PyObject_CallMethod((PyObject *)engine, "keep_error", "O", error);

        if (!kept)
            PyErr_WriteUnraisable(error);
        Py_XDECREF(kept);
    }
    Py_XDECREF(kind);
    Py_XDECREF(error);
    Py_XDECREF(trace);
}

/* Call a method. Whether its result is true, or -1. */
static int ask(PyObject *object, PyObject *method)
{
    PyObject *result = PyObject_CallMethodObjArgs(object, method, NULL);
    int truth = result ? PyObject_IsTrue(result) : -1;

    Py_XDECREF(result);
    return truth;
}

/* Call back for a message. Whether the reading may go on. */
static int deliver(Engine *engine, Link *link, PyObject *data)
{
    PyObject *context = link->context, *user_data = link->user_data ? link->user_data : Py_None, *callback, *result;

    if (!calls_is(context, calls_context_type) || !(callback = SELF(Context, context)->on_message))
        return 1;
    Py_INCREF(callback);
    Py_INCREF(user_data);
    result = PyObject_CallFunctionObjArgs(callback, user_data, data, NULL);
    if (!result)
        calls_keep_error(engine);
    Py_DECREF(user_data);
    Py_DECREF(callback);
    Py_XDECREF(result);
    return result != NULL;
}

/* Call back with a view of the message, which dies with the call. */
static PyObject *show(PyObject *callback, PyObject *args)
{
    PyObject *view = PyMemoryView_FromObject(PyTuple_GetItem(args, 1)), *result, *released, *type, *error, *trace;

    if (!view)
        return NULL;
    result = PyObject_CallFunctionObjArgs(callback, PyTuple_GetItem(args, 0), view, NULL);
    PyErr_Fetch(&type, &error, &trace);
    released = PyObject_CallMethodObjArgs(view, release_name, NULL);
    Py_DECREF(view);
    if (type) {
        PyErr_Clear();
        PyErr_Restore(type, error, trace);
    } else if (!released)
        Py_CLEAR(result);
    Py_XDECREF(released);
    return result;
}

static PyMethodDef show_call = {"viewing", show, METH_VARARGS, NULL};

/* viewing(callback): that callback, for a connection and a message. */
PyObject *calls_viewing(PyObject *Py_UNUSED(module), PyObject *callback)
{
    return PyCFunction_NewEx(&show_call, callback, NULL);
}

/* Complete a context's tasks, and what else it has to do. Whether anything moved, or -1. */
static int attend(Engine *engine, Context *context)
{
    int moved, more = 0;

    if (!calls_given(context->engine))
        return 0;  /* a callback has just destroyed it */
    if ((moved = calls_complete_sends(engine, context)) < 0
        || (calls_given(context->engine) && (more = calls_complete_finished(engine, context)) < 0))
        return -1;
    moved |= more;
    more = 0;
    if ((context->moving || calls_any(context->lost)) && calls_given(context->engine)
        && (more = ask((PyObject *)context, attend_name)) < 0)
        return -1;
    return !is_inherited(engine) && calls_settle(context) ? -1 : moved | more;
}

static int attend_all(Engine *engine)
{
    PyObject *contexts = PySequence_List(engine->active);
    int moved = contexts ? 0 : -1;

    for (Py_ssize_t i = 0; moved >= 0 && i < PyList_Size(contexts); i++) {
        PyObject *context = PyList_GetItem(contexts, i);
        int attended = calls_is(context, calls_context_type) ? attend(engine, SELF(Context, context)) : 0;
        moved = attended < 0 ? -1 : moved | attended;
    }
    Py_XDECREF(contexts);
    return moved;
}

/* What a find said, unless the poller has made another turn since. */
typedef struct {
    int64_t said;
    uint32_t turn;
} Find;

/* Complete what has been completed, and read as many messages as a progress delivers at most, from what was found
 * `first`. A message may be the answer to what has been sent: completions are looked for once more when it has been
 * found, and reported before it. Whether anything moved, or -1. */
static int read_rings(Engine *engine, Poller *poller, const Find *first)
{
    int64_t found = poller->c.turn == first->turn ? first->said : comch_find(&poller->c);
    int moved = 0;

    for (int turn = 0; turn < engine->batch; turn++) {
        int going_on = 1;
        if ((turn == 0 || found >= 0) && calls_any(engine->active)) {
            uint32_t before = poller->c.turn;
            int attended = attend_all(engine);
            if (attended < 0)
                return -1;
            moved |= attended;
            if (calls_given(engine->error) || is_inherited(engine)) {
                if (found == COMCH_POLL)
                    comch_poll_again(&poller->c);
                break;
            }
            if (poller->c.turn != before) {  /* a callback has changed what there is to read */
                found = comch_find(&poller->c);
                continue;
            }
        }
        if (found >= 0) {
            Link *link = calls_found_link(poller);
            PyObject *data = calls_take(poller);
            if (!data)  /* else its sender has taken it back */
                return PyErr_Occurred() ? -1 : moved;
            Py_INCREF(link);
            going_on = deliver(engine, link, data);
            Py_DECREF(data);
            Py_DECREF(link);
            moved = 1;
        } else if (found == COMCH_POLL) {
            int polled = ask((PyObject *)engine, poll_name);
            if (polled < 0)
                return -1;
            moved |= polled;
            comch_polled(&poller->c.pace);
        } else if (found == COMCH_CORRUPT) {
            Link *link = calls_found_link(poller);
            Py_INCREF(link);
            int ended = ask((PyObject *)link, violation_name);
            Py_DECREF(link);
            if (ended < 0)
                return -1;
            moved = 1;
        } else
            break;
        if (!going_on || is_inherited(engine))
            break;
        found = found >= 0 ? comch_find_more(&poller->c) : comch_find(&poller->c);
    }
    return moved;
}

static int receive_posts(Engine *engine, PyObject *consumers)
{
    int moved = 0;

    Py_INCREF(consumers);
    for (Py_ssize_t i = 0; moved >= 0 && i < PyTuple_Size(consumers); i++) {
        int received = calls_receive_posts(engine, PyTuple_GetItem(consumers, i));
        moved = received < 0 ? -1 : moved | received;
    }
    Py_DECREF(consumers);
    return moved;
}

/* Do what can be done now. Whether anything moved, or -1. */
static int turn(Engine *engine, const Find *first)
{
    PyObject *poller = engine->poller;
    int moved, more;

    Py_INCREF(poller);
    moved = read_rings(engine, SELF(Poller, poller), first);
    Py_DECREF(poller);
    if (moved >= 0 && calls_any(engine->pending_calls))
        moved = (more = ask((PyObject *)engine, pending_name)) < 0 ? -1 : moved | more;
    if (moved >= 0 && calls_any(engine->consumers))
        moved = (more = receive_posts(engine, engine->consumers)) < 0 ? -1 : moved | more;
    return moved;
}

/* Whether a producer has written to a post of these consumers. */
static int any_filled(PyObject *consumers)
{
    Py_ssize_t count = consumers ? PyTuple_Size(consumers) : 0;

    for (Py_ssize_t i = 0; i < count; i++)
        if (calls_any_filled(PyTuple_GetItem(consumers, i)))
            return 1;
    return 0;
}

/* Whether there is nothing to do at all. Else `first` is what there is to read, if that is what there is. */
static int idle(Engine *engine, Find *first)
{
    comch_poller *poller = &SELF(Poller, engine->poller)->c;

    *first = (Find){COMCH_AGAIN, poller->turn - 1};
    if (calls_any(engine->active) || calls_any(engine->pending_calls) || any_filled(engine->consumers)
        || calls_given(engine->error))
        return 0;
    first->said = comch_find(poller);
    first->turn = poller->turn;
    if (first->said == COMCH_POLL)
        comch_poll_again(poller);
    return first->said == COMCH_AGAIN;
}

/* The end of a progress in the child that a callback has forked: what the callback has raised there, or the refusal. */
static PyObject *refuse_inherited(Engine *engine)
{
    PyObject *error = engine->error;

    engine->error = NULL;
    if (!error)
        return PyObject_CallMethodObjArgs((PyObject *)engine, guarded_name, NULL);
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
    return NULL;
}

/* Report what a callback has raised, where something else comes out of its progress. */
static void report_instead(Engine *engine)
{
    PyObject *kind, *error, *trace, *reported;

    PyErr_Fetch(&kind, &error, &trace);
    if (!(reported = PyObject_CallMethod((PyObject *)engine, "report_error", NULL)))
        PyErr_WriteUnraisable((PyObject *)engine);
    Py_XDECREF(reported);
    PyErr_Restore(kind, error, trace);
}

/* Progress, with the lock held. */
static PyObject *progress(Engine *engine, const Find *first)
{
    int moved;

    if (engine->guarded)  /* since another thread had the lock */
        return PyObject_CallMethodObjArgs((PyObject *)engine, guarded_name, NULL);
    engine->guarded = 1;
    engine->thread = PyThread_get_thread_ident();
    moved = turn(engine, first);
    if (moved > 0)
        calls_looked(1);
    engine->guarded = is_over(engine);
    if (moved >= 0 && is_inherited(engine))
        return refuse_inherited(engine);
    if (moved >= 0 && calls_given(engine->error)) {
        PyObject *handed_over = PyObject_CallMethodObjArgs((PyObject *)engine, raise_name, NULL);
        moved = handed_over ? moved : -1;
        Py_XDECREF(handed_over);
    }
    if (moved < 0 && calls_given(engine->error))
        report_instead(engine);
    return moved < 0 ? NULL : PyBool_FromLong(moved);
}

/* Give the lock back, whatever has been raised. */
static int release(PyObject *lock_release)
{
    PyObject *kind, *error, *trace, *released;

    PyErr_Fetch(&kind, &error, &trace);
    released = PyObject_CallObject(lock_release, NULL);
    if (released)
        PyErr_Restore(kind, error, trace);
    Py_XDECREF(released);
    return released ? 0 : -1;
}

/* progress(): do what can be done now, without waiting. Whether anything moved. */
static PyObject *engine_progress(Engine *engine, PyObject *Py_UNUSED(none))
{
    PyObject *lock_release, *acquired, *moved;
    Find first;

    if (calls_in_kernel && calls_refuse_kernel("progress"))
        return NULL;
    if (engine->guarded || !calls_is(engine->poller, calls_poller_type))
        return PyObject_CallMethodObjArgs((PyObject *)engine, guarded_name, NULL);
    if (idle(engine, &first)) {
        if (!calls_looked(0) && engine->yields)
            calls_let_others_run();
        Py_RETURN_FALSE;
    }
    lock_release = engine->release;
    Py_INCREF(lock_release);
    acquired = PyObject_CallObject(engine->acquire, NULL);
    moved = acquired ? progress(engine, &first) : NULL;
    if (acquired && release(lock_release))
        Py_CLEAR(moved);
    Py_XDECREF(acquired);
    Py_DECREF(lock_release);
    return moved;
}

static PyMethodDef engine_methods[] = {
    {"progress", (PyCFunction)engine_progress, METH_NOARGS, NULL},
    {"disinherit", (PyCFunction)engine_disinherit, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef engine_members[] = {
    OBJECT(Engine, poller),
    OBJECT(Engine, active),
    OBJECT(Engine, consumers),
    OBJECT(Engine, pending_calls),
    OBJECT(Engine, notification),
    OBJECT(Engine, acquire),
    OBJECT(Engine, release),
    OBJECT(Engine, error),
    {"thread", T_ULONG, offsetof(Engine, thread), 0, NULL},
    {"batch", T_INT, offsetof(Engine, batch), 0, NULL},
    {"guarded", T_BOOL, offsetof(Engine, guarded), 0, NULL},
    {"yields", T_BOOL, offsetof(Engine, yields), 0, NULL},
    {0},
};

static PyType_Slot engine_slots[] = {
    {Py_tp_dealloc, engine_dealloc}, {Py_tp_traverse, engine_traverse}, {Py_tp_clear, engine_clear},
    {Py_tp_methods, engine_methods}, {Py_tp_members, engine_members},   {0, NULL},
};

static PyType_Spec engine_spec = {
    NAME "Engine", sizeof(Engine), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, engine_slots,
};

int calls_add_progress(PyObject *module)
{
    const Name names[] = {
        {&attend_name, "attend"},         {&guarded_name, "progress_guarded"},        {&poll_name, "poll_sockets"},
        {&raise_name, "raise_error"},     {&pending_name, "run_pending_calls"},     
        {&violation_name, "on_protocol_violation"}, {&release_name, "release"}, {0},
    };

    return calls_intern(names) || calls_add_type(module, &engine_spec, NULL, &calls_engine_type);
}
