/* The C types that the calls are about, as their files see each other: calls.c has rings, tasks.c what is sent as a
 * task, progress.c the progress engine. */
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
} Link;

typedef struct {
    PyObject_HEAD
    comch_poller c;
    PyObject *links;  /* a tuple, in the order of the rings */
    comch_rx **rings;
    comch_slot *slots;
} Poller;

/* A quick call's own object. */
typedef struct {
    PyObject_HEAD
    PyObject *of;       /* the Link, the Poller or the Context */
    PyObject *slow;     /* the Python call */
    PyObject *shape;    /* the type of a message or task, or NULL for a plain tuple */
    PyObject *news;     /* a tuple of collections: while they are empty, nothing but a message is to be received */
    PyObject *again;    /* the exception for having received nothing, and its arguments; NULL where that is None */
    PyObject *program;  /* the program's object for the Context */
} Quick;

/* What progress and tasks ask of a context: see Context in _context.py. */
typedef struct {
    PyObject_HEAD
    PyObject *engine, *legal, *sending, *finished, *lost, *on_done, *on_message;
    long long num_tasks, tasks_out;
    unsigned long life;  /* raised when the pool takes back what the program holds */
    char attended, moving;
} Context;

/* The state of a progress engine: see Engine in _engine.py. */
typedef struct {
    PyObject_HEAD
    PyObject *poller, *active, *consumers, *pending_calls, *notification, *error;
    PyObject *acquire, *release;  /* the lock's, bound */
    unsigned long thread;
    int batch;
    char guarded;
} Engine;

extern PyTypeObject *calls_link_type, *calls_poller_type, *calls_quick_type, *calls_context_type, *calls_engine_type;

int calls_is(PyObject *object, PyTypeObject *kind);
int calls_given(PyObject *object);
int calls_any(PyObject *collection);
void calls_destroy(PyObject *object, inquiry clear);
PyObject *calls_slow(Quick *quick, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *calls_quick_call(PyMethodDef *def, Quick fields);
int calls_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type);
PyObject *calls_take(Poller *poller);
Link *calls_found_link(Poller *poller);

SendTask *calls_pop_task(Link *link);
void calls_drop_tasks(Link *link);
int calls_visit_tasks(Link *link, visitproc visit, void *arg);
PyObject *calls_take_sent(Link *link, PyObject *none);
PyObject *calls_take_back(Link *link, PyObject *none);
PyObject *calls_arm_tasks(Link *link, PyObject *none);
int calls_complete_sends(Engine *engine, Context *context);
int calls_settled(Context *context);
void calls_keep_error(Engine *engine);

PyObject *calls_make_alloc(PyObject *module, PyObject *args);
int calls_add_tasks(PyObject *module);
int calls_add_progress(PyObject *module);

#endif
