/* The interpreter behind the faces: started once per process, by whichever face is called first, on any thread.
 *
 * A C program needs no settings for it: see python.c. Environment variables of other Pythons are not read. */
#include "interpreter.h"

#include <pthread.h>
#include <signal.h>

enum { OLDEST_MINOR = 10 };

/* What a thread starts or imports would stay half done in a child that is forked meanwhile. Where Python is the program
 * itself, whose threads have its lock while they fork, _starting.py sees to that. */
static pthread_mutex_t starting = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct found_python python;
static int running, is_own; /* the interpreter is there, and this library has started it */
static __thread int follows_fork, forking;

FACE doca_error_t comch_face_ended;

static int failed(const char *what, const char *reason)
{
	fprintf(stderr, "doca: no Python interpreter: %s: %s\n", what, reason);
	return -1;
}

/* Ctrl-C stays the program's: who first imports Python's signal module installs a handler in the place of the default. */
static void keep_interrupt(void)
{
	struct sigaction action;
	PyObject *module;

	sigaction(SIGINT, NULL, &action);
	module = py.PyImport_ImportModule("_signal");
	if (module)
		py.Py_DecRef(module);
	else
		py.PyErr_Clear();
	sigaction(SIGINT, &action, NULL);
}

static int initialize_to_3_13(const char *executable)
{
	PyPreConfig before;
	PyConfig config;
	PyStatus status;
	wchar_t *name;

	py.PyPreConfig_InitIsolatedConfig(&before);
	before.utf8_mode = 1;
	status = py.Py_PreInitialize(&before);
	if (!py.PyStatus_Exception(status)) {
		name = py.Py_DecodeLocale(executable, NULL);
		if (!name)
			return failed(executable, "its name cannot be decoded");
		py.Py_SetProgramName(name);
		py.PyMem_RawFree(name);
		py.PyConfig_InitIsolatedConfig(&config);
		status = py.Py_InitializeFromConfig(&config);
		py.PyConfig_Clear(&config);
	}
	if (py.PyStatus_Exception(status))
		return failed(executable, status.message ? status.message : "it cannot be started");
	return 0;
}

static int initialize_from_3_14(const char *executable)
{
	PyInitConfig *const config = py.PyInitConfig_Create(); /* isolated */
	const char *message = NULL;
	int error = -1;

	if (config)
		error = py.PyInitConfig_SetInt(config, "utf8_mode", 1) ||
			py.PyInitConfig_SetStr(config, "program_name", executable) ||
			py.Py_InitializeFromInitConfig(config);
	if (error) {
		if (config)
			py.PyInitConfig_GetError(config, &message);
		failed(executable, message ? message : "it cannot be started");
	}
	py.PyInitConfig_Free(config);
	return error ? -1 : 0;
}

static int initialize(void)
{
	const char *const executable = python.executable;

	if (py.PyInitConfig_Create ? initialize_from_3_14(executable) : initialize_to_3_13(executable))
		return -1;
	keep_interrupt();
	py.PyEval_SaveThread();
	return 0;
}

/* What the installation holds can be imported even by an interpreter that was started elsewhere. */
static void append_root(void)
{
	PyObject *const list = py.PySys_GetObject("path");
	PyObject *const folder = py.PyUnicode_DecodeFSDefault(python.root);

	if (list && folder && py.PySequence_Contains(list, folder) == 0)
		py.PyList_Append(list, folder);
	if (folder)
		py.Py_DecRef(folder);
	py.PyErr_Clear();
}

/* A C program's fork is Python's too; one that Python makes runs its own handlers. */
static void before_fork(void)
{
	follows_fork = !running || (is_own && !py.PyGILState_Check());
	if (!follows_fork)
		return;
	pthread_mutex_lock(&starting);
	if (!is_own)
		return;
	forking = py.PyGILState_Ensure();
	py.PyOS_BeforeFork();
}

