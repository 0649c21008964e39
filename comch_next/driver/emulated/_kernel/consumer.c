/* Consumers: they post buffers, and progress completes those that producers have written to. See _consumer.py. */
#include "fast.h"

/* `posts` is NULL while nothing can be posted. `bounce`: the address where producers write, if not to the memory itself,
 * which is at `addr`, of another process if `remote`. */
typedef struct {
    FastContext fast;
    comch_consumer *posts;
    PyObject *cell;  /* in whose memory they lie */
    PyObject *mmap, *posted;
    unsigned long long addr, bounce;
    char remote;
} Consumer;

/* `offset` and `room` are those of the buffer's free part when it was posted; bytes. */
typedef struct {
    FastTask fast;
    unsigned long long offset, room;
    unsigned int producer;
} PostRecvTask;

PyTypeObject *calls_consumer_type;
static PyTypeObject *task_type;
static PyObject *popleft_name, *appendleft_name, *violation_name, *let_go_name, *hand_over_name, *undelivered_name;

static int consumer_traverse(Consumer *consumer, visitproc visit, void *arg)
{
    Py_VISIT(consumer->cell);
    Py_VISIT(consumer->mmap);
    Py_VISIT(consumer->posted);
    return calls_context_traverse(&consumer->fast.context, visit, arg);
}

static int consumer_clear(Consumer *consumer)
{
    consumer->posts = NULL;
    Py_CLEAR(consumer->cell);
    Py_CLEAR(consumer->mmap);
    Py_CLEAR(consumer->posted);
    return calls_context_clear(&consumer->fast.context);
}

static void consumer_dealloc(PyObject *consumer)
{
    calls_destroy(consumer, (inquiry)consumer_clear);
}

static PyObject *consumer_disinherit(Consumer *consumer, PyObject *Py_UNUSED(none))
{
    consumer_clear(consumer);
    Py_RETURN_NONE;
}

/* hold(cell, address): post to the comch_consumer at that address, in the cell's memory; 0 for none. */
static PyObject *consumer_hold(Consumer *consumer, PyObject *args)
{
    unsigned long long address;
    PyObject *cell;

    if (!PyArg_ParseTuple(args, "OK", &cell, &address))
        return NULL;
    consumer->posts = (comch_consumer *)(uintptr_t)address;
    calls_set(&consumer->cell, cell);
    Py_RETURN_NONE;
}

/* Whether a post has been written to. */
int calls_any_filled(PyObject *consumer)
{
    comch_consumer *posts = SELF(Consumer, consumer)->posts;

    return posts && comch_any_filled(posts);
}

