/* What every task has: its context, who holds it, one completion. A task whose object dies gives its place in the pool
 * back. See Task in _task.py.
 */
#include "objects.h"

PyTypeObject *calls_task_type;
PyObject *calls_program, *calls_library, *calls_pool, *calls_success;
static PyObject *tasks_name, *append_name;

int calls_task_traverse(Task *task, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(task));
    Py_VISIT(task->ctx);
    Py_VISIT(task->token);
    return 0;
}

/* Who holds it. A task that the pool has taken back is the pool's, though nobody has told it so. */
PyObject *calls_owner(Task *task)
{
    if (task->owner && task->ctx && task->life != SELF(Context, task->ctx)->life)
        calls_set(&task->owner, calls_pool);
    return task->owner;
}

/* Give its place in the pool back. */
void calls_release(Task *task)
{
    if (calls_owner(task) && task->owner != calls_pool) {
        SELF(Context, task->ctx)->tasks_out--;
        calls_set(&task->owner, calls_pool);
    }
    Py_CLEAR(task->token);
}

int calls_task_clear(Task *task)
{
    if (task->ctx)
        calls_release(task);
    Py_CLEAR(task->ctx);
    Py_CLEAR(task->token);
    Py_CLEAR(task->owner);
    Py_CLEAR(task->status);
    return 0;
}

static void task_dealloc(PyObject *task)
{
    calls_destroy(task, (inquiry)calls_task_clear);
}

/* Whether the pool of a context has a place. No Python code may run between that and the fill. */
int calls_has_place(Context *context)
{
    return context->tasks_out < context->num_tasks;
}

/* Make it the program's, with a place of the pool's. */
void calls_fill(Task *task, PyObject *ctx)
{
    calls_set(&task->ctx, ctx);
    calls_set(&task->status, calls_success);
    calls_set(&task->owner, calls_program);
    task->life = SELF(Context, ctx)->life;
    SELF(Context, ctx)->tasks_out++;
}

/* take_from(ctx, token): make it the program's, if the pool has a place. Whether it has. */
static PyObject *task_take_from(Task *task, PyObject *args)
{
    PyObject *ctx, *token;

    if (!PyArg_ParseTuple(args, "O!O", calls_context_type, &ctx, &token))
        return NULL;
    if (!calls_has_place(SELF(Context, ctx)))
        Py_RETURN_FALSE;
    calls_fill(task, ctx);
    calls_set(&task->token, token);
    Py_RETURN_TRUE;
}

/* Add a task to a queue of those that the library holds. Whether that failed. */
int calls_queue(PyObject *queue, Task *task)
{
    PyObject *added;

    calls_set(&task->owner, calls_library);
    if ((added = PyObject_CallMethodObjArgs(queue, append_name, (PyObject *)task, NULL))) {
        Py_DECREF(added);
        return 0;
    }
    calls_set(&task->owner, calls_program);
    return -1;
}

/* fail(status): submit it, to complete with this status. Whether the program held it; in one step, because the pool may
 * take it back, and another thread complete it, at any time.
 */
static PyObject *task_fail(Task *task, PyObject *status)
{
    if (calls_owner(task) != calls_program)
        Py_RETURN_FALSE;
    calls_set(&task->status, status);
    if (calls_queue(SELF(Context, task->ctx)->finished, task))
        return NULL;
    Py_RETURN_TRUE;
}

/* Have the noun do the call: it refuses, or does what does not succeed at once. */
PyObject *calls_by_the_noun(Task *task, PyObject *call)
{
    PyObject *tasks = PyObject_GetAttr((PyObject *)task, tasks_name), *result = NULL;

    if (tasks)
        result = PyObject_CallMethodObjArgs(tasks, call, (PyObject *)task, NULL);
    Py_XDECREF(tasks);
    return result;
}

/* What its callbacks are called with, as a new reference. */
PyObject *calls_token(Task *task)
{
    PyObject *token = task->token ? task->token : (PyObject *)task;

    Py_INCREF(token);
    return token;
}

static PyObject *task_token(Task *task, void *Py_UNUSED(closure))
{
    return calls_token(task);
}

static int task_set_token(Task *task, PyObject *token, void *Py_UNUSED(closure))
{
    calls_set(&task->token, token);
    return 0;
}

static PyObject *task_owner(Task *task, void *Py_UNUSED(closure))
{
    PyObject *found = calls_owner(task);

    if (!found)
        PyErr_SetString(PyExc_AttributeError, "owner");
    Py_XINCREF(found);
    return found;
}

static int task_set_owner(Task *task, PyObject *value, void *Py_UNUSED(closure))
{
    calls_set(&task->owner, value);
    return 0;
}

static PyMethodDef task_methods[] = {
    {"take_from", (PyCFunction)task_take_from, METH_VARARGS, NULL},
    {"fail", (PyCFunction)task_fail, METH_O, NULL},
    {0},
};

static PyMemberDef task_members[] = {
    {"ctx", T_OBJECT_EX, offsetof(Task, ctx), READONLY, NULL},
    OBJECT(Task, status),
    {0},
};

static PyGetSetDef task_getset[] = {
    {"owner", (getter)task_owner, (setter)task_set_owner, NULL, NULL},
    {"token", (getter)task_token, (setter)task_set_token, NULL, NULL},
    {0},
};

static PyType_Slot task_slots[] = {
    {Py_tp_dealloc, task_dealloc}, {Py_tp_traverse, calls_task_traverse}, {Py_tp_clear, calls_task_clear},
    {Py_tp_methods, task_methods}, {Py_tp_members, task_members},         {Py_tp_getset, task_getset},
    {0, NULL},
};

static PyType_Spec task_spec = {
    NAME "Task", sizeof(Task), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, task_slots,
};

/* Make one of the owners, which are compared by identity, and name it in the module. */
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

int calls_add_task(PyObject *module)
{
    const Name names[] = {{&tasks_name, "_tasks"}, {&append_name, "append"}, {0}};

    return calls_intern(names) || !(calls_success = found_success()) || !(calls_program = named(module, "PROGRAM"))
           || !(calls_library = named(module, "LIBRARY")) || !(calls_pool = named(module, "POOL"))
           || calls_add_type(module, &task_spec, NULL, &calls_task_type);
}
