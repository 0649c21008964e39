/* What every task has: its context, who holds it, and the calls that submit and free it, through pointers to the
 * library's functions. What does not succeed at once is left to Python, with everything as it was: see Task in
 * _task.py.
 */
#include "objects.h"

PyTypeObject *calls_task_type;
PyObject *calls_held, *calls_submitted, *calls_freed, *calls_success;

enum { SUBMIT, FREE };  /* the functions of a life */

static int task_traverse(Task *task, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(task));
    Py_VISIT(task->ctx);
    Py_VISIT(task->token);
    Py_VISIT(task->peer);
    Py_VISIT(task->context);
    Py_VISIT(task->user_data);
    return 0;
}

static int task_clear(Task *task)
{
    Py_CLEAR(task->ctx);
    Py_CLEAR(task->token);
    Py_CLEAR(task->peer);
    Py_CLEAR(task->context);
    Py_CLEAR(task->user_data);
    return 0;
}

static void task_dealloc(Task *task)
{
    PyTypeObject *type = Py_TYPE(task);

    PyObject_GC_UnTrack(task);
    task_clear(task);
    Py_CLEAR(task->owner);
    Py_CLEAR(task->status);
    Py_CLEAR(task->address);
    Py_CLEAR(task->base);
    Py_CLEAR(task->data);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(task);
    Py_DECREF(type);
}

/* Note a task that was dropped without a free: the context frees it before the next one. */
static void task_finalize(Task *task)
{
    PyObject *kind, *error, *trace, *life, *dropped, *entry, *done = NULL;

    if (task->owner != calls_held)
        return;
    PyErr_Fetch(&kind, &error, &trace);
    life = PyObject_GetAttr(task->ctx, calls_name.life);
    dropped = life ? PyObject_GetAttr(life, calls_name.dropped) : NULL;
    entry = dropped ? PyTuple_Pack(2, task->address, task->base) : NULL;
    if (!entry || !(done = PyObject_CallMethodObjArgs(dropped, calls_name.append, entry, NULL)))
        PyErr_WriteUnraisable((PyObject *)calls_task_type);
    Py_XDECREF(done);
    Py_XDECREF(entry);
    Py_XDECREF(dropped);
    Py_XDECREF(life);
    PyErr_Restore(kind, error, trace);
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
    if (!task->context)
        calls_set(&task->token, token);
    return 0;
}

typedef int (*Submit)(void *base);
typedef void (*Free)(void *base);
typedef PyObject *Call(Task *task, PyObject *life, PyObject *tasks, void *function);

/* Whether the program holds the task, and its context has not ended, or -1. Its pool may have taken it back. */
static int is_held(Task *task, PyObject *tasks)
{
    int ended;

    if (task->owner != calls_held || PyDict_GetItemWithError(tasks, task->address) != task->base)
        return PyErr_Occurred() ? -1 : 0;
    ended = calls_is(task->ctx, calls_name.pointer, Py_None);
    return ended < 0 ? -1 : !ended;
}

/* Make a call with the lock held, if the program holds the task. Otherwise NULL, without an exception. */
static PyObject *call_held(Task *task, PyObject *life, Py_ssize_t place, Call *call)
{
    PyObject *lock = calls_taken(life), *functions, *tasks, *result = NULL;
    void *function;

    if (!lock)
        return NULL;
    functions = PyObject_GetAttr(life, calls_name.functions);
    tasks = PyObject_GetAttr(life, calls_name.tasks);
    function = functions ? calls_item(functions, place) : NULL;
    if (tasks && function && is_held(task, tasks) > 0)
        result = call(task, life, tasks, function);
    Py_XDECREF(functions);
    Py_XDECREF(tasks);
    return calls_released(lock, result);
}

