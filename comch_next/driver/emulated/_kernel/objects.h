/* The C types that the calls are about, as their files see each other; calls.c lists the files. */
#ifndef COMCH_OBJECTS_H
#define COMCH_OBJECTS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <structmember.h>

#include "ring.h"

#define SELF(kind, object) ((kind *)(object))
#define NAME "comch_next.driver.emulated._kernel.calls."
#define FAST(name) (PyCFunction)(void (*)(void))name, METH_FASTCALL | METH_KEYWORDS
#define OBJECT(kind, name) {#name, T_OBJECT_EX, offsetof(kind, name), 0, NULL}

typedef struct SendTask SendTask;

/* Link: both ends of a connection. `tx` and `rx` are NULL where there is nothing to send on or to receive from. */
typedef struct {
    PyObject_HEAD
    comch_tx *tx;
    comch_rx *rx;
    PyObject *cell;       /* in whose memory they lie */
    PyObject *user_data;  /* the program's object for it */
    PyObject *poller;     /* who follows it, or NULL */
    PyObject *context;    /* the Context that it is of */
    SendTask **flight;    /* its tasks in flight, a ring of `room` places */
    size_t first, count, room;
    char listed;          /* its context has it among `sending` */
    char wakes;           /* a farewell of its peer wakes the program of a one-sided port */
} Link;

typedef struct {
    PyObject_HEAD
    comch_poller c;
    PyObject *links;  /* a tuple, in the order of the rings */
    comch_rx **rings;
    comch_slot *slots;
} Poller;

/* What progress and tasks ask of a context: see Context in _context.py. */
typedef struct {
    PyObject_HEAD
    PyObject *engine, *legal, *sending, *finished, *lost, *on_done, *on_failed, *on_message;
    long long num_tasks, tasks_out;
    unsigned long life;  /* raised when the pool takes back what the program holds */
    char attended, moving;
} Context;

/* See Task in _task.py. */
typedef struct {
    PyObject_HEAD
    PyObject *ctx, *owner, *status;
    PyObject *token;     /* what its callbacks are called with; NULL: the task itself */
    unsigned long life;  /* its context's, when it was taken */
} Task;

/* A message to send, in flight on its Link once it is submitted: see SendTask in _send_task.py. */
struct SendTask {
    Task task;
    PyObject *connection, *message;
    PyObject *context, *user_data;  /* the program's own, where the program has the task itself */
    unsigned long long number;      /* its message's place in the connection's order of sends, once submitted */
};

/* Whether this thread runs kernels of a DPA, which make device calls only. */
extern _Thread_local char calls_in_kernel;
int calls_refuse_kernel(const char *call);

/* The state of a progress engine: see Engine in _engine.py. */
typedef struct {
    PyObject_HEAD
    PyObject *poller, *active, *consumers, *pending_calls, *notification, *error;
    PyObject *acquire, *release;  /* the lock's, bound */
    unsigned long thread;
    int batch;
    char guarded, yields;
} Engine;

/* See channel.c. */
typedef struct Watched Watched;
typedef struct {
    PyObject_HEAD
    int set, latch;
    char armed, watching;
    Watched *watched;
    size_t count, bells, rung, waiting;  /* of these are bells; were rung since the last arming; are not emptied yet */
} Channel;

typedef struct {
    PyObject **place;
    const char *text;
} Name;

extern PyTypeObject *calls_link_type, *calls_poller_type, *calls_quick_type, *calls_context_type, *calls_engine_type;
extern PyTypeObject *calls_task_type, *calls_channel_type;
extern PyObject *calls_program, *calls_library, *calls_pool, *calls_success;  /* owners of a task, and a status */

/* calls.c */
int calls_is(PyObject *object, PyTypeObject *kind);
int calls_given(PyObject *object);
int calls_any(PyObject *collection);
void calls_set(PyObject **place, PyObject *value);
void calls_destroy(PyObject *object, inquiry clear);
int calls_intern(const Name *names);
int calls_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base, PyTypeObject **type);

/* What each file has to add to the module. Whether that failed. */
int calls_add_link(PyObject *module);
int calls_add_poller(PyObject *module);
int calls_add_channel(PyObject *module);
int calls_add_mapping(PyObject *module);
int calls_add_quick(PyObject *module);
int calls_add_quick_send(PyObject *module);
int calls_add_quick_receive(PyObject *module);
int calls_add_quick_wait(PyObject *module);
int calls_add_direct(PyObject *module);
int calls_add_context(PyObject *module);
int calls_add_task(PyObject *module);
int calls_add_send_task(PyObject *module);
int calls_add_fast(PyObject *module);
int calls_add_consumer(PyObject *module);
int calls_add_producer(PyObject *module);
int calls_add_completion(PyObject *module);
int calls_add_progress(PyObject *module);

/* link.c */
uint64_t calls_arrived(Link *link);
int calls_make_room(Link *link);
void calls_push_task(Link *link, SendTask *task);
SendTask *calls_pop_task(Link *link);

/* poller.c */
PyObject *calls_take(Poller *poller);
PyObject *calls_room(Poller *poller);
int calls_take_into(Poller *poller, uint32_t turn, PyObject *room);
Link *calls_found_link(Poller *poller);

/* channel.c */
int calls_forget(Channel *channel, int armed);
int calls_arm_again(Channel *channel);
int calls_ring(Channel *channel);

/* quick_send.c, quick_receive.c, quick_wait.c */
PyObject *calls_make_port_send(PyObject *module, PyObject *args);
PyObject *calls_make_link_send(PyObject *module, PyObject *args);
PyObject *calls_make_receive(PyObject *module, PyObject *args);
PyObject *calls_make_port_arm(PyObject *module, PyObject *args);
PyObject *calls_make_request(PyObject *module, PyObject *args);
PyObject *calls_make_clear(PyObject *module, PyObject *args);

/* context.c */
int calls_context_traverse(Context *context, visitproc visit, void *arg);
int calls_context_clear(Context *context);
int calls_settle(Context *context);
int calls_allows(Context *context, PyObject *call);
int calls_enlist(Context *context);
void calls_attend_anyway(Context *context);
int calls_attend(Context *context);

/* task.c */
int calls_task_traverse(Task *task, visitproc visit, void *arg);
int calls_task_clear(Task *task);
PyObject *calls_owner(Task *task);
void calls_release(Task *task);
int calls_queue(PyObject *queue, Task *task);
int calls_has_place(Context *context);
void calls_fill(Task *task, PyObject *ctx);
PyObject *calls_by_the_noun(Task *task, PyObject *call);
PyObject *calls_token(Task *task);

/* send_task.c */
PyObject *calls_make_alloc(PyObject *module, PyObject *args);

/* completion.c */
void calls_complete(Engine *engine, Task *task, PyObject *callback);
int calls_complete_sends(Engine *engine, Context *context);
int calls_complete_finished(Engine *engine, Context *context);

/* turns.c */
int calls_looked(int found);
PyObject *calls_looked_in_python(PyObject *module, PyObject *found);
void calls_let_others_run(void);
PyObject *calls_let_others_run_in_python(PyObject *module, PyObject *none);
PyObject *calls_viewing(PyObject *module, PyObject *callback);

/* progress.c */
void calls_keep_error(Engine *engine);

#endif
