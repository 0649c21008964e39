/* What consumers and producers have in common: see _fast_context.py and _buf.py. */
#include "fast.h"

PyTypeObject *calls_fast_context_type, *calls_fast_task_type, *calls_buf_type;
static PyTypeObject *buf_owner_type;
static PyObject *submit_name, *checked_name, *remove_name;

static int buf_traverse(Buf *buf, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(buf));
    Py_VISIT(buf->inventory);
    Py_VISIT(buf->mmap);
    Py_VISIT(buf->next);
    Py_VISIT(buf->previous);
    return 0;
}

/* Its element belongs to the inventory again. Idempotent. */
static void give_back(Buf *buf)
{
    if (!buf->out)
        return;
    buf->out = 0;
    buf->refcount = 0;
    SELF(BufOwner, buf->inventory)->bufs--;
    SELF(BufOwner, buf->mmap)->bufs--;
    Py_CLEAR(buf->next);
    Py_CLEAR(buf->previous);
}

static int buf_clear(Buf *buf)
{
    give_back(buf);
    Py_CLEAR(buf->inventory);
    Py_CLEAR(buf->mmap);
    Py_CLEAR(buf->next);
    Py_CLEAR(buf->previous);
    return 0;
}

static void buf_dealloc(PyObject *buf)
{
    calls_destroy(buf, (inquiry)buf_clear);
}

/* take_from(inventory, mmap): be an element of the one, in the other; the caller has checked that there is one. */
static PyObject *buf_take_from(Buf *buf, PyObject *args)
{
    PyObject *inventory, *mmap;

    if (!PyArg_ParseTuple(args, "O!O!", buf_owner_type, &inventory, buf_owner_type, &mmap))
        return NULL;
    give_back(buf);
    calls_set(&buf->inventory, inventory);
    calls_set(&buf->mmap, mmap);
    SELF(BufOwner, inventory)->bufs++;
    SELF(BufOwner, mmap)->bufs++;
    buf->out = 1;
    buf->refcount = 1;
    Py_RETURN_NONE;
}

static PyObject *buf_give_back(Buf *buf, PyObject *Py_UNUSED(none))
{
    give_back(buf);
    Py_RETURN_NONE;
}

static PyMethodDef buf_methods[] = {
    {"take_from", (PyCFunction)buf_take_from, METH_VARARGS, NULL},
    {"give_back", (PyCFunction)buf_give_back, METH_NOARGS, NULL},
    {0},
};

#define NUMBER(name) {#name, T_ULONGLONG, offsetof(Buf, name), 0, NULL}

static PyMemberDef buf_members[] = {
    {"inventory", T_OBJECT_EX, offsetof(Buf, inventory), READONLY, NULL},
    {"mmap", T_OBJECT_EX, offsetof(Buf, mmap), READONLY, NULL},
    {"next", T_OBJECT, offsetof(Buf, next), 0, NULL},
    {"previous", T_OBJECT, offsetof(Buf, previous), 0, NULL},
    NUMBER(head),
    NUMBER(len),
    NUMBER(data),
    NUMBER(data_len),
    {"refcount", T_UINT, offsetof(Buf, refcount), 0, NULL},
    {"posted", T_BOOL, offsetof(Buf, posted), 0, NULL},
    {"remote", T_BOOL, offsetof(Buf, remote), 0, NULL},
    {0},
};

static PyType_Slot buf_slots[] = {
    {Py_tp_dealloc, buf_dealloc}, {Py_tp_traverse, buf_traverse}, {Py_tp_clear, buf_clear},
    {Py_tp_methods, buf_methods}, {Py_tp_members, buf_members}, {0, NULL},
};

static PyType_Spec buf_spec = {
    NAME "Buf", sizeof(Buf), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, buf_slots,
};

static PyMemberDef buf_owner_members[] = {
    {"bufs", T_ULONGLONG, offsetof(BufOwner, bufs), READONLY, NULL},
    {0},
};

static PyType_Slot buf_owner_slots[] = {{Py_tp_members, buf_owner_members}, {0, NULL}};

static PyType_Spec buf_owner_spec = {
    NAME "BufOwner", sizeof(BufOwner), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, buf_owner_slots,
};

int calls_fast_task_traverse(FastTask *task, visitproc visit, void *arg)
{
    Py_VISIT(task->buf);
    return calls_task_traverse(&task->task, visit, arg);
}

int calls_fast_task_clear(FastTask *task)
{
    Py_CLEAR(task->buf);
    Py_CLEAR(task->imm_data);
    return calls_task_clear(&task->task);
}

static void fast_task_dealloc(PyObject *task)
{
    calls_destroy(task, (inquiry)calls_fast_task_clear);
}

