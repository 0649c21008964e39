/* What the calls that programs make in loops share. Each is one C function that finds its handles in the table of
 * handles.py and calls the object behind one, with no Python code of this package in between. */
#ifndef COMCH_FACE_HOT_H
#define COMCH_FACE_HOT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <structmember.h>

/* The table: the slots of a Handle by their places in it, the handles by tag and by target, the addresses to come. */
static struct {
	PyTypeObject *kind;
	PyObject *by_tag, *by_target, *addresses, *find, *code_of, *unexpected;
	Py_buffer dropped; /* how many handles have been dropped by Python */
	Py_ssize_t address, tag, target, owner, owned, noun, kept, alloc, quick, user_data, opens;
} hot_table;

#define SLOT(handle, name) (*(PyObject **)((char *)(handle) + hot_table.name))

static int hot_find_slots(void)
{
#define PLACE(name) {#name, &hot_table.name}
	const struct {
		const char *name;
		Py_ssize_t *place;
	} slots[] = {PLACE(address), PLACE(tag),  PLACE(target), PLACE(owner),     PLACE(owned),
		     PLACE(noun),    PLACE(kept), PLACE(alloc),  PLACE(quick),     PLACE(user_data),
		     PLACE(opens)};
	size_t i;

	for (i = 0; i < sizeof(slots) / sizeof(*slots); i++) {
		PyObject *const member = PyDict_GetItemString(hot_table.kind->tp_dict, slots[i].name);

		if (!member || !Py_IS_TYPE(member, &PyMemberDescr_Type)) {
			PyErr_Format(PyExc_TypeError, "a Handle has no slot %s", slots[i].name);
			return -1;
		}
		*slots[i].place = ((PyMemberDescrObject *)member)->d_member->offset;
	}
	return 0;
}

/* Keep what Handles.for_c returns. Whether that failed. */
static int hot_use(PyObject *given)
{
	Py_INCREF(given);
	return !PyArg_ParseTuple(given, "O!O!O!OOy*OO", &PyType_Type, &hot_table.kind, &PyDict_Type, &hot_table.by_tag,
				 &PyDict_Type, &hot_table.by_target, &hot_table.addresses, &hot_table.find,
				 &hot_table.dropped, &hot_table.code_of, &hot_table.unexpected) ||
	       hot_find_slots();
}

/* The handles of a struct. */
static PyObject *hot_handles(const char *tag)
{
	PyObject *const name = PyUnicode_FromString(tag), *const handles = PyObject_GetItem(hot_table.by_tag, name);

	Py_XDECREF(name);
	return handles;
}

/* Whether there is an interpreter; cffi keeps the thread's state from one call to the next. */
static int hot_started(void)
{
	static __thread int known;

	if (known)
		return 1;
	if (!started())
		return 0;
	comch_face_enter();
	known = 1;
	return 1;
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
	const uint64_t dropped = *(const uint64_t *)hot_table.dropped.buf;

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
	found = PyObject_CallOneArg(hot_table.code_of, error);
	if (found && found != Py_None)
		code = (doca_error_t)PyLong_AsLong(found);
	else if (found)
		Py_SETREF(found, PyObject_CallFunctionObjArgs(hot_table.unexpected, kind, error, trace ? trace : Py_None, NULL));
	PyErr_Clear();
	Py_XDECREF(found);
	Py_XDECREF(kind);
	Py_XDECREF(error);
	Py_XDECREF(trace);
	return code;
}

/* Refuse a pointer that is no living handle of that struct. */
static doca_error_t hot_missing(const char *tag, const void *address)
{
	PyObject *const handle = PyObject_CallFunction(hot_table.find, "sK", tag, (unsigned long long)(uintptr_t)address);

	Py_XDECREF(handle);
	return handle ? DOCA_ERROR_UNEXPECTED : hot_refused();
}

#endif