static PyObject *submit(Task *task, PyObject *life, PyObject *Py_UNUSED(tasks), void *function)
{
    PyObject *flying;
    void *base = PyLong_AsVoidPtr(task->base);
    int code;

    if (task->peer && calls_is(task->peer, calls_name.pointer, Py_None))
        return NULL;  /* its connection has ended */
    flying = PyObject_GetAttr(life, calls_name.submitted);
    if (!flying || PyDict_SetItem(flying, task->address, (PyObject *)task)) {
        Py_XDECREF(flying);
        return NULL;
    }
    calls_set(&task->owner, calls_submitted);
    code = ((Submit)function)(base);
    if (code) {
        calls_set(&task->owner, calls_held);
        code = PyDict_DelItem(flying, task->address) ? -1 : code;
    }
    Py_DECREF(flying);
    if (code)
        return code < 0 ? NULL : PyObject_CallMethod((PyObject *)task, "refused", "is", code, "doca_task_submit");
    Py_RETURN_NONE;
}

static PyObject *free_task(Task *task, PyObject *Py_UNUSED(life), PyObject *tasks, void *function)
{
    void *base = PyLong_AsVoidPtr(task->base);

    if (PyDict_DelItem(tasks, task->address))
        return NULL;
    calls_set(&task->owner, calls_freed);
    task_set_token(task, Py_None, NULL);  /* it points back at the task */
    ((Free)function)(base);
    Py_RETURN_NONE;
}

static PyObject *quick_or_slow(Task *task, Py_ssize_t place, Call *call, PyObject *slow)
{
    PyObject *life = task->ctx ? PyObject_GetAttr(task->ctx, calls_name.life) : NULL;
    PyObject *result = life ? call_held(task, life, place, call) : NULL;

    Py_XDECREF(life);
    return result || PyErr_Occurred() ? result : PyObject_CallMethodObjArgs((PyObject *)task, slow, NULL);
}

static PyObject *task_submit(Task *task, PyObject *Py_UNUSED(none))
{
    return quick_or_slow(task, SUBMIT, submit, calls_name.submit_by);
}

static PyObject *task_free(Task *task, PyObject *Py_UNUSED(none))
{
    return quick_or_slow(task, FREE, free_task, calls_name.free_checked);
}

#define OBJECT(field) {#field, T_OBJECT_EX, offsetof(Task, field), 0, NULL}

static PyMethodDef task_methods[] = {
    {"submit", (PyCFunction)task_submit, METH_NOARGS, NULL}, {"free", (PyCFunction)task_free, METH_NOARGS, NULL}, {0},
};
static PyMemberDef task_members[] = {
    OBJECT(ctx), OBJECT(owner), OBJECT(status), OBJECT(address), OBJECT(base), OBJECT(data), OBJECT(context),
    {"user_data", T_OBJECT, offsetof(Task, user_data), 0, NULL}, {"peer", T_OBJECT, offsetof(Task, peer), 0, NULL}, {0},
};
static PyGetSetDef task_getset[] = {{"token", (getter)task_token, (setter)task_set_token, NULL, NULL}, {0}};
static PyType_Slot task_slots[] = {
    {Py_tp_dealloc, task_dealloc}, {Py_tp_traverse, task_traverse}, {Py_tp_clear, task_clear},
    {Py_tp_finalize, task_finalize}, {Py_tp_methods, task_methods}, {Py_tp_members, task_members},
    {Py_tp_getset, task_getset}, {0, NULL},
};
static PyType_Spec task_spec = {
    "comch_next.driver.native._kernel.calls.Task", sizeof(Task), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, task_slots,
};

/* Make one of the owners, which are compared by identity, and name it in the module. */
static PyObject *named(PyObject *module, const char *name, const char *text)
{
    PyObject *value = PyUnicode_InternFromString(text);

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
    calls_task_type = (PyTypeObject *)PyType_FromSpec(&task_spec);
    return !calls_task_type || PyModule_AddType(module, calls_task_type) || !(calls_success = found_success())
           || !(calls_held = named(module, "HELD", "held by the program"))
           || !(calls_submitted = named(module, "SUBMITTED", "submitted; wait for its completion"))
           || !(calls_freed = named(module, "FREED", "freed before"));
}