/* Call a method of nothing, or of one object. Whether that failed. */
static int call(PyObject *object, PyObject *method, PyObject *argument)
{
    PyObject *result = PyObject_CallMethodObjArgs(object, method, argument, NULL);

    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* Have what lies at an offset of the bounce copied to the process that has exported the memory. Whether that failed. */
static int hand_over(Engine *engine, Consumer *consumer, unsigned long long offset, uint32_t length)
{
    PyObject *place = Py_BuildValue("KI", offset, (unsigned int)length), *done = NULL;
    int handed;

    if (!place)
        calls_keep_error(engine);
    for (int turn = 0; place && !done && turn < 2; turn++)
        if (!(done = PyObject_CallMethodObjArgs((PyObject *)consumer, hand_over_name, place, NULL)))
            calls_keep_error(engine);  /* an interrupt, perhaps after the copy: once more, which does no harm */
    handed = done == Py_True;
    Py_XDECREF(place);
    Py_XDECREF(done);
    return !handed;
}

/* Append to the buffer of a task what has been written to its post. Whether that failed. */
static int append(Engine *engine, Consumer *consumer, PostRecvTask *task, uint32_t length)
{
    Buf *buf = calls_buf(&task->fast);
    int failed = 0;

    if (!buf)
        return 0;
    if (length && consumer->remote && buf->refcount) {
        if ((failed = hand_over(engine, consumer, task->offset, length)))
            length = 0;
    } else if (length && consumer->bounce && buf->refcount) {
        char *to = (char *)(uintptr_t)(consumer->addr + task->offset);
        const char *from = (const char *)(uintptr_t)(consumer->bounce + task->offset);
        Py_BEGIN_ALLOW_THREADS  /* the engine's lock keeps both where they are */
        memcpy(to, from, length);
        Py_END_ALLOW_THREADS
    }
    buf->data_len += length;
    buf->posted = 0;
    for (int turn = 0; !buf->refcount && turn < 2 && call((PyObject *)buf, let_go_name, NULL); turn++)
        calls_keep_error(engine);  /* an interrupt, perhaps before it has done anything: once more */
    return failed;
}

static void set_status(Task *task, Consumer *consumer, int failed)
{
    PyObject *status = failed ? PyObject_GetAttr((PyObject *)consumer, undelivered_name) : NULL;

    calls_set(&task->status, status ? status : calls_success);
    Py_XDECREF(status);
}

/* Complete the task of a post that has been written to, unless the program has given it up. */
static void complete(Engine *engine, Consumer *consumer, PostRecvTask *task, PyObject *imm, unsigned int producer,
                     int failed)
{
    Context *context = &consumer->fast.context;

    if (calls_owner(&task->fast.task) == calls_pool) {
        context->tasks_out--;
        return;
    }
    task->producer = producer;
    calls_set(&task->fast.imm_data, imm);
    set_status(&task->fast.task, consumer, failed);
    calls_complete(engine, &task->fast.task, failed ? context->on_failed : context->on_done);
}

/* Take in the post that the kernel has just taken. Whether the reading may go on, or -1. */
static int take_in(Engine *engine, Consumer *consumer)
{
    comch_consumer *posts = consumer->posts;
    uint32_t length = posts->length, producer = posts->producer;
    PyObject *imm = PyBytes_FromStringAndSize((const char *)posts->imm, posts->imm_length);
    PyObject *task = imm ? PyObject_CallMethodObjArgs(consumer->posted, popleft_name, NULL) : NULL;
    int result = -1;

    if (task && length > SELF(PostRecvTask, task)->room) {
        if (!call(consumer->posted, appendleft_name, task) && !call((PyObject *)consumer, violation_name, NULL))
            result = 0;
    } else if (task) {
        int failed = append(engine, consumer, SELF(PostRecvTask, task), length);
        complete(engine, consumer, SELF(PostRecvTask, task), imm, producer, failed);
        result = 1;
    }
    Py_XDECREF(imm);
    Py_XDECREF(task);
    return result;
}

/* Complete the posts that have been written to, each once and in order. Whether there were any, or -1. */
int calls_receive_posts(Engine *engine, PyObject *object)
{
    Consumer *consumer = SELF(Consumer, object);

    for (int number = 0; number < engine->batch; number++) {
        int result = COMCH_AGAIN;
        if (consumer->posts && !calls_given(engine->error))  /* else a callback has ended it all, or failed */
            result = comch_take_post(consumer->posts);
        if (result == COMCH_CORRUPT && call(object, violation_name, NULL))
            return -1;
        if (result != COMCH_OK)
            return number > 0;
        if ((result = take_in(engine, consumer)) <= 0)
            return result < 0 ? -1 : 1;
    }
    return 1;
}

static PyObject *consumer_receive(Consumer *consumer, PyObject *Py_UNUSED(none))
{
    PyObject *engine = consumer->fast.context.engine;
    int received;

    if (!calls_is(engine, calls_engine_type))
        Py_RETURN_FALSE;
    Py_INCREF(engine);
    received = calls_receive_posts(SELF(Engine, engine), (PyObject *)consumer);
    Py_DECREF(engine);
    return received < 0 ? NULL : PyBool_FromLong(received);
}

static PyMethodDef consumer_methods[] = {
    {"hold", (PyCFunction)consumer_hold, METH_VARARGS, NULL},
    {"receive", (PyCFunction)consumer_receive, METH_NOARGS, NULL},
    {"disinherit", (PyCFunction)consumer_disinherit, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef consumer_members[] = {
    OBJECT(Consumer, mmap),
    OBJECT(Consumer, posted),
    {"addr", T_ULONGLONG, offsetof(Consumer, addr), 0, NULL},
    {"bounce", T_ULONGLONG, offsetof(Consumer, bounce), 0, NULL},
    {"remote", T_BOOL, offsetof(Consumer, remote), 0, NULL},
    {0},
};

static PyType_Slot consumer_slots[] = {
    {Py_tp_dealloc, consumer_dealloc}, {Py_tp_traverse, consumer_traverse}, {Py_tp_clear, consumer_clear},
    {Py_tp_methods, consumer_methods}, {Py_tp_members, consumer_members},   {0, NULL},
};

static PyType_Spec consumer_spec = {
    NAME "Consumer", sizeof(Consumer), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, consumer_slots,
};

/* PostRecvTask */

static int task_traverse(PostRecvTask *task, visitproc visit, void *arg)
{
    return calls_fast_task_traverse(&task->fast, visit, arg);
}

static int task_clear(PostRecvTask *task)
{
    return calls_fast_task_clear(&task->fast);
}

static void task_dealloc(PyObject *task)
{
    calls_destroy(task, (inquiry)task_clear);
}

/* Whether the buffer, or none, can be posted by this consumer. */
static int postable(Consumer *consumer, Buf *buf)
{
    return !buf || (calls_single(buf) && !buf->posted && buf->mmap == consumer->mmap && buf->len <= consumer->fast.most);
}

static PyObject *task_submit(PostRecvTask *task, PyObject *Py_UNUSED(none))
{
    Consumer *consumer = SELF(Consumer, task->fast.task.ctx);
    Buf *buf = calls_buf(&task->fast);

    if (calls_in_kernel && calls_refuse_kernel("task_submit"))
        return NULL;
    if (!calls_submittable(&task->fast, calls_consumer_type) || !consumer->posts || !postable(consumer, buf))
        return calls_submit_checked(&task->fast);
    task->offset = buf ? buf->data + buf->data_len - consumer->addr : 0;
    task->room = buf ? buf->head + buf->len - (buf->data + buf->data_len) : 0;
    if (calls_queue(consumer->posted, &task->fast.task))
        return NULL;
    comch_post_buffer(consumer->posts, task->offset, (uint32_t)task->room, buf != NULL);
    if (buf)
        buf->posted = 1;
    Py_RETURN_NONE;
}

static PyMethodDef task_methods[] = {
    {"submit", (PyCFunction)task_submit, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef task_members[] = {
    {"offset", T_ULONGLONG, offsetof(PostRecvTask, offset), 0, NULL},
    {"room", T_ULONGLONG, offsetof(PostRecvTask, room), 0, NULL},
    {"producer", T_UINT, offsetof(PostRecvTask, producer), 0, NULL},
    {0},
};

static PyType_Slot task_slots[] = {
    {Py_tp_dealloc, task_dealloc}, {Py_tp_traverse, task_traverse}, {Py_tp_clear, task_clear},
    {Py_tp_methods, task_methods}, {Py_tp_members, task_members},   {0, NULL},
};

static PyType_Spec task_spec = {
    NAME "PostRecvTask", sizeof(PostRecvTask), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, task_slots,
};

int calls_add_consumer(PyObject *module)
{
    const Name names[] = {
        {&popleft_name, "popleft"}, {&appendleft_name, "appendleft"}, {&violation_name, "report_violation"},
        {&let_go_name, "let_go"},   {&hand_over_name, "hand_over"},     {&undelivered_name, "undelivered"},
        {0},
    };

    return calls_intern(names)
           || calls_add_type(module, &consumer_spec, calls_fast_context_type, &calls_consumer_type)
           || calls_add_type(module, &task_spec, calls_fast_task_type, &task_type);
}