/* Whether the program holds the task, and the state of its context, of that kind, allows to submit it. */
int calls_submittable(FastTask *task, PyTypeObject *kind)
{
    Context *context = SELF(Context, task->task.ctx);

    return calls_owner(&task->task) == calls_program && calls_is(task->task.ctx, kind) && !context->moving
           && calls_allows(context, submit_name);
}

/* Have the noun submit the task: it refuses, or does what takes longer. Progress attends to what that has completed,
 * whatever it raises: an interrupt may come afterwards.
 */
PyObject *calls_submit_checked(FastTask *task)
{
    PyObject *ctx = task->task.ctx, *result;
    Context *context = SELF(Context, ctx);

    Py_XINCREF(ctx);
    result = calls_by_the_noun(&task->task, checked_name);
    if (ctx && !context->attended && calls_any(context->finished)) {
        if (!result)
            calls_attend_anyway(context);
        else if (calls_attend(context))
            Py_CLEAR(result);
    }
    Py_XDECREF(ctx);
    return result;
}

/* Its buffer, or NULL. */
Buf *calls_buf(FastTask *task)
{
    return calls_is(task->buf, calls_buf_type) ? SELF(Buf, task->buf) : NULL;
}

/* Whether a buffer is alive, and in no list. */
int calls_single(Buf *buf)
{
    return buf->refcount && !calls_given(buf->next) && !calls_given(buf->previous);
}

/* give_up(posted): free it though it is submitted; no callback reports it. The completion of one that is among the posted
 * finds out. Whether the library still held it; in one step, because another thread may complete it at any time.
 */
static PyObject *fast_task_give_up(FastTask *task, PyObject *posted)
{
    Context *context = SELF(Context, task->task.ctx);
    int is_posted;

    if (calls_owner(&task->task) != calls_library || (is_posted = PySequence_Contains(posted, (PyObject *)task)) < 0)
        return PyErr_Occurred() ? NULL : PyBool_FromLong(0);
    if (!is_posted) {
        PyObject *removed = PyObject_CallMethodObjArgs(context->finished, remove_name, (PyObject *)task, NULL);
        if (!removed) {
            if (!PyErr_ExceptionMatches(PyExc_ValueError))
                return NULL;
            PyErr_Clear();
            Py_RETURN_FALSE;  /* it is being completed */
        }
        Py_DECREF(removed);
        context->tasks_out--;
    }
    calls_set(&task->task.owner, calls_pool);
    Py_CLEAR(task->task.token);
    Py_RETURN_TRUE;
}

static PyMethodDef fast_task_methods[] = {
    {"give_up", (PyCFunction)fast_task_give_up, METH_O, NULL},
    {0},
};

static PyMemberDef fast_task_members[] = {
    {"buf", T_OBJECT, offsetof(FastTask, buf), 0, NULL},
    OBJECT(FastTask, imm_data),
    {0},
};

static PyType_Slot fast_task_slots[] = {
    {Py_tp_dealloc, fast_task_dealloc}, {Py_tp_traverse, calls_fast_task_traverse},
    {Py_tp_clear, calls_fast_task_clear}, {Py_tp_methods, fast_task_methods}, {Py_tp_members, fast_task_members},
    {0, NULL},
};

static PyType_Spec fast_task_spec = {
    NAME "FastTask", sizeof(FastTask), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, fast_task_slots,
};

static void fast_context_dealloc(PyObject *context)
{
    calls_destroy(context, (inquiry)calls_context_clear);
}

static PyMemberDef fast_context_members[] = {
    {"most", T_ULONGLONG, offsetof(FastContext, most), 0, NULL},
    {0},
};

static PyType_Slot fast_context_slots[] = {
    {Py_tp_dealloc, fast_context_dealloc}, {Py_tp_traverse, calls_context_traverse},
    {Py_tp_clear, calls_context_clear},    {Py_tp_members, fast_context_members},    {0, NULL},
};

static PyType_Spec fast_context_spec = {
    NAME "FastContext", sizeof(FastContext), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, fast_context_slots,
};

int calls_add_fast(PyObject *module)
{
    const Name names[] = {
        {&submit_name, "task_submit"}, {&checked_name, "submit_checked"}, {&remove_name, "remove"}, {0},
    };

    return calls_intern(names) || calls_add_type(module, &buf_owner_spec, NULL, &buf_owner_type)
           || calls_add_type(module, &buf_spec, NULL, &calls_buf_type)
           || calls_add_type(module, &fast_task_spec, calls_task_type, &calls_fast_task_type)
           || calls_add_type(module, &fast_context_spec, calls_context_type, &calls_fast_context_type);
}
