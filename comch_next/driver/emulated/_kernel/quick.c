/* Quick calls: each stands in front of a Python one, with the same arguments, and does what succeeds at once. Whatever
 * else may come, be it a refusal, a full ring, a look at the sockets or arguments of another kind, it leaves everything
 * as it was and calls the Python one.
 */
#include <string.h>

#include "quick.h"

PyTypeObject *calls_quick_type;

static int quick_traverse(Quick *quick, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(quick));
    Py_VISIT(quick->of);
    Py_VISIT(quick->slow);
    Py_VISIT(quick->kind);
    Py_VISIT(quick->news);
    Py_VISIT(quick->nothing);
    Py_VISIT(quick->again);
    Py_VISIT(quick->peers);
    Py_VISIT(quick->channels);
    Py_VISIT(quick->program);
    return 0;
}

static int quick_clear(Quick *quick)
{
    Py_CLEAR(quick->of);
    Py_CLEAR(quick->slow);
    Py_CLEAR(quick->kind);
    Py_CLEAR(quick->news);
    Py_CLEAR(quick->nothing);
    Py_CLEAR(quick->again);
    Py_CLEAR(quick->through);
    Py_CLEAR(quick->peers);
    Py_CLEAR(quick->channels);
    Py_CLEAR(quick->program);
    return 0;
}

static void quick_dealloc(PyObject *object)
{
    PyObject *name = SELF(Quick, object)->name;

    calls_destroy(object, (inquiry)quick_clear);
    Py_XDECREF(name);  /* not sooner: the call has it for as long as there is one */
}

/* The name of the Python call, or the definition's own when that has none. */
static const char *named(Quick *quick, const char *otherwise)
{
    const char *name = NULL;

    quick->name = PyObject_GetAttrString(quick->slow, "__name__");
    if (quick->name && PyUnicode_Check(quick->name))
        name = PyUnicode_AsUTF8AndSize(quick->name, NULL);
    PyErr_Clear();
    return name ? name : otherwise;
}

static PyType_Slot quick_slots[] = {
    {Py_tp_dealloc, quick_dealloc}, {Py_tp_traverse, quick_traverse}, {Py_tp_clear, quick_clear}, {0, NULL},
};

static PyType_Spec quick_spec = {
    NAME "Quick", sizeof(Quick), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, quick_slots,
};

/* Call the Python one with what the quick one was called with. */
PyObject *calls_slow(Quick *quick, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    PyObject *positional = PyTuple_New(count), *keywords = named ? PyDict_New() : NULL, *result = NULL;

    if (!positional || (named && !keywords))
        goto end;
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_INCREF(args[i]);
        PyTuple_SetItem(positional, i, args[i]);
    }
    for (Py_ssize_t i = 0; i < named; i++)
        if (PyDict_SetItem(keywords, PyTuple_GetItem(names, i), args[count + i]))
            goto end;
    result = PyObject_Call(quick->slow, positional, keywords);
end:
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    return result;
}

static PyObject *kept(PyObject *object)
{
    if (!calls_given(object))
        return NULL;
    Py_INCREF(object);
    return object;
}

/* A quick call of that definition, of its own objects: those given are borrowed. */
PyObject *calls_quick_call(PyMethodDef *def, Quick given)
{
    Quick *quick = SELF(Quick, PyType_GenericAlloc(calls_quick_type, 0));
    PyObject *call;

    if (!quick)
        return NULL;
    quick->of = kept(given.of);
    quick->slow = kept(given.slow);
    quick->kind = kept(given.kind);
    quick->news = kept(given.news);
    quick->nothing = kept(given.nothing);
    quick->again = kept(given.again);
    quick->through = kept(given.through);
    quick->peers = kept(given.peers);
    quick->channels = kept(given.channels);
    quick->program = kept(given.program);
    quick->least = given.least;
    quick->timed = given.timed;
    quick->flights = given.flights;
    memcpy(quick->takes, given.takes, sizeof quick->takes);
    memcpy(quick->gives, given.gives, sizeof quick->gives);
    quick->def = *def;
    quick->def.ml_name = named(quick, def->ml_name);
    call = PyCFunction_NewEx(&quick->def, (PyObject *)quick, NULL);
    Py_DECREF(quick);
    return call;
}

/* The object of a quick call that is made by that function; NULL of any other call. */
Quick *calls_quick_of(PyObject *call, PyCFunction function)
{
    return Py_TYPE(call) == &PyCFunction_Type && PyCFunction_GetFunction(call) == function
               ? SELF(Quick, PyCFunction_GetSelf(call)) : NULL;
}

static int refused(const char *text)
{
    PyErr_SetString(PyExc_TypeError, text);
    return 1;
}

/* Read the words that arguments or results are named by. Whether that failed. */
static int read_words(PyObject *given, char *words)
{
    static const struct { const char *text; char word; } known[] = {
        {"connection", CONNECTION}, {"data", DATA}, {"length", LENGTH}, {"flags", FLAGS}, {"size", SIZE}, {"code", CODE},
    };
    Py_ssize_t count = PyTuple_Size(given);

    for (Py_ssize_t i = 0; i < count && i < WORDS; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(given, i), known[k].text) == 0)
                words[i] = known[k].word;
    return (count > WORDS || (Py_ssize_t)strnlen(words, WORDS) != count) && refused("a shape has up to 4 known words");
}

/* Read a shape: see Shape in comch_next.driver.protocol. Whether that failed. */
int calls_read_shape(PyObject *shape, Quick *given)
{
    PyObject *takes, *gives;

    return !PyArg_ParseTuple(shape, "O!iO!OOOpOO", &PyTuple_Type, &takes, &given->least, &PyTuple_Type, &gives,
                             &given->kind, &given->nothing, &given->again, &given->timed, &given->through, &given->peers)
           || read_words(takes, given->takes) || read_words(gives, given->gives)
           || (calls_given(given->peers) && !PyDict_Check(given->peers) && refused("peers are a dict"));
}

int calls_is_zero(PyObject *number)
{
    int zero = PyLong_CheckExact(number) && PyLong_AsLong(number) == 0 && !PyErr_Occurred();

    PyErr_Clear();
    return zero;
}

/* Is it a time-out that any call takes? Numbers of other kinds are for Python to judge. */
int calls_is_timeout(PyObject *timeout)
{
    int valid = PyLong_CheckExact(timeout) && PyLong_AsLong(timeout) >= 0 && !PyErr_Occurred();

    PyErr_Clear();
    return valid || timeout == Py_None || (PyFloat_CheckExact(timeout) && PyFloat_AsDouble(timeout) >= 0);
}

int calls_add_quick(PyObject *module)
{
    return calls_add_type(module, &quick_spec, NULL, &calls_quick_type);
}
