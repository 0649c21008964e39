/* Producers: a send task writes to the next buffer that a consumer has posted, and is complete at once. See _producer.py
 * and Target in _fabric/offers.py.
 */
#include "fast.h"

/* A consumer of the other side. `busy`: a thread is writing to it without the interpreter's lock. */
typedef struct {
    PyObject_HEAD
    PyObject *cell;  /* in whose memory it and its posts lie */
    comch_target *c;
    char busy;
} Target;

typedef struct {
    FastContext fast;
    PyObject *targets;  /* consumers of the other side, by their numbers */
    unsigned int id;
} Producer;

typedef struct {
    FastTask fast;
    PyObject *consumer_id;
} ProducerSendTask;

static PyTypeObject *target_type, *producer_type, *producer_task_type;

enum { SHORT = 64 * 1024 };  /* bytes that are copied sooner than another thread gets the interpreter's lock */

static int target_traverse(Target *target, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(target));
    Py_VISIT(target->cell);
    return 0;
}

static int target_clear(Target *target)
{
    target->c = NULL;
    Py_CLEAR(target->cell);
    return 0;
}

static void target_dealloc(PyObject *target)
{
    calls_destroy(target, (inquiry)target_clear);
}

/* hold(cell, address): write to the posts of the comch_target at that address, in the cell's memory. */
static PyObject *target_hold(Target *target, PyObject *args)
{
    unsigned long long address;
    PyObject *cell;

    if (!PyArg_ParseTuple(args, "OK", &cell, &address))
        return NULL;
    calls_set(&target->cell, cell);
    target->c = (comch_target *)(uintptr_t)address;
    Py_RETURN_NONE;
}

static PyMethodDef target_methods[] = {
    {"hold", (PyCFunction)target_hold, METH_VARARGS, NULL},
    {0},
};

static PyType_Slot target_slots[] = {
    {Py_tp_dealloc, target_dealloc}, {Py_tp_traverse, target_traverse}, {Py_tp_clear, target_clear},
    {Py_tp_methods, target_methods}, {0, NULL},
};

static PyType_Spec target_spec = {
    NAME "Target", sizeof(Target), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, target_slots,
};

/* Producer */

static int producer_traverse(Producer *producer, visitproc visit, void *arg)
{
    Py_VISIT(producer->targets);
    return calls_context_traverse(&producer->fast.context, visit, arg);
}

static int producer_clear(Producer *producer)
{
    Py_CLEAR(producer->targets);
    return calls_context_clear(&producer->fast.context);
}

static void producer_dealloc(PyObject *producer)
{
    calls_destroy(producer, (inquiry)producer_clear);
}

static PyObject *producer_disinherit(Producer *producer, PyObject *Py_UNUSED(none))
{
    producer_clear(producer);
    Py_RETURN_NONE;
}

