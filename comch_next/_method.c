/* Methods without a frame. Each stands for a Python function, and has a place of its own in the objects that it is
 * called on, Owners. Called with as many arguments as the function takes, none by name, it makes the call in C that the
 * first one has there. Without one, or when that leaves it to the function by returning NotImplemented, it calls the
 * function. To programs it is the function: it binds as one does, and has its name, signature and documentation. Written
 * for the stable ABI of Python 3.10.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <structmember.h>

/* PEP 590, which all versions have had since 3.8, and the headers of the stable ABI name since 3.12. */
typedef PyObject *(*Vectorcall)(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
typedef PyObject *(*Fast)(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names);
#define HAS_VECTORCALL (1UL << 11)
#define BEHAVES_AS_METHOD (1UL << 17)
#define OFFSET_BIT ((size_t)1 << (8 * sizeof(size_t) - 1))

enum { PLACES = 4 };

typedef struct {
    PyObject_HEAD
    PyObject *calls[PLACES];
} Owner;

typedef struct {
    PyObject_HEAD
    Vectorcall call;
    PyObject *function, *dict, *weak;
    int place;
    Py_ssize_t least, most;  /* arguments that the function takes */
} Method;

static PyTypeObject *owner_type;

static int owner_traverse(Owner *owner, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(owner));
    for (int place = 0; place < PLACES; place++)
        Py_VISIT(owner->calls[place]);
    return 0;
}

static int owner_clear(Owner *owner)
{
    for (int place = 0; place < PLACES; place++)
        Py_CLEAR(owner->calls[place]);
    return 0;
}

static void owner_dealloc(PyObject *owner)
{
    PyTypeObject *type = Py_TYPE(owner);

    PyObject_GC_UnTrack(owner);
    owner_clear((Owner *)owner);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(owner);
    Py_DECREF(type);
}

/* _comch_put(place, call): have the method of this place call it, a call in C with FASTCALL | KEYWORDS; None for none. */
static PyObject *owner_put(Owner *owner, PyObject *args)
{
    PyObject *call, *before;
    unsigned char place;
    int fits;

    if (!PyArg_ParseTuple(args, "bO", &place, &call))
        return NULL;
    fits = call == Py_None || (Py_TYPE(call) == &PyCFunction_Type
                               && PyCFunction_GetFlags(call) == (METH_FASTCALL | METH_KEYWORDS));
    if (place >= PLACES || !fits) {
        PyErr_SetString(PyExc_ValueError, "no such place, or no such call");
        return NULL;
    }
    before = owner->calls[place];
    if (call == Py_None)
        call = NULL;
    Py_XINCREF(call);
    owner->calls[place] = call;
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

static PyMethodDef owner_methods[] = {
    {"_comch_put", (PyCFunction)owner_put, METH_VARARGS, NULL},
    {0},
};

static PyType_Slot owner_slots[] = {
    {Py_tp_dealloc, owner_dealloc}, {Py_tp_traverse, owner_traverse}, {Py_tp_clear, owner_clear},
    {Py_tp_methods, owner_methods}, {0, NULL},
};

static PyType_Spec owner_spec = {
    "comch_next._method.Owner", sizeof(Owner), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, owner_slots,
};

static int method_traverse(Method *method, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(method));
    Py_VISIT(method->function);
    Py_VISIT(method->dict);
    return 0;
}

static int method_clear(Method *method)
{
    Py_CLEAR(method->function);
    Py_CLEAR(method->dict);
    return 0;
}

static void method_dealloc(PyObject *method)
{
    PyTypeObject *type = Py_TYPE(method);

    PyObject_GC_UnTrack(method);
    if (((Method *)method)->weak)
        PyObject_ClearWeakRefs(method);
    method_clear((Method *)method);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(method);
    Py_DECREF(type);
}

/* Call the Python function. */
static PyObject *call_function(Method *method, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    PyObject *positional = PyTuple_New(count), *keywords = named ? PyDict_New() : NULL, *result = NULL;
    int failed = !positional || (named && !keywords);

    for (Py_ssize_t i = 0; !failed && i < count; i++) {
        Py_INCREF(args[i]);
        failed = PyTuple_SetItem(positional, i, args[i]);
    }
    for (Py_ssize_t i = 0; !failed && i < named; i++)
        failed = PyDict_SetItem(keywords, PyTuple_GetItem(names, i), args[count + i]);
    if (!failed)
        result = PyObject_Call(method->function, positional, keywords);
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    return result;
}

