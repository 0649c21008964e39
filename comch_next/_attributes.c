/* Objects whose class explains an attribute that they lack. What a property raises by itself stays as it is: with a
 * `__getattr__`, an AttributeError would be lost, and the property asked again. Written for the stable ABI of Python 3.10.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

static PyObject *explain_name;

/* The class's `_explain` returns the error to be raised, or None where the one that there is says why. */
static PyObject *explained_getattr(PyObject *object, PyObject *name)
{
    PyObject *type, *error, *trace, *explained, *value = PyObject_GenericGetAttr(object, name);

    if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return value;
    PyErr_Fetch(&type, &error, &trace);
    explained = PyObject_CallMethodObjArgs((PyObject *)Py_TYPE(object), explain_name, name, NULL);
    if (explained == Py_None) {
        PyErr_Restore(type, error, trace);
    } else {
        if (explained)
            PyErr_SetObject((PyObject *)Py_TYPE(explained), explained);
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(trace);
    }
    Py_XDECREF(explained);
    return NULL;
}

static PyType_Slot explained_slots[] = {{Py_tp_getattro, explained_getattr}, {0, NULL}};

static PyType_Spec explained_spec = {
    "comch_next._attributes.Explained", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, explained_slots,
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_attributes", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__attributes(void)
{
    PyObject *module = PyModule_Create(&definition), *type = module ? PyType_FromSpec(&explained_spec) : NULL;

    explain_name = PyUnicode_InternFromString("_explain");
    if (!explain_name || !type || PyModule_AddType(module, (PyTypeObject *)type))
        Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