static PyMethodDef producer_methods[] = {
    {"disinherit", (PyCFunction)producer_disinherit, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef producer_members[] = {
    OBJECT(Producer, targets),
    {"id", T_UINT, offsetof(Producer, id), 0, NULL},
    {0},
};

static PyType_Slot producer_slots[] = {
    {Py_tp_dealloc, producer_dealloc}, {Py_tp_traverse, producer_traverse}, {Py_tp_clear, producer_clear},
    {Py_tp_methods, producer_methods}, {Py_tp_members, producer_members},   {0, NULL},
};

static PyType_Spec producer_spec = {
    NAME "Producer", sizeof(Producer), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, producer_slots,
};

/* ProducerSendTask */

static int task_traverse(ProducerSendTask *task, visitproc visit, void *arg)
{
    return calls_fast_task_traverse(&task->fast, visit, arg);
}

static int task_clear(ProducerSendTask *task)
{
    Py_CLEAR(task->consumer_id);
    return calls_fast_task_clear(&task->fast);
}

static void task_dealloc(PyObject *task)
{
    calls_destroy(task, (inquiry)task_clear);
}

/* Write what the task sends to its consumer's next post; 0 when the noun has to decide. */
static int filled(ProducerSendTask *task)
{
    Producer *producer = SELF(Producer, task->fast.task.ctx);
    Buf *buf = calls_buf(&task->fast);
    PyObject *imm = task->fast.imm_data, *target;
    unsigned long long length = buf ? buf->data_len : 0;

    if (!imm || !PyBytes_Check(imm) || (buf ? !calls_single(buf) || length > producer->fast.most : !PyBytes_Size(imm)))
        return 0;
    if (!task->consumer_id || !producer->targets
        || !calls_is(target = PyDict_GetItemWithError(producer->targets, task->consumer_id), target_type)
        || SELF(Target, target)->busy || !SELF(Target, target)->c || length > SHORT || (buf && buf->remote))
        return 0;
    return comch_fill(SELF(Target, target)->c, buf ? (const char *)(uintptr_t)buf->data : NULL, length,
                      PyBytes_AsString(imm), (uint32_t)PyBytes_Size(imm), producer->id) == COMCH_OK;
}

/* Write to the target's next post while other threads run. */
static int write_unlocked(Target *target, const char *data, unsigned long long length, PyObject *imm,
                          unsigned int producer)
{
    const char *imm_data = PyBytes_AsString(imm);
    uint32_t imm_length = (uint32_t)PyBytes_Size(imm);
    int result;

    target->busy = 1;
    Py_BEGIN_ALLOW_THREADS
    result = comch_fill(target->c, data, length, imm_data, imm_length, producer);
    Py_END_ALLOW_THREADS
    target->busy = 0;
    return result;
}

static PyObject *task_submit(ProducerSendTask *task, PyObject *Py_UNUSED(none))
{
    Context *context = SELF(Context, task->fast.task.ctx);

    if (calls_in_kernel && calls_refuse_kernel("task_submit"))
        return NULL;
    if (!calls_submittable(&task->fast, producer_type) || !context->finished || !filled(task)) {
        PyErr_Clear();
        return calls_submit_checked(&task->fast);
    }
    calls_set(&task->fast.task.status, calls_success);
    if (calls_queue(context->finished, &task->fast.task) || calls_attend(context))
        return NULL;
    Py_RETURN_NONE;
}

/* write_to(target, base, data, length): write to the target's next post without the interpreter's lock, so callers take
 * turns. What comch_fill says; then the task has completed, unless it says no. An engine that sleeps is to be woken after
 * their turn: that takes its lock. `base` keeps what is sent: `length` bytes at `data`, whatever another thread makes of
 * the buffer meanwhile.
 */
static PyObject *task_write_to(ProducerSendTask *task, PyObject *args)
{
    Context *context = SELF(Context, task->fast.task.ctx);
    PyObject *to, *base, *imm = task->fast.imm_data;
    unsigned long long data, length;
    int result;

    if (!PyArg_ParseTuple(args, "O!OKK", target_type, &to, &base, &data, &length))
        return NULL;
    if (calls_owner(&task->fast.task) != calls_program || !context->finished || !imm || !PyBytes_Check(imm)
        || !SELF(Target, to)->c)
        return PyLong_FromLong(COMCH_CLOSED);
    Py_INCREF(imm);
    calls_set(&task->fast.task.owner, calls_library);  /* meanwhile, too */
    result = write_unlocked(SELF(Target, to), (const char *)(uintptr_t)data, length, imm,
                            SELF(Producer, context)->id);
    Py_DECREF(imm);
    calls_set(&task->fast.task.status, calls_success);
    if (result != COMCH_OK)
        calls_set(&task->fast.task.owner, calls_program);
    else if (calls_queue(context->finished, &task->fast.task) || calls_enlist(context))
        return NULL;
    return PyLong_FromLong(result);
}

static PyMethodDef task_methods[] = {
    {"write_to", (PyCFunction)task_write_to, METH_VARARGS, NULL},
    {"submit", (PyCFunction)task_submit, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef task_members[] = {
    OBJECT(ProducerSendTask, consumer_id),
    {0},
};

static PyType_Slot task_slots[] = {
    {Py_tp_dealloc, task_dealloc}, {Py_tp_traverse, task_traverse}, {Py_tp_clear, task_clear},
    {Py_tp_methods, task_methods}, {Py_tp_members, task_members},   {0, NULL},
};

static PyType_Spec task_spec = {
    NAME "ProducerSendTask", sizeof(ProducerSendTask), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, task_slots,
};

int calls_add_producer(PyObject *module)
{
    return calls_add_type(module, &target_spec, NULL, &target_type)
           || calls_add_type(module, &producer_spec, calls_fast_context_type, &producer_type)
           || calls_add_type(module, &task_spec, calls_fast_task_type, &producer_task_type);
}
