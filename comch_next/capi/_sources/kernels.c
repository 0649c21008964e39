/* Kernels of the DPA that are C functions. The emulated library calls them on its threads. */
#include <dlfcn.h>
#include <stdio.h>
#include <setjmp.h>
#include <string.h>

/* The kernel that runs on this thread; `frame` is the Python code that called it. */
static __thread struct kernel {
	jmp_buf end;
	const void *frame;
	int over;
} *running_kernel;

/* The Python code that runs on this thread. */
static const void *python_frame(void)
{
	const PyGILState_STATE state = PyGILState_Ensure(); /* cffi has let it go */
	const void *const frame = PyEval_GetFrame();

	PyGILState_Release(state);
	return frame;
}

/* Run a kernel until it returns, or until a call ends it. */
static void comch_face_run_kernel(uintptr_t function, uint64_t arg)
{
	struct kernel kernel = {.frame = python_frame()};

	running_kernel = &kernel;
	if (!setjmp(kernel.end))
		((void (*)(uint64_t))function)(arg);
	running_kernel = NULL;
}

/* Have this thread's kernel end with the call that it is making. */
static void comch_face_end_kernel(void)
{
	running_kernel->over = 1;
}

/* End the kernel that has made a call, if that said so. One in a script's callback has Python code of its own on this
 * stack, which nobody can jump over: its calls return, and it has to return itself. */
static void kernel_called(void)
{
	if (running_kernel && running_kernel->over && running_kernel->frame == python_frame())
		longjmp(running_kernel->end, 1);
}

/* Write what a debugger finds a function by: its symbol, or else its place in its file. */
static void comch_face_name_kernel(uintptr_t function, char *name, size_t size)
{
	Dl_info info;

	if (!dladdr((void *)function, &info))
		snprintf(name, size, "the function at %#lx", (unsigned long)function);
	else if (info.dli_sname && info.dli_saddr == (void *)function)
		snprintf(name, size, "%s", info.dli_sname);
	else
		snprintf(name, size, "%s+%#lx", strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname,
			 (unsigned long)(function - (uintptr_t)info.dli_fbase));
}
