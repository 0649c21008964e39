/* Send tasks: taken from the pool of their context, in flight on their connection, completed by progress.
 *
 * A connection keeps its tasks in flight in the order of their sends; so it is its messages' order, and which of them
 * have arrived is one comparison. A task whose object dies gives its place in the pool back. Whatever may run Python
 * code, be it a callback or the death of an object, finds nothing half done, and may end all that it finds.
 */
#include "objects.h"

struct SendTask {
    PyObject_HEAD
    PyObject *ctx, *connection, *message;
    PyObject *token;  /* what its callbacks are called with; NULL: the task itself */
    PyObject *owner, *status;
    PyObject *context, *user_data;  /* the program's own, where the program has the task itself */
    unsigned long life;             /* its context's, when it was taken */
    unsigned long long number;      /* its message's place in the connection's order of sends, once submitted */
};

PyTypeObject *calls_context_type;
static PyTypeObject *task_type;
static PyObject *program_owns, *library_owns, *pool_owns, *success;
static PyObject *handle_name, *tasks_name, *alloc_name, *legal_name, *submit_name, *free_name, *armed_name, *busy_name;

enum { FIRST_ROOM = 16 };

static void set(PyObject **place, PyObject *value)
{
    PyObject *before = *place;

    Py_XINCREF(value);
    *place = value;
    Py_XDECREF(before);
}

/* Context: the C part of Context in _context.py. */

static int context_traverse(Context *context, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(context));
    Py_VISIT(context->engine);
    Py_VISIT(context->legal);
    Py_VISIT(context->sending);
    Py_VISIT(context->finished);
    Py_VISIT(context->lost);
    Py_VISIT(context->on_done);
    Py_VISIT(context->on_message);
    return 0;
}

static int context_clear(Context *context)
{
    Py_CLEAR(context->engine);
    Py_CLEAR(context->legal);
    Py_CLEAR(context->sending);
    Py_CLEAR(context->finished);
    Py_CLEAR(context->lost);
    Py_CLEAR(context->on_done);
    Py_CLEAR(context->on_message);
    return 0;
}

static void context_dealloc(PyObject *context)
{
    calls_destroy(context, (inquiry)context_clear);
}

static PyObject *context_disinherit(Context *context, PyObject *Py_UNUSED(none))
{
    context_clear(context);
    Py_RETURN_NONE;
}

/* Whether progress has nothing to do for it but what the engine does for all. */
int calls_settled(Context *context)
{
    return !(calls_any(context->sending) || calls_any(context->finished) || calls_any(context->lost)
             || context->moving);
}

static PyObject *context_settled(Context *context, PyObject *Py_UNUSED(none))
{
    return PyBool_FromLong(calls_settled(context));
}

/* take_back(): the program's tasks are the pool's again. */
static PyObject *context_take_back(Context *context, PyObject *Py_UNUSED(none))
{
    context->life++;
    context->tasks_out = 0;
    Py_RETURN_NONE;
}

static PyMethodDef context_methods[] = {
    {"take_back", (PyCFunction)context_take_back, METH_NOARGS, NULL},
    {"settled", (PyCFunction)context_settled, METH_NOARGS, NULL},
    {"disinherit", (PyCFunction)context_disinherit, METH_NOARGS, NULL},
    {0},
};

#define OBJECT(name) {#name, T_OBJECT_EX, offsetof(Context, name), 0, NULL}

static PyMemberDef context_members[] = {
    OBJECT(engine),
    OBJECT(legal),
    OBJECT(sending),
    OBJECT(finished),
    OBJECT(lost),
    OBJECT(on_done),
    OBJECT(on_message),
    {"num_tasks", T_LONGLONG, offsetof(Context, num_tasks), 0, NULL},
    {"tasks_out", T_LONGLONG, offsetof(Context, tasks_out), 0, NULL},
    {"life", T_ULONG, offsetof(Context, life), READONLY, NULL},
    {"attended", T_BOOL, offsetof(Context, attended), 0, NULL},
    {"moving", T_BOOL, offsetof(Context, moving), 0, NULL},
    {0},
};

