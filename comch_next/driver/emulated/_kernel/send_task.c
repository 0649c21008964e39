/* Send tasks: taken from the pool of their context, in flight on their connection, completed by progress. A task whose
 * object dies gives its place in the pool back. See SendTask in _send_task.py.
 */
#include "quick.h"

static PyTypeObject *send_task_type;
static PyObject *handle_name, *alloc_name, *legal_name, *submit_name, *free_name;

static int task_traverse(SendTask *task, visitproc visit, void *arg)
{
    Py_VISIT(task->connection);
    Py_VISIT(task->context);
    Py_VISIT(task->user_data);
    return calls_task_traverse(&task->task, visit, arg);
}

static int task_clear(SendTask *task)
{
    Py_CLEAR(task->connection);
    Py_CLEAR(task->message);
    Py_CLEAR(task->context);
    Py_CLEAR(task->user_data);
    return calls_task_clear(&task->task);
}

static void task_dealloc(PyObject *task)
{
    calls_destroy(task, (inquiry)task_clear);
}

/* Make it the program's, with a place of the pool's. */
static void fill(SendTask *task, PyObject *ctx, PyObject *connection, PyObject *message)
{
    calls_set(&task->connection, connection);
    calls_set(&task->message, message);
    calls_fill(&task->task, ctx);
}

/* SendTask(ctx, connection, message, token): the caller has checked all but whether the pool has a place. Without one this
 * raises LookupError: to make a task may have the collector run, and with it code of the program's. */
static PyObject *task_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(names))
{
    PyObject *ctx, *connection, *message, *token;
    SendTask *task;

    if (!PyArg_ParseTuple(args, "O!O!SO", calls_context_type, &ctx, calls_link_type, &connection, &message, &token))
        return NULL;
    if (!(task = SELF(SendTask, PyType_GenericAlloc(type, 0))))
        return NULL;
    if (!calls_has_place(SELF(Context, ctx))) {
        Py_DECREF(task);
        PyErr_SetString(PyExc_LookupError, "the pool has no place");
        return NULL;
    }
    fill(task, ctx, connection, message);
    calls_set(&task->task.token, token);
    return (PyObject *)task;
}

/* Send the message: what comch_send says, or 1 for an exception. A send that is accepted is in flight. */
static int launch(SendTask *task)
{
    Link *link = SELF(Link, task->connection);
    Context *context = SELF(Context, task->task.ctx);
    int result;

    if (!link->tx)
        return COMCH_CLOSED;
    if (calls_make_room(link))
        return 1;
    if (!link->listed) {
        if (PyList_Append(context->sending, (PyObject *)link))
            return 1;
        link->listed = 1;
    }
    /* In this mode progress looks at the sockets. */
    result = comch_send_now(link->tx, PyBytes_AsString(task->message), (uint64_t)PyBytes_Size(task->message));
    if (result == COMCH_OK) {
        calls_push_task(link, task);
        task->number = link->tx->head;
        calls_set(&task->task.owner, calls_library);
    }
    return result;
}

static PyObject *task_launch(SendTask *task, PyObject *Py_UNUSED(none))
{
    int result;

    if (calls_in_kernel && calls_refuse_kernel("task_submit"))
        return NULL;
    result = launch(task);
    if (result > 0 || (result == COMCH_OK && calls_enlist(SELF(Context, task->task.ctx))))
        return NULL;
    return PyLong_FromLong(result);
}

static PyObject *task_submit(SendTask *task, PyObject *Py_UNUSED(none))
{
    int result;

    if (calls_in_kernel && calls_refuse_kernel("task_submit"))
        return NULL;
    if (calls_owner(&task->task) != calls_program || !calls_allows(SELF(Context, task->task.ctx), legal_name))
        return calls_by_the_noun(&task->task, submit_name);
    if ((result = launch(task)) > 0)
        return NULL;
    if (result != COMCH_OK)
        return calls_by_the_noun(&task->task, submit_name);
    if (calls_attend(SELF(Context, task->task.ctx)))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *task_free(SendTask *task, PyObject *Py_UNUSED(none))
{
    if (calls_in_kernel && calls_refuse_kernel("task_free"))
        return NULL;
    if (calls_owner(&task->task) != calls_program || !SELF(Context, task->task.ctx)->legal
        || SELF(Context, task->task.ctx)->moving)
        return calls_by_the_noun(&task->task, free_name);
    calls_release(&task->task);
    Py_RETURN_NONE;
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
    {"connection", T_OBJECT_EX, offsetof(SendTask, connection), READONLY, NULL},
    {"message", T_OBJECT_EX, offsetof(SendTask, message), READONLY, NULL},
    {"number", T_ULONGLONG, offsetof(SendTask, number), READONLY, NULL},
    {"context", T_OBJECT_EX, offsetof(SendTask, context), READONLY, NULL},
    {"user_data", T_OBJECT, offsetof(SendTask, user_data), 0, NULL},
    {0},
};

static PyGetSetDef task_getset[] = {
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
           && calls_has_place(context) && calls_allows(context, alloc_name);
}

/* The handle of a connection, or of the program's object for it, as a new reference. */
static PyObject *handle_of(PyObject *connection)
{
    if (!calls_is(connection, calls_link_type))
        return PyObject_GetAttr(connection, handle_name);
    Py_INCREF(connection);
    return connection;
}

/* Called with a connection and a message, and with a token where the tasks are not objects of the program's. */
static PyObject *task_alloc(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Quick *quick = SELF(Quick, self);
    PyObject *handle = NULL;
    SendTask *task = NULL;
    int granted = 0;

    if (calls_in_kernel && calls_refuse_kernel("task_send_alloc_init"))
        return NULL;
    if (count == (quick->program ? 2 : 3) && !names && (handle = handle_of(args[0]))
        && (task = SELF(SendTask, PyType_GenericAlloc((PyTypeObject *)quick->kind, 0)))
        && (granted = grants(SELF(Context, quick->of), handle, args[1]))) {
        fill(task, quick->of, handle, args[1]);
        calls_set(&task->context, quick->program);
        if (count == 3)
            calls_set(&task->task.token, args[2]);
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

    if (!PyArg_ParseTuple(args, "O!OO!O", calls_context_type, &given.of, &given.slow, &PyType_Type, &given.kind,
                          &given.program))
        return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)given.kind, send_task_type))
        return PyErr_Format(PyExc_TypeError, "task_alloc takes a kind of SendTask");
    return calls_quick_call(&task_alloc_def, given);
}

int calls_add_send_task(PyObject *module)
{
    const Name names[] = {
        {&handle_name, "_handle"},       {&alloc_name, "task_send_alloc_init"}, {&legal_name, "task_submit"},
        {&submit_name, "submit_checked"}, {&free_name, "free"},          {0},
    };

    return calls_intern(names) || calls_add_type(module, &task_spec, calls_task_type, &send_task_type);
}
