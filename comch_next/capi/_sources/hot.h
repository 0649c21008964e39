/* What the calls that programs make in loops share. Each is one C function that finds its handles in the table of
 * handles.py and calls the object behind one, with no Python code of this package in between. */
#ifndef COMCH_FACE_HOT_H
#define COMCH_FACE_HOT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The table: the slots of a Handle by their places in it, the handles by tag and by target, the addresses to come. */
static struct {
	PyTypeObject *kind;
	PyObject *by_tag, *by_target, *addresses, *find, *code_of, *unexpected;
	const uint64_t *dropped; /* how many handles have been dropped by Python */
	Py_ssize_t address, tag, target, owner, owned, noun, kept, alloc, quick, user_data, opens;
} hot_table;

#define SLOT(handle, name) (*(PyObject **)((char *)(handle) + hot_table.name))

/* The place in an object of what is nowhere else in it, or -1. */
static Py_ssize_t hot_place(PyObject *object, size_t size, PyObject *value)
{
	size_t place;

	for (place = sizeof(PyObject); place + sizeof(value) <= size; place += sizeof(value))
		if (!memcmp((char *)object + place, &value, sizeof(value)))
			return (Py_ssize_t)place;
	return -1;
}

/* Find the slots by what is put into them: Python's stable ABI has no other way. */
static int hot_find_slots(void)
{
#define PLACE(name) {#name, &hot_table.name}
	const struct {
		const char *name;
		Py_ssize_t *place;
	} slots[] = {PLACE(address), PLACE(tag),  PLACE(target), PLACE(owner),     PLACE(owned),
		     PLACE(noun),    PLACE(kept), PLACE(alloc),  PLACE(quick),     PLACE(user_data),
		     PLACE(opens)};
	PyObject *const size = PyObject_GetAttrString((PyObject *)hot_table.kind, "__basicsize__");
	PyObject *const probe = size ? PyType_GenericAlloc(hot_table.kind, 0) : NULL;
	size_t i;

	for (i = 0; probe && i < sizeof(slots) / sizeof(*slots); i++) {
		PyObject *const marker = PyDict_New();

		*slots[i].place = -1;
		if (marker && !PyObject_SetAttrString(probe, slots[i].name, marker))
			*slots[i].place = hot_place(probe, PyLong_AsSize_t(size), marker);
		Py_XDECREF(marker);
		if (*slots[i].place < 0) {
			PyErr_Format(PyExc_TypeError, "a Handle has no slot %s", slots[i].name);
			break;
		}
	}
	Py_XDECREF(probe);
	Py_XDECREF(size);
	return PyErr_Occurred() ? -1 : 0;
}

/* Keep what Handles.for_c returns. Whether that failed. */
static int hot_use(PyObject *given)
{
	PyObject *dropped, *address;

	Py_INCREF(given);
	if (!PyArg_ParseTuple(given, "O!O!O!OOOOOO", &PyType_Type, &hot_table.kind, &PyDict_Type, &hot_table.by_tag,
			      &PyDict_Type, &hot_table.by_target, &hot_table.addresses, &hot_table.find,
			      &hot_table.code_of, &hot_table.unexpected, &dropped, &address))
		return -1;
	hot_table.dropped = PyLong_AsVoidPtr(address);
	return PyErr_Occurred() || hot_find_slots();
}

/* The handles of a struct. */
static PyObject *hot_handles(const char *tag)
{
	PyObject *const name = PyUnicode_FromString(tag), *const handles = PyObject_GetItem(hot_table.by_tag, name);

	Py_XDECREF(name);
	return handles;
}

/* Take the interpreter's lock; cffi keeps the thread's state from one call to the next. */
static PyGILState_STATE hot_enter_python(void)
{
	static __thread int known;

	if (!known) {
		comch_face_enter();
		known = 1;
	}
	return PyGILState_Ensure();
}

/* The living handle at an address, or NULL: for NULL, stale and foreign pointers. */
static PyObject *hot_find(PyObject *handles, const void *address)
{
	PyObject *const number = address ? PyLong_FromVoidPtr((void *)(uintptr_t)address) : NULL;
	PyObject *const handle = number ? PyDict_GetItemWithError(handles, number) : NULL;

	Py_XDECREF(number);
	return handle;
}

/* What was found last, at the number's place. It is good until a handle is dropped; those of tasks, which C drops, are
 * never kept. */
static struct hot_kept {
	PyObject *handles, *handle;
	const void *number;
	uint64_t dropped;
} hot_kept[32];

/* As hot_find, for handles that outlive a message: by their addresses, or in by_target by those of their targets. */
static PyObject *hot_find_kept(PyObject *handles, const void *number)
{
	struct hot_kept *const kept = &hot_kept[(uintptr_t)number / 64 % (sizeof(hot_kept) / sizeof(*hot_kept))];
	const uint64_t dropped = *hot_table.dropped;

	if (kept->number != number || kept->handles != handles || kept->dropped != dropped || !kept->handle)
		*kept = (struct hot_kept){handles, hot_find(handles, number), number, dropped};
	return kept->handle;
}

/* The code of what has been raised, which is logged, or handed on to the program: no Python code may follow. */
static doca_error_t hot_refused(void)
{
	doca_error_t code = DOCA_ERROR_UNEXPECTED;
	PyObject *kind, *error, *trace, *found;

	PyErr_Fetch(&kind, &error, &trace);
	PyErr_NormalizeException(&kind, &error, &trace);
	found = PyObject_CallFunctionObjArgs(hot_table.code_of, error, NULL);
	if (found == Py_None) {
		Py_DECREF(found);
		found = PyObject_CallFunctionObjArgs(hot_table.unexpected, kind, error, trace ? trace : Py_None, NULL);
	} else if (found) {
		code = (doca_error_t)PyLong_AsLong(found);
	}
	PyErr_Clear();
	Py_XDECREF(found);
	Py_XDECREF(kind);
	Py_XDECREF(error);
	Py_XDECREF(trace);
	return code;
}

/* Refuse a pointer that is not a living handle of that struct. */
static doca_error_t hot_missing(const char *tag, const void *address)
{
	PyObject *const handle = PyObject_CallFunction(hot_table.find, "sK", tag, (unsigned long long)(uintptr_t)address);

	Py_XDECREF(handle);
	return handle ? DOCA_ERROR_UNEXPECTED : hot_refused();
}

#endif