static PyType_Slot context_slots[] = {
    {Py_tp_dealloc, context_dealloc}, {Py_tp_traverse, context_traverse}, {Py_tp_clear, context_clear},
    {Py_tp_methods, context_methods}, {Py_tp_members, context_members},   {0, NULL},
};

static PyType_Spec context_spec = {
    NAME "Context", sizeof(Context), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, context_slots,
};

static int allows(Context *context, PyObject *call)
{
    return context && context->legal && PySet_Contains(context->legal, call) == 1;
}

/* Have progress attend to a context that it may have done with. An engine that sleeps is armed anew, in Python. */
static int attend(Context *context)
{
    Engine *engine = SELF(Engine, context->engine);
    PyObject *armed, *done;
    int sleeps;

    if (context->attended || !calls_is(context->engine, calls_engine_type))
        return 0;
    if (!(armed = PyObject_GetAttr(engine->notification, armed_name)))
        return -1;
    sleeps = PyObject_IsTrue(armed);
    Py_DECREF(armed);
    if (!sleeps) {
        context->attended = 1;
        return PySet_Add(engine->active, (PyObject *)context);
    }
    done = PyObject_CallMethodObjArgs((PyObject *)context, busy_name, NULL);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* What is in flight on a connection. */

static int make_room(Link *link)
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

/* The first task in flight, which is the caller's from now on. */
SendTask *calls_pop_task(Link *link)
{
    SendTask *task = link->flight[link->first];

    link->first = (link->first + 1) % link->room;
    link->count--;
    return task;
}

int calls_visit_tasks(Link *link, visitproc visit, void *arg)
{
    for (size_t i = 0; i < link->count; i++)
        Py_VISIT(link->flight[(link->first + i) % link->room]);
    return 0;
}

void calls_drop_tasks(Link *link)
{
    while (link->count)
        Py_DECREF(calls_pop_task(link));
    PyMem_Free(link->flight);
    link->flight = NULL;
    link->room = 0;
}

/* How many sends have arrived; none on a connection that has ended, which has no ring. */
static uint64_t arrived(Link *link)
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
PyObject *calls_take_sent(Link *link, PyObject *Py_UNUSED(none))
{
    return popped(link, arrived(link));
}

/* take_back(): the first task in flight, whatever became of it; None when there is none. */
PyObject *calls_take_back(Link *link, PyObject *Py_UNUSED(none))
{
    return popped(link, UINT64_MAX);
}

/* arm_tasks(): ask for the bell when the first task in flight has arrived. Whether it has already. */
PyObject *calls_arm_tasks(Link *link, PyObject *Py_UNUSED(none))
{
    if (!link->count || !link->tx || !link->tx->open)
        Py_RETURN_FALSE;
    return PyBool_FromLong(comch_arm_flight(link->tx, link->flight[link->first]->number));
}

/* SendTask: see SendTask in _send_task.py. */

static int task_traverse(SendTask *task, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(task));
    Py_VISIT(task->ctx);
    Py_VISIT(task->connection);
    Py_VISIT(task->token);
    Py_VISIT(task->context);
    Py_VISIT(task->user_data);
    return 0;
}

/* Who holds it. A task that the pool has taken back is the pool's, though nobody has told it so. */
static PyObject *owner(SendTask *task)
{
    if (task->owner && task->ctx && task->life != SELF(Context, task->ctx)->life)
        set(&task->owner, pool_owns);
    return task->owner;
}

/* Give its place in the pool back. */
static void release(SendTask *task)
{
    if (owner(task) && task->owner != pool_owns) {
        SELF(Context, task->ctx)->tasks_out--;
        set(&task->owner, pool_owns);
    }
    Py_CLEAR(task->token);
}

