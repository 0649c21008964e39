/* What programs of the control path do for every message, as its files see each other; calls.c lists them. */
#ifndef COMCH_NATIVE_OBJECTS_H
#define COMCH_NATIVE_OBJECTS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <structmember.h>

/* A task: `address` and `base` are numbers, what the program's callbacks get is `token`, NULL for the task itself. */
typedef struct {
    PyObject_HEAD
    PyObject *ctx, *owner, *status, *address, *base, *token;
    PyObject *data;                 /* a message that the library may read */
    PyObject *peer;                 /* the connection of a send task */
    PyObject *context, *user_data;  /* the program's own, where the program has the task itself */
} Task;

/* Names of attributes and methods. */
#define CALLS_NAMES(NAME) \
    NAME(_handle) NAME(acquire) NAME(address) NAME(append) NAME(connections) NAME(context) \
    NAME(dropped) NAME(free_checked) NAME(free_dropped) NAME(functions) NAME(handle) NAME(life) NAME(lock) \
    NAME(on_done) NAME(on_failed) NAME(on_message) NAME(pointer) NAME(release) NAME(submit_by) \
    NAME(submitted) NAME(tasks) NAME(user_data) NAME(view) \
    NAME(error) NAME(finish) NAME(max_events) NAME(notification) NAME(orphans) NAME(refuse_to_wait) \
    NAME(report_error) NAME(running)

#define CALLS_MEMBER(text) *text,
extern struct calls_names {
    PyObject CALLS_NAMES(CALLS_MEMBER) *last;
} calls_name;

extern PyTypeObject *calls_task_type;
extern PyObject *calls_held, *calls_submitted, *calls_freed, *calls_success;  /* owners of a task, and a status */

/* calls.c */
void calls_set(PyObject **place, PyObject *value);
void *calls_item(PyObject *bound, Py_ssize_t place);
int calls_is(PyObject *object, PyObject *attribute, PyObject *value);
PyObject *calls_taken(PyObject *life);
PyObject *calls_released(PyObject *lock, PyObject *result);

/* task.c */
int calls_add_task(PyObject *module);
PyObject *calls_token(Task *task);

/* send_task.c, callbacks.c, progress.c */
PyObject *calls_make_alloc(PyObject *module, PyObject *bound);
PyObject *calls_make_completed(PyObject *module, PyObject *bound);
PyObject *calls_make_received(PyObject *module, PyObject *bound);
PyObject *calls_make_progress(PyObject *module, PyObject *bound);

#endif
