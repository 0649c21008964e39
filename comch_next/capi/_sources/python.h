/* What the faces call of Python. They are not linked with it: python.c finds these by name in a running process, so that
 * one library serves every Python from 3.10 on, and a program can be linked where there is none. */
#ifndef COMCH_FACE_PYTHON_H
#define COMCH_FACE_PYTHON_H

#include <stddef.h>
#include <wchar.h>

typedef struct object PyObject;
typedef struct init_config PyInitConfig; /* opaque; since 3.14 */

/* As in cpython/initconfig.h of 3.10 to 3.13, after which PyInitConfig takes their place. PyConfig, whose layout is not
 * one, is passed by its address only; there it has 448 bytes at most. */
typedef struct {
	int kind;
	const char *function, *message;
	int exit_code;
} PyStatus;

typedef struct {
	int kind, parse_argv, isolated, use_environment, configure_locale, coerce_c_locale, coerce_c_locale_warn;
	int utf8_mode, dev_mode, allocator;
} PyPreConfig;

typedef struct {
	_Alignas(max_align_t) char bytes[4096];
} PyConfig;

/* Result, name, parameters. */
#define COMCH_PYTHON(each) \
	each(int, Py_IsInitialized, (void)) \
	each(const char *, Py_GetVersion, (void)) \
	each(int, Py_AtExit, (void (*function)(void))) \
	each(int, PyGILState_Ensure, (void)) \
	each(void, PyGILState_Release, (int state)) \
	each(int, PyGILState_Check, (void)) \
	each(void *, PyEval_SaveThread, (void)) \
	each(void, PyOS_BeforeFork, (void)) \
	each(void, PyOS_AfterFork_Parent, (void)) \
	each(void, PyOS_AfterFork_Child, (void)) \
	each(void, PyErr_Clear, (void)) \
	each(void, PyErr_Print, (void)) \
	each(void, Py_DecRef, (PyObject * object)) \
	each(PyObject *, PySys_GetObject, (const char *name)) \
	each(PyObject *, PyUnicode_DecodeFSDefault, (const char *text)) \
	each(int, PySequence_Contains, (PyObject * list, PyObject *value)) \
	each(int, PyList_Append, (PyObject * list, PyObject *value)) \
	each(PyObject *, PyImport_ImportModule, (const char *name)) \
	each(PyObject *, PyObject_CallMethod, (PyObject * object, const char *name, const char *format, ...)) \
	each(void *, PyLong_AsVoidPtr, (PyObject * number))

/* The ways to start one, by version: what a Python lacks is NULL. */
#define COMCH_PYTHON_TO_3_13(each) \
	each(void, PyPreConfig_InitIsolatedConfig, (PyPreConfig * config)) \
	each(PyStatus, Py_PreInitialize, (const PyPreConfig *config)) \
	each(void, PyConfig_InitIsolatedConfig, (PyConfig * config)) \
	each(void, PyConfig_Clear, (PyConfig * config)) \
	each(PyStatus, Py_InitializeFromConfig, (const PyConfig *config)) \
	each(int, PyStatus_Exception, (PyStatus status)) \
	each(wchar_t *, Py_DecodeLocale, (const char *text, size_t *length)) \
	each(void, Py_SetProgramName, (const wchar_t *name)) \
	each(void, PyMem_RawFree, (void *memory))
#define COMCH_PYTHON_FROM_3_14(each) \
	each(PyInitConfig *, PyInitConfig_Create, (void)) \
	each(void, PyInitConfig_Free, (PyInitConfig * config)) \
	each(int, PyInitConfig_SetInt, (PyInitConfig * config, const char *name, long long value)) \
	each(int, PyInitConfig_SetStr, (PyInitConfig * config, const char *name, const char *value)) \
	each(int, PyInitConfig_GetError, (PyInitConfig * config, const char **message)) \
	each(int, Py_InitializeFromInitConfig, (PyInitConfig * config))

#define COMCH_POINTER(result, name, parameters) result(*name) parameters;
static struct {
	COMCH_PYTHON(COMCH_POINTER)
	COMCH_PYTHON_TO_3_13(COMCH_POINTER)
	COMCH_PYTHON_FROM_3_14(COMCH_POINTER)
} py;

#endif