static int task_clear(SendTask *task)
{
    if (task->ctx)
        release(task);
    Py_CLEAR(task->ctx);
    Py_CLEAR(task->connection);
    Py_CLEAR(task->message);
    Py_CLEAR(task->owner);
    Py_CLEAR(task->status);
    Py_CLEAR(task->context);
    Py_CLEAR(task->user_data);
    return 0;
}

static void task_dealloc(PyObject *task)
{
    calls_destroy(task, (inquiry)task_clear);
}

/* Make it the program's, with a place of the pool's. */
static void fill(SendTask *task, PyObject *ctx, PyObject *connection, PyObject *message)
{
    set(&task->ctx, ctx);
    set(&task->connection, connection);
    set(&task->message, message);
    set(&task->status, success);
    set(&task->owner, program_owns);
    task->life = SELF(Context, ctx)->life;
    SELF(Context, ctx)->tasks_out++;
}

/* SendTask(ctx, connection, message, token): the caller has checked that it may be had. */
static PyObject *task_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(names))
{
    PyObject *ctx, *connection, *message, *token;
    SendTask *task;

    if (!PyArg_ParseTuple(args, "O!O!SO", calls_context_type, &ctx, calls_link_type, &connection, &message, &token))
        return NULL;
    if ((task = SELF(SendTask, PyType_GenericAlloc(type, 0)))) {
        fill(task, ctx, connection, message);
        set(&task->token, token);
    }
    return (PyObject *)task;
}

/* Send the message: what comch_send says, or 1 for an exception. A send that is accepted is in flight. */
static int launch(SendTask *task)
{
    Link *link = SELF(Link, task->connection);
    Context *context = SELF(Context, task->ctx);
    int result;

    if (!link->tx)
        return COMCH_CLOSED;
    if (make_room(link))
        return 1;
    if (!link->listed) {
        if (PyList_Append(context->sending, (PyObject *)link))
            return 1;
        link->listed = 1;
    }
    do  /* again when it is time to look at the sockets: in this mode progress does */
        result = comch_send(link->tx, PyBytes_AsString(task->message), (uint64_t)PyBytes_Size(task->message));
    while (result == COMCH_POLL);
    if (result == COMCH_OK) {
        Py_INCREF(task);
        link->flight[(link->first + link->count++) % link->room] = task;
        task->number = link->tx->head;
        set(&task->owner, library_owns);
    }
    return result;
}

static PyObject *task_launch(SendTask *task, PyObject *Py_UNUSED(none))
{
    int result = launch(task);

    return result > 0 ? NULL : PyLong_FromLong(result);
}

/* Have the noun do the call: it refuses, or does what does not succeed at once. */
static PyObject *by_the_noun(SendTask *task, PyObject *call)
{
    PyObject *tasks = PyObject_GetAttr((PyObject *)task, tasks_name), *result = NULL;

    if (tasks)
        result = PyObject_CallMethodObjArgs(tasks, call, (PyObject *)task, NULL);
    Py_XDECREF(tasks);
    return result;
}

