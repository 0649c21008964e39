/* A mapping of shared memory, whose descriptor may be closed. It has no finalizer, which the collector would run before
 * those of the objects that still say goodbye through it: it goes when nobody can reach it any more, views of its bytes
 * included, or by release().
 */
#include <sys/mman.h>

#include "objects.h"

/* PEP 3118, whose structure has never changed; the headers of the stable ABI have it since 3.11. */
#ifndef Py_bf_getbuffer
#define Py_bf_getbuffer 1
#endif
typedef struct {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} Buffer;

int PyBuffer_FillInfo(Buffer *view, PyObject *object, void *buf, Py_ssize_t len, int readonly, int flags);

static PyTypeObject *memory_type;

typedef struct {
    PyObject_HEAD
    void *base;
    size_t size;
} Memory;

static PyObject *memory_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(names))
{
    unsigned long long size;
    Memory *memory;
    int fd;

    if (!PyArg_ParseTuple(args, "iK", &fd, &size))
        return NULL;
    if (!(memory = SELF(Memory, PyType_GenericAlloc(type, 0))))
        return NULL;
    memory->size = (size_t)size;
    if ((memory->base = mmap(NULL, memory->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) != MAP_FAILED)
        return (PyObject *)memory;
    memory->base = NULL;
    PyErr_SetFromErrno(PyExc_OSError);
    Py_DECREF(memory);
    return NULL;
}

static int memory_getbuffer(Memory *memory, Buffer *view, int flags)
{
    if (memory->base)
        return PyBuffer_FillInfo(view, (PyObject *)memory, memory->base, (Py_ssize_t)memory->size, 0, flags);
    view->obj = NULL;
    PyErr_SetString(PyExc_BufferError, "the memory has been unmapped");
    return -1;
}

static PyObject *memory_release(Memory *memory, PyObject *Py_UNUSED(none))
{
    if (memory->base)
        munmap(memory->base, memory->size);
    memory->base = NULL;
    Py_RETURN_NONE;
}

static void memory_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Memory *memory = SELF(Memory, object);

    if (memory->base)
        munmap(memory->base, memory->size);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *memory_address(Memory *memory, void *Py_UNUSED(closure))
{
    return PyLong_FromVoidPtr(memory->base);
}

static PyMethodDef memory_methods[] = {
    {"release", (PyCFunction)memory_release, METH_NOARGS, NULL},
    {0},
};

static PyGetSetDef memory_getset[] = {
    {"address", (getter)memory_address, NULL, NULL, NULL},
    {0},
};

static PyType_Slot memory_slots[] = {
    {Py_tp_new, memory_new},         {Py_tp_dealloc, memory_dealloc}, {Py_tp_methods, memory_methods},
    {Py_tp_getset, memory_getset},   {Py_bf_getbuffer, memory_getbuffer}, {0, NULL},
};

static PyType_Spec memory_spec = {
    NAME "Memory", sizeof(Memory), 0, Py_TPFLAGS_DEFAULT, memory_slots,
};

int calls_add_mapping(PyObject *module)
{
    return calls_add_type(module, &memory_spec, NULL, &memory_type);
}
