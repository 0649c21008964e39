/* The C types of the fast path: buffers, and the tasks and contexts that post and send them. */
#ifndef COMCH_FAST_H
#define COMCH_FAST_H

#include "objects.h"
#include "posts.h"

/* What has buffers: an inventory, whose elements they are, or a map, in which they lie. */
typedef struct {
    PyObject_HEAD
    unsigned long long bufs;  /* that are out */
} BufOwner;

/* A range of a map, and in it the data segment: see Buf in _buf.py. */
typedef struct {
    PyObject_HEAD
    PyObject *inventory, *mmap, *next, *previous;
    unsigned long long head, len, data, data_len;
    unsigned int refcount;
    char out;  /* it has its element, which it gives back at the latest when it is collected */
    char posted;
    char remote;  /* it lies in another process */
} Buf;

typedef struct {
    Task task;
    PyObject *buf, *imm_data;
} FastTask;

/* A consumer or producer. */
typedef struct {
    Context context;
    unsigned long long most;  /* bytes of the longest buffer */
} FastContext;

extern PyTypeObject *calls_fast_context_type, *calls_fast_task_type, *calls_buf_type;

int calls_fast_task_traverse(FastTask *task, visitproc visit, void *arg);
int calls_fast_task_clear(FastTask *task);
int calls_submittable(FastTask *task, PyTypeObject *kind);
PyObject *calls_submit_checked(FastTask *task);
Buf *calls_buf(FastTask *task);
int calls_single(Buf *buf);

/* consumer.c */
int calls_any_filled(PyObject *consumer);
int calls_receive_posts(Engine *engine, PyObject *consumer);

#endif