static PyObject *task_submit(SendTask *task, PyObject *Py_UNUSED(none))
{
    int result;

    if (owner(task) != program_owns || !allows(SELF(Context, task->ctx), legal_name))
        return by_the_noun(task, submit_name);
    if ((result = launch(task)) > 0)
        return NULL;
    if (result != COMCH_OK)
        return by_the_noun(task, submit_name);
    if (attend(SELF(Context, task->ctx)))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *task_free(SendTask *task, PyObject *Py_UNUSED(none))
{
    if (owner(task) != program_owns || !SELF(Context, task->ctx)->legal)
        return by_the_noun(task, free_name);
    release(task);
    Py_RETURN_NONE;
}

static PyObject *task_token(SendTask *task, void *Py_UNUSED(closure))
{
    PyObject *token = task->token ? task->token : (PyObject *)task;

    Py_INCREF(token);
    return token;
}

static int task_set_token(SendTask *task, PyObject *token, void *Py_UNUSED(closure))
{
    set(&task->token, token);
    return 0;
}

static PyObject *task_owner(SendTask *task, void *Py_UNUSED(closure))
{
    PyObject *found = owner(task);

    if (!found)
        PyErr_SetString(PyExc_AttributeError, "owner");
    Py_XINCREF(found);
    return found;
}

static int task_set_owner(SendTask *task, PyObject *value, void *Py_UNUSED(closure))
{
    set(&task->owner, value);
    return 0;
}

static PyObject *task_itself(PyObject *task, void *Py_UNUSED(closure))
{
    Py_INCREF(task);
    return task;
}

static PyMethodDef task_methods[] = {
    {"launch", (PyCFunction)task_launch, METH_NOARGS, NULL},
    {"submit", (PyCFunction)task_submit, METH_NOARGS, NULL},
    {"free", (PyCFunction)task_free, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef task_members[] = {
    {"ctx", T_OBJECT_EX, offsetof(SendTask, ctx), READONLY, NULL},
    {"connection", T_OBJECT_EX, offsetof(SendTask, connection), READONLY, NULL},
    {"message", T_OBJECT_EX, offsetof(SendTask, message), READONLY, NULL},
    {"number", T_ULONGLONG, offsetof(SendTask, number), READONLY, NULL},
    {"status", T_OBJECT_EX, offsetof(SendTask, status), 0, NULL},
    {"context", T_OBJECT_EX, offsetof(SendTask, context), READONLY, NULL},
    {"user_data", T_OBJECT, offsetof(SendTask, user_data), 0, NULL},
    {0},
};

static PyGetSetDef task_getset[] = {
    {"owner", (getter)task_owner, (setter)task_set_owner, NULL, NULL},
    {"token", (getter)task_token, (setter)task_set_token, NULL, NULL},
    {"_handle", task_itself, NULL, NULL, NULL},
    {0},
};

static PyType_Slot task_slots[] = {
    {Py_tp_new, task_new},         {Py_tp_dealloc, task_dealloc}, {Py_tp_traverse, task_traverse},
    {Py_tp_clear, task_clear},     {Py_tp_methods, task_methods}, {Py_tp_members, task_members},
    {Py_tp_getset, task_getset},   {0, NULL},
};

static PyType_Spec task_spec = {
    NAME "SendTask", sizeof(SendTask), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, task_slots,
};

/* Whether the context has a task for this message on this connection: no Python code runs between that and the fill,
 * so the task, whose making may have the collector run, is there before. */
static int grants(Context *context, PyObject *handle, PyObject *message)
{
    Link *link = SELF(Link, handle);

    return calls_is(handle, calls_link_type) && link->context == (PyObject *)context && link->tx && link->tx->open
           && PyBytes_CheckExact(message) && (uint64_t)PyBytes_Size(message) <= link->tx->max_msg
           && context->tasks_out < context->num_tasks && allows(context, alloc_name);
}

static PyObject *task_alloc(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Quick *quick = SELF(Quick, self);
    PyObject *handle = NULL;
    SendTask *task = NULL;
    int granted = 0;

    if (count == 2 && !names && (handle = PyObject_GetAttr(args[0], handle_name))
        && (task = SELF(SendTask, PyType_GenericAlloc((PyTypeObject *)quick->shape, 0)))
        && (granted = grants(SELF(Context, quick->of), handle, args[1]))) {
        fill(task, quick->of, handle, args[1]);
        set(&task->context, quick->program);
    }
    Py_XDECREF(handle);
    if (granted)
        return (PyObject *)task;
    PyErr_Clear();
    Py_XDECREF(task);
    return calls_slow(quick, args, count, names);
}

static PyMethodDef task_alloc_def = {"task_send_alloc_init", FAST(task_alloc), NULL};

/* task_alloc(context, slow, kind, program): tasks of that kind, whose `context` is the program's object. */
PyObject *calls_make_alloc(PyObject *Py_UNUSED(module), PyObject *args)
{
    Quick given = {0};

    if (!PyArg_ParseTuple(args, "O!OO!O", calls_context_type, &given.of, &given.slow, &PyType_Type, &given.shape,
                          &given.program))
        return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)given.shape, task_type))
        return PyErr_Format(PyExc_TypeError, "task_alloc takes a kind of SendTask");
    return calls_quick_call(&task_alloc_def, given);
}

