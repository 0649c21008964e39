/* Progress, and the life of a task after its allocation: see hot.h. */
#include "hot.h"

static PyObject *hot_engines, *hot_tasks, *hot_progress, *hot_submit, *hot_free, *hot_owner;

/* Use the table of handles, whose address this is. */
static void comch_face_hot(uintptr_t table)
{
	const PyGILState_STATE state = PyGILState_Ensure(); /* cffi has let it go */

	if (hot_use((PyObject *)table))
		PyErr_WriteUnraisable((PyObject *)table);
	hot_engines = hot_handles("doca_pe");
	hot_tasks = hot_handles("doca_task");
	hot_progress = PyUnicode_InternFromString("progress");
	hot_submit = PyUnicode_InternFromString("submit");
	hot_free = PyUnicode_InternFromString("free");
	hot_owner = PyUnicode_InternFromString("owner");
	PyGILState_Release(state);
}

/* Call a method of the object behind a handle. */
static PyObject *hot_call(PyObject *handle, PyObject *method)
{
	PyObject *const target = Py_NewRef(SLOT(handle, target)), *result;

	result = PyObject_CallMethodObjArgs(target, method, NULL);
	Py_DECREF(target);
	return result;
}

/* Call a method of what has no noun, or of a task that is quick, or else of its noun, which may do more. */
static PyObject *hot_call_by_noun(PyObject *handle, PyObject *method)
{
	if (SLOT(handle, quick) == Py_True || SLOT(handle, noun) == Py_None)
		return hot_call(handle, method);
	return PyObject_CallMethodObjArgs(SLOT(handle, noun), method, SLOT(handle, target), NULL);
}

FACE uint8_t doca_pe_progress(struct doca_pe *pe)
{
	PyObject *handle, *moved;
	PyGILState_STATE state;
	uint8_t result = 0;

	state = hot_enter_python();
	handle = hot_find_kept(hot_engines, pe);
	if (handle) {
		moved = hot_call_by_noun(handle, hot_progress);
		result = moved == Py_True;
		if (!moved)
			hot_refused();
		Py_XDECREF(moved);
	} else {
		hot_missing("doca_pe", pe);
	}
	PyGILState_Release(state);
	return result;
}

/* The code of a submit that has raised. The task tells whether it was submitted before that: a signal's handler may come
 * in all that follows, and what it raises is handed on to the program. */
static doca_error_t hot_unless_submitted(PyObject *task)
{
	doca_error_t code = hot_refused();
	PyObject *owner;

	if (code != DOCA_ERROR_UNEXPECTED)
		return code;
	owner = PyObject_GetAttr(task, hot_owner);
	if (owner && PyUnicode_CompareWithASCIIString(owner, "PROGRAM"))
		code = DOCA_SUCCESS;
	PyErr_Clear();
	Py_XDECREF(owner);
	return code;
}

FACE doca_error_t doca_task_submit(struct doca_task *task)
{
	PyObject *handle, *target, *result;
	PyGILState_STATE state;
	doca_error_t code;

	state = hot_enter_python();
	handle = hot_find(hot_tasks, task);
	if (handle) {
		target = Py_NewRef(SLOT(handle, target));
		result = hot_call_by_noun(handle, hot_submit);
		code = result ? DOCA_SUCCESS : hot_unless_submitted(target);
		Py_XDECREF(result);
		Py_DECREF(target);
	} else {
		code = hot_missing("doca_task", task);
	}
	PyGILState_Release(state);
	return code;
}

FACE doca_error_t doca_task_try_submit(struct doca_task *task)
{
	return doca_task_submit(task);
}

/* Forget the handle of a task. */
static void hot_drop(PyObject *handle)
{
	PyObject *const handles = PyDict_GetItem(hot_table.by_tag, SLOT(handle, tag)), *const address = SLOT(handle, address);

	PySet_Discard(SLOT(SLOT(handle, owner), owned), handle);
	PyDict_DelItem(handles, address);
	PyDict_DelItem(hot_tasks, address);
}

FACE void doca_task_free(struct doca_task *task)
{
	PyObject *handle, *result;
	PyGILState_STATE state;

	if (!task)
		return;
	state = hot_enter_python();
	handle = hot_find(hot_tasks, task);
	if (handle) {
		Py_INCREF(handle);
		result = hot_call_by_noun(handle, hot_free);
		if (!result)
			hot_refused();
		else if (hot_find(hot_tasks, task) == handle)
			hot_drop(handle);
		Py_XDECREF(result);
		Py_DECREF(handle);
	} else {
		hot_missing("doca_task", task);
	}
	PyGILState_Release(state);
}