static void after_fork_in_parent(void)
{
	if (!follows_fork)
		return;
	if (is_own) {
		py.PyOS_AfterFork_Parent();
		py.PyGILState_Release(forking);
	}
	pthread_mutex_unlock(&starting);
}

static void after_fork_in_child(void)
{
	if (!follows_fork)
		return;
	if (is_own) {
		py.PyOS_AfterFork_Child();
		py.PyEval_SaveThread(); /* this thread's state is the last; without any, Python 3.11 can make no other */
	}
	starting = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* its owner has another number here */
}

/* After log.c, whose lock is the last that a fork takes: what holds this one may log. */
static void __attribute__((constructor)) attend_to_forks(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Whether this is a version that the extension modules can be loaded by. */
static int is_supported(const char *version)
{
	int major = 0, minor = 0;

	return sscanf(version, "%d.%d", &major, &minor) == 2 && major == 3 && minor >= OLDEST_MINOR;
}

static int find_and_start(void)
{
	char reason[REASON_SIZE];
	void *loaded = NULL;

	if (find_functions(RTLD_DEFAULT)) { /* the program is Python, or is linked with it */
		if (find_root(python.root))
			return failed("the library's place", "it cannot be found");
	} else {
		loaded = open_python(&python, RTLD_GLOBAL, reason);
		if (!loaded || !find_functions(loaded))
			return failed("a C program needs Python's shared library", loaded ? "it lacks functions" : reason);
	}
	if (!is_supported(py.Py_GetVersion()))
		return failed("this library needs Python 3.10 or newer, the process has", py.Py_GetVersion());
	if (!py.Py_IsInitialized()) {
		if (!loaded)
			find_executable(&python);
		if (initialize())
			return -1;
		is_own = 1;
	}
	return 0;
}

/* The program's Python has ended. One that it starts later knows nothing of what these calls stand on. */
static void end_with_python(void)
{
	if (!comch_face_ended)
		comch_face_ended = DOCA_ERROR_INITIALIZATION;
}

static void start(void)
{
	running = !find_and_start();
	if (running)
		py.Py_AtExit(end_with_python);
	else
		comch_face_ended = DOCA_ERROR_INITIALIZATION;
}

/* The address of a face's calls, once what implements it has been imported. A first failure is reported. */
static const void *import_calls(const char *module_name, const char *extension, int *reported)
{
	PyObject *const module = py.PyImport_ImportModule("comch_next.capi._starting");
	PyObject *const address = module ? py.PyObject_CallMethod(module, "calls", "ss", module_name, extension) : NULL;
	const void *const calls = address ? py.PyLong_AsVoidPtr(address) : NULL;

	if (!calls && *reported)
		py.PyErr_Clear();
	else if (!calls)
		py.PyErr_Print();
	*reported = !calls;
	if (address)
		py.Py_DecRef(address);
	if (module)
		py.Py_DecRef(module);
	return calls;
}

FACE void comch_face_abandon(const char *call)
{
	if (!py.Py_IsInitialized())
		return; /* Python is at its end, and ends its other threads, too */
	fprintf(stderr,
		"doca: %s was left by an exception of C++ or the end of its thread, so that it cannot return;"
		" from now on every call returns DOCA_ERROR_UNEXPECTED\n",
		call);
	comch_face_ended = DOCA_ERROR_UNEXPECTED;
}

static const void *start_face(const char *module_name, const char *extension, int *reported)
{
	const void *calls = NULL;
	int state;

	pthread_mutex_lock(&starting);
	pthread_once(&once, start);
	if (!is_own)
		pthread_mutex_unlock(&starting);
	if (running) {
		state = py.PyGILState_Ensure();
		append_root();
		calls = import_calls(module_name, extension, reported);
		py.PyGILState_Release(state);
	}
	if (is_own)
		pthread_mutex_unlock(&starting);
	return calls;
}

/* Signals wait: what a handler raises would end the import, and be lost. The script's is raised after the call. */
FACE const void *comch_face_start(const char *module_name, const char *extension, int *reported)
{
	const void *calls;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	calls = start_face(module_name, extension, reported);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return calls;
}