/* Completion. */

/* Call back for one task that has arrived, and which is ours now. */
static void complete(Engine *engine, Context *context, SendTask *task)
{
    PyObject *token = task_token(task, NULL), *done = context->on_done, *result;

    set(&task->owner, program_owns);
    set(&task->status, success);
    Py_XINCREF(done);
    Py_DECREF(task);
    result = done ? PyObject_CallFunctionObjArgs(done, token, NULL) : NULL;
    if (!result && done)
        calls_keep_error(engine);
    Py_XDECREF(result);
    Py_XDECREF(done);
    Py_DECREF(token);
}

/* Take the connections off the list that have no task in flight. */
static int unlist(PyObject *sending)
{
    for (Py_ssize_t i = PyList_Size(sending); i-- > 0;) {
        Link *link = i < PyList_Size(sending) ? SELF(Link, PyList_GetItem(sending, i)) : NULL;
        if (link && !link->count) {
            link->listed = 0;
            if (PySequence_DelItem(sending, i))
                return -1;
        }
    }
    return 0;
}

/* Deliver the completions of sends that have arrived, each once, until one raises. Whether there were any, or -1. What
 * callbacks submit meanwhile waits for the next time. */
int calls_complete_sends(Engine *engine, Context *context)
{
    PyObject *sending = context->sending;
    Py_ssize_t count = sending ? PyList_Size(sending) : 0;
    int delivered = 0, failed;

    if (!count)
        return 0;
    Py_INCREF(sending);
    for (Py_ssize_t i = 0; i < count && i < PyList_Size(sending); i++) {
        Link *link = SELF(Link, PyList_GetItem(sending, i));
        uint64_t number = arrived(link);
        Py_INCREF(link);
        while (link->count && link->flight[link->first]->number <= number && !calls_given(engine->error)) {
            complete(engine, context, calls_pop_task(link));
            delivered = 1;
        }
        Py_DECREF(link);
    }
    failed = unlist(sending);
    Py_DECREF(sending);
    return failed ? failed : delivered;
}

/* The module's part. */

static PyObject *named(PyObject *module, const char *name)
{
    PyObject *value = PyUnicode_InternFromString(name);

    return value && !PyModule_AddObjectRef(module, name, value) ? value : NULL;
}

static PyObject *found_success(void)
{
    PyObject *codes = PyImport_ImportModule("comch_next._codes"), *kind, *found;

    kind = codes ? PyObject_GetAttrString(codes, "ErrorCode") : NULL;
    found = kind ? PyObject_GetAttrString(kind, "SUCCESS") : NULL;
    Py_XDECREF(kind);
    Py_XDECREF(codes);
    return found;
}

int calls_add_tasks(PyObject *module)
{
    const struct { PyObject **name; const char *text; } names[] = {
        {&handle_name, "_handle"},     {&tasks_name, "_tasks"}, {&alloc_name, "task_send_alloc_init"},
        {&legal_name, "task_submit"},  {&submit_name, "submit"}, {&free_name, "free"},
        {&armed_name, "armed"},        {&busy_name, "busy_engine"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(*names[i].name = PyUnicode_InternFromString(names[i].text)))
            return -1;
    return !(success = found_success()) || !(program_owns = named(module, "PROGRAM"))
           || !(library_owns = named(module, "LIBRARY")) || !(pool_owns = named(module, "POOL"))
           || calls_add_type(module, &context_spec, &calls_context_type)
           || calls_add_type(module, &task_spec, &task_type);
}