static PyObject *method_vectorcall(PyObject *callable, PyObject *const *args, size_t count_bits, PyObject *names)
{
    Method *method = (Method *)callable;
    Py_ssize_t count = (Py_ssize_t)(count_bits & ~OFFSET_BIT);
    int fits = !names && count && count >= method->least && count <= method->most
               && PyType_IsSubtype(Py_TYPE(args[0]), owner_type);
    PyObject *direct = fits ? ((Owner *)args[0])->calls[method->place] : NULL, *result;

    if (!direct)
        return call_function(method, args, count, names);
    Py_INCREF(direct);  /* another thread may put another one there */
    result = ((Fast)(void (*)(void))PyCFunction_GetFunction(direct))(PyCFunction_GetSelf(direct), args + 1, count - 1,
                                                                     NULL);
    Py_DECREF(direct);
    if (result != Py_NotImplemented)
        return result;
    Py_DECREF(result);
    return call_function(method, args, count, names);
}

static PyObject *method_call(PyObject *method, PyObject *args, PyObject *keywords)
{
    return PyObject_Call(((Method *)method)->function, args, keywords);
}

/* Bind as a function does. */
static PyObject *method_get(PyObject *method, PyObject *instance, PyObject *Py_UNUSED(owner))
{
    static PyObject *bind;

    if (!instance || instance == Py_None) {
        Py_INCREF(method);
        return method;
    }
    if (!bind) {
        PyObject *types = PyImport_ImportModule("types");
        bind = types ? PyObject_GetAttrString(types, "MethodType") : NULL;
        Py_XDECREF(types);
    }
    return bind ? PyObject_CallFunctionObjArgs(bind, method, instance, NULL) : NULL;
}

static PyObject *method_repr(PyObject *method)
{
    return PyObject_Repr(((Method *)method)->function);
}

/* What it has not of its own is the function's. */
static PyObject *method_getattr(PyObject *method, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr(method, name);

    if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return value;
    PyErr_Clear();
    return PyObject_GetAttr(((Method *)method)->function, name);
}

/* To isinstance it is a function: what builds on those, such as mocks, asks for their class. */
static PyObject *method_class(PyObject *method, void *Py_UNUSED(closure))
{
    PyObject *type = (PyObject *)Py_TYPE(((Method *)method)->function);

    Py_INCREF(type);
    return type;
}

/* Be found by its name, as functions are, when it is copied or pickled. */
static PyObject *method_reduce(PyObject *method, PyObject *Py_UNUSED(none))
{
    return PyObject_GetAttrString(((Method *)method)->function, "__qualname__");
}

static PyObject *method_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *function;
    unsigned char place;
    Py_ssize_t least, most;
    Method *method;

    if (keywords || !PyArg_ParseTuple(args, "Obnn", &function, &place, &least, &most))
        return NULL;
    if (place >= PLACES) {
        PyErr_SetString(PyExc_ValueError, "there is no such place");
        return NULL;
    }
    if (!(method = (Method *)PyType_GenericAlloc(type, 0)))
        return NULL;
    Py_INCREF(function);
    method->call = method_vectorcall;
    method->function = function;
    method->place = place;
    method->least = least;
    method->most = most;
    return (PyObject *)method;
}

static PyMethodDef method_methods[] = {
    {"__reduce__", method_reduce, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef method_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Method, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Method, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Method, weak), READONLY, NULL},
    {0},
};

static PyGetSetDef method_getset[] = {
    {"__class__", method_class, NULL, NULL, NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {0},
};

static PyType_Slot method_slots[] = {
    {Py_tp_new, method_new}, {Py_tp_dealloc, method_dealloc}, {Py_tp_traverse, method_traverse},
    {Py_tp_clear, method_clear}, {Py_tp_call, method_call}, {Py_tp_descr_get, method_get},
    {Py_tp_members, method_members}, {Py_tp_getset, method_getset}, {Py_tp_repr, method_repr},
    {Py_tp_getattro, method_getattr},
    {Py_tp_methods, method_methods}, {0, NULL},
};

static PyType_Spec method_spec = {
    "comch_next._method.Method", sizeof(Method), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | HAS_VECTORCALL | BEHAVES_AS_METHOD, method_slots,
};

static PyObject *not_at_once(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(keywords))
{
    Py_INCREF(Py_NotImplemented);
    return Py_NotImplemented;
}

static PyMethodDef functions[] = {
    {"not_at_once", (PyCFunction)(void (*)(void))not_at_once, METH_VARARGS | METH_KEYWORDS, NULL},
    {0},
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_method", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__method(void)
{
    PyObject *module = PyModule_Create(&definition), *type = module ? PyType_FromSpec(&method_spec) : NULL;

    owner_type = type ? (PyTypeObject *)PyType_FromSpec(&owner_spec) : NULL;
    if (!owner_type || PyModule_AddType(module, (PyTypeObject *)type) || PyModule_AddType(module, owner_type))
        Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
