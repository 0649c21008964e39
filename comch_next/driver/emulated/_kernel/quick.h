/* Quick calls, as the files that make them see each other. */
#ifndef COMCH_QUICK_H
#define COMCH_QUICK_H

#include "objects.h"

/* Words for arguments and results; 0 ends them. */
enum { CONNECTION = 'c', DATA = 'd', LENGTH = 'l', FLAGS = 'f', SIZE = 's', CODE = 'r', WORDS = 4 };

/* A quick call's own object. */
typedef struct {
    PyObject_HEAD
    PyMethodDef def;    /* what the call is, under the name of the Python one */
    PyObject *name;     /* that name, which def points into */
    PyObject *of;       /* the Link, the Poller or the Context */
    PyObject *slow;     /* the Python call */
    PyObject *kind;     /* the type of a message or task, or NULL for a plain tuple */
    PyObject *news;     /* a tuple of collections: while they are empty, nothing but a message is to be received */
    PyObject *nothing;  /* what a send returns, and having received nothing; NULL for None */
    PyObject *again;    /* the exception for having received nothing, and its arguments; or NULL */
    PyObject *through;  /* the attribute that leads from the program's object for a peer to its connection; or NULL */
    PyObject *peers;    /* the program's objects for peers, by their connections; or NULL */
    PyObject *channels; /* those of a port, by their names */
    PyObject *program;  /* the program's object for the Context */
    char takes[WORDS + 1], gives[WORDS + 1];
    int least;          /* arguments that must be given */
    int timed;          /* having received nothing is the answer to a time-out of 0 only, given by its name */
    int flights;        /* what is in flight decides which events of a socket are news */
} Quick;

PyObject *calls_slow(Quick *quick, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *calls_quick_call(PyMethodDef *def, Quick given);
int calls_read_shape(PyObject *shape, Quick *given);
int calls_is_zero(PyObject *number);
int calls_is_timeout(PyObject *timeout);
int calls_quiet(Quick *quick);
Quick *calls_quick_of(PyObject *call, PyCFunction function);

/* quick_send.c, quick_receive.c: see direct.h */
int calls_send_direct(PyObject *call, PyObject *peer, const char *data, size_t length);
int64_t calls_receive_direct(PyObject *call, char *into, size_t room, PyObject **peer);

#endif
