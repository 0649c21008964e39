/* The interpreter behind the faces: started once per process, by whichever face is called first, on any thread.
 *
 * A C program needs no settings for it: the interpreter is that of the installation which the library lies in (the
 * bin/ above its site-packages), else the one that built it. Environment variables of other Pythons are not read. */
#include "interpreter.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int outcome = -1;
static PyGILState_STATE forking;
static int forked_by_python;

static int failed(const char *what, const char *reason)
{
	fprintf(stderr, "doca: no Python interpreter: %s: %s\n", what, reason);
	return -1;
}

/* Extension modules find the interpreter's symbols though the program may have loaded this library privately. */
static void publish_symbols(void)
{
	Dl_info info;

	if (dladdr((void *)&Py_IsInitialized, &info) && info.dli_fname)
		dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

/* The folder that holds the package comch_next, from .../comch_next/capi/lib/libdoca_common.so.2. */
static int package_root(char root[PATH_MAX])
{
	Dl_info info;
	int level;

	if (!dladdr((void *)&comch_face_interpreter, &info) || !realpath(info.dli_fname, root))
		return -1;
	for (level = 0; level < 4; level++) {
		char *slash = strrchr(root, '/');

		if (!slash)
			return -1;
		*slash = '\0';
	}
	return 0;
}

/* The executable whose place and pyvenv.cfg decide what can be imported. */
static void find_executable(const char *root, char executable[PATH_MAX])
{
	const char *const packages = strstr(root, "/lib/python");

	if (packages && snprintf(executable, PATH_MAX, "%.*s/bin/python3", (int)(packages - root), root) < PATH_MAX &&
	    !access(executable, X_OK))
		return;
	snprintf(executable, PATH_MAX, "%s", COMCH_FACE_EXECUTABLE);
}

static PyStatus configure(PyConfig *config, const char *executable)
{
	PyPreConfig preconfig;
	PyStatus status;

	PyConfig_InitIsolatedConfig(config);
	PyPreConfig_InitIsolatedConfig(&preconfig);
	preconfig.utf8_mode = 1;
	status = Py_PreInitialize(&preconfig);
	if (PyStatus_Exception(status))
		return status;
	return PyConfig_SetBytesString(config, &config->program_name, executable);
}

/* Ctrl-C stays the program's: who first imports Python's signal module installs a handler in the place of the default. */
static void keep_interrupt(void)
{
	struct sigaction action;
	PyObject *module;

	sigaction(SIGINT, NULL, &action);
	module = PyImport_ImportModule("_signal");
	if (!module)
		PyErr_Clear();
	Py_XDECREF(module);
	sigaction(SIGINT, &action, NULL);
}

static int initialize(const char *root)
{
	char executable[PATH_MAX];
	PyConfig config;
	PyStatus status;

	find_executable(root, executable);
	status = configure(&config, executable);
	if (!PyStatus_Exception(status))
		status = Py_InitializeFromConfig(&config);
	PyConfig_Clear(&config);
	if (PyStatus_Exception(status))
		return failed(executable, status.err_msg ? status.err_msg : "it cannot be started");
	keep_interrupt();
	PyEval_SaveThread();
	return 0;
}

/* What the installation holds can be imported even by an interpreter that was started elsewhere. */
static void append_root(const char *root)
{
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *path = PySys_GetObject("path");
	PyObject *folder = PyUnicode_DecodeFSDefault(root);

	if (path && folder && PySequence_Contains(path, folder) == 0)
		PyList_Append(path, folder);
	Py_XDECREF(folder);
	PyErr_Clear();
	PyGILState_Release(state);
}

/* A C program's fork is Python's too; one that Python makes runs its own handlers. */
static void before_fork(void)
{
	forked_by_python = PyGILState_Check();
	if (forked_by_python)
		return;
	forking = PyGILState_Ensure();
	PyOS_BeforeFork();
}

static void after_fork_in_parent(void)
{
	if (forked_by_python)
		return;
	PyOS_AfterFork_Parent();
	PyGILState_Release(forking);
}

static void after_fork_in_child(void)
{
	if (forked_by_python)
		return;
	PyOS_AfterFork_Child();
	PyGILState_Release(forking);
}

static void start(void)
{
	char root[PATH_MAX];
	const int hosted = Py_IsInitialized();

	if (strncmp(Py_GetVersion(), COMCH_FACE_VERSION ".", strlen(COMCH_FACE_VERSION) + 1) != 0) {
		failed("this library was built for Python " COMCH_FACE_VERSION ", the process has", Py_GetVersion());
		return;
	}
	if (package_root(root)) {
		failed("the library's place", "it cannot be found");
		return;
	}
	publish_symbols();
	if (!hosted && (initialize(root) || pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child)))
		return;
	append_root(root);
	outcome = 0;
}

FACE int comch_face_interpreter(void)
{
	pthread_once(&once, start);
	return outcome;
}
