/* The hot calls: the module, and what its files share. Written for the stable ABI of Python 3.10.
 *
 * link.c, poller.c       the rings as Python objects, whose calls hold the interpreter's lock from the first look at a
 *                        ring to the last, so threads never meet in one
 * channel.c              what is slept on
 * mapping.c              the memory that they lie in
 * quick.c, quick_send.c, quick_receive.c, quick_wait.c    calls that stand in front of Python ones
 * direct.c               the same for callers in C
 * context.c, send_task.c what is sent as a task
 * fast.c, consumer.c, producer.c     what is sent by the fast path
 * progress.c, completion.c           the progress engine
 * turns.c                threads that poll
 */
#include "objects.h"

/* Whether the object is of the kind. */
int calls_is(PyObject *object, PyTypeObject *kind)
{
    return object && (Py_TYPE(object) == kind || PyType_IsSubtype(Py_TYPE(object), kind));
}

int calls_given(PyObject *object)
{
    return object && object != Py_None;
}

/* Whether the collection has anything in it. */
int calls_any(PyObject *collection)
{
    Py_ssize_t size = collection ? PyObject_Size(collection) : 0;

    if (size < 0)
        PyErr_Clear();
    return size != 0;
}

void calls_destroy(PyObject *object, inquiry clear)
{
    PyTypeObject *type = Py_TYPE(object);

    PyObject_GC_UnTrack(object);
    clear(object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

_Thread_local char calls_in_kernel;

/* enter_kernel(): from now on this thread runs kernels. */
static PyObject *enter_kernel(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    calls_in_kernel = 1;
    Py_RETURN_NONE;
}

/* leave_kernel(): it runs none any more. */
static PyObject *leave_kernel(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    calls_in_kernel = 0;
    Py_RETURN_NONE;
}

/* Whether a call is refused because a kernel makes it; then BadState is raised. */
int calls_refuse_kernel(const char *call)
{
    PyObject *protocol = calls_in_kernel ? PyImport_ImportModule("comch_next.driver.protocol") : NULL;

    if (protocol) {
        Py_XDECREF(PyObject_CallMethod(protocol, "refuse_kernel", "s", call));
        Py_DECREF(protocol);
    }
    return calls_in_kernel;
}

static PyMethodDef functions[] = {
    {"enter_kernel", enter_kernel, METH_NOARGS, NULL},
    {"leave_kernel", leave_kernel, METH_NOARGS, NULL},
    {"looked", calls_looked_in_python, METH_O, NULL},
    {"let_others_run", calls_let_others_run_in_python, METH_NOARGS, NULL},
    {"viewing", calls_viewing, METH_O, NULL},
    {"port_send", calls_make_port_send, METH_VARARGS, NULL},
    {"link_send", calls_make_link_send, METH_VARARGS, NULL},
    {"receive", calls_make_receive, METH_VARARGS, NULL},
    {"port_arm", calls_make_port_arm, METH_VARARGS, NULL},
    {"request", calls_make_request, METH_VARARGS, NULL},
    {"clear", calls_make_clear, METH_VARARGS, NULL},
    {"task_alloc", calls_make_alloc, METH_VARARGS, NULL},
    {0},
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "calls", NULL, -1, functions, NULL, NULL, NULL, NULL};

/* Set a reference that may hold another one. */
void calls_set(PyObject **place, PyObject *value)
{
    PyObject *before = *place;

    Py_XINCREF(value);
    *place = value;
    Py_XDECREF(before);
}

/* Intern names, of which the last is empty. Whether that failed. */
int calls_intern(const Name *names)
{
    for (; names->place; names++)
        if (!(*names->place = PyUnicode_InternFromString(names->text)))
            return -1;
    return 0;
}

/* Make the type and name it in the module. Whether that failed. */
int calls_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base, PyTypeObject **type)
{
    PyObject *bases = base ? PyTuple_Pack(1, base) : NULL;

    if (base && !bases)
        return -1;
    *type = (PyTypeObject *)PyType_FromSpecWithBases(spec, bases);
    Py_XDECREF(bases);
    return !*type || PyModule_AddType(module, *type);
}

PyMODINIT_FUNC PyInit_calls(void)
{
    int (*const parts[])(PyObject *) = {
        calls_add_link,    calls_add_poller, calls_add_channel,   calls_add_mapping, calls_add_quick,
        calls_add_quick_send, calls_add_quick_receive, calls_add_quick_wait, calls_add_direct,
        calls_add_context, calls_add_task,   calls_add_send_task, calls_add_fast,
        calls_add_consumer, calls_add_producer, calls_add_completion, calls_add_progress,
    };
    PyObject *module = PyModule_Create(&definition);

    for (size_t i = 0; module && i < sizeof parts / sizeof *parts; i++)
        if (parts[i](module))
            Py_CLEAR(module);
    return module;
}
