/* The capsule of the quick calls for callers in C: see direct.h. */
#include "quick.h"
#include "direct.h"

int calls_add_direct(PyObject *module)
{
    static comch_direct direct = {calls_send_direct, calls_receive_direct};
    PyObject *capsule = PyCapsule_New(&direct, COMCH_DIRECT, NULL);
    int failed = !capsule || PyModule_AddObjectRef(module, "direct", capsule);

    Py_XDECREF(capsule);
    return failed;
}
