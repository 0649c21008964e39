/* Finds the Python that a process has, or else the one that this library is installed for, and loads it.
 *
 * That is told by the library's own place: <prefix>/lib/pythonX.Y/site-packages belongs to <prefix>/bin/pythonX.Y, an
 * environment's or an installation's. A checkout has been built for one; in other places the launcher's tells
 * (COMCH_PYTHON), and last where systems have theirs. */
#include "python.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION_SIZE = 16, REASON_SIZE = 2 * PATH_MAX };

/* The Python that is to be started: what decides by its place what can be imported, and where its library may lie. */
struct found_python {
	char root[PATH_MAX];         /* the folder that holds the package comch_next */
	char executable[PATH_MAX];   /* "" where there is none */
	char version[VERSION_SIZE];  /* "3.12", or "" */
	char library[PATH_MAX];      /* the last that was tried */
};

/* Format a path; whether it fits. */
static int path(char into[PATH_MAX], const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(into, PATH_MAX, format, arguments);
	va_end(arguments);
	return length > 0 && length < PATH_MAX;
}

/* The folder that holds the package comch_next, from .../comch_next/capi/lib/libdoca_common.so.2. */
static int find_root(char root[PATH_MAX])
{
	Dl_info info;
	int level;

	if (!dladdr((void *)&py, &info) || !realpath(info.dli_fname, root))
		return -1;
	for (level = 0; level < 4; level++) {
		char *slash = strrchr(root, '/');

		if (!slash)
			return -1;
		*slash = '\0';
	}
	return 0;
}

/* Keep the version that a name starts with after "python", up to the end of the word. */
static void take_version(char version[VERSION_SIZE], const char *name)
{
	const size_t length = strcspn(name, "/");

	if (length > 1 && length < VERSION_SIZE && strspn(name, "0123456789.") >= 3)
		snprintf(version, VERSION_SIZE, "%.*s", (int)length, name);
}

static int is_executable(const char *executable)
{
	return *executable && !access(executable, X_OK);
}

static void find_executable(struct found_python *found)
{
	static const char *const parts[] = {"/lib/python", "/lib64/python"};
	const char *const told = secure_getenv("COMCH_PYTHON");
	char *const executable = found->executable;
	const char *part;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (part = strstr(found->root, parts[i]); part; part = strstr(part + 1, parts[i])) {
			take_version(found->version, part + strlen(parts[i]));
			if (path(executable, "%.*s/bin/python%s", (int)(part - found->root), found->root, found->version) &&
			    is_executable(executable))
				return;
		}
	if (path(executable, "%s", COMCH_FACE_EXECUTABLE) && is_executable(executable))
		return;
	if (told && path(executable, "%s", told) && is_executable(executable))
		return;
	for (i = 0; *found->version && i < 2; i++)
		if (path(executable, "%s/bin/python%s", i ? "/usr" : "/usr/local", found->version) && is_executable(executable))
			return;
	*executable = '\0';
}

/* The folder that pyvenv.cfg names as the one of the executables, for environments that have copies of them. */
static int find_home(const char *executable, char home[PATH_MAX])
{
	char settings[PATH_MAX], line[PATH_MAX];
	int read = 0;
	FILE *file;

	if (!path(settings, "%.*s/../pyvenv.cfg", (int)(strrchr(executable, '/') - executable), executable))
		return 0;
	file = fopen(settings, "re");
	while (file && !read && fgets(line, sizeof(line), file))
		read = sscanf(line, "home = %4095[^\n]", home) == 1;
	if (file)
		fclose(file);
	return read;
}

static void *load(struct found_python *found, const char *folder, int mode)
{
	const char *const part = folder ? "/../lib/" : "";

	if (!path(found->library, "%s%slibpython%s.so.1.0", folder ? folder : "", part, found->version))
		return NULL;
	return dlopen(found->library, RTLD_LAZY | mode);
}

/* Load the shared library of a Python: from beside its executable, or from where the dynamic linker looks. */
static void *load_python(struct found_python *found, int mode)
{
	char real[PATH_MAX], home[PATH_MAX];
	void *loaded = NULL;
	char *name;

	if (*found->executable && realpath(found->executable, real)) {
		name = strrchr(real, '/');
		*name++ = '\0';
		if (!strncmp(name, "python", 6))
			take_version(found->version, name + 6);
		if (!*found->version)
			return NULL;
		loaded = load(found, real, mode);
		if (!loaded && find_home(found->executable, home))
			loaded = load(found, home, mode);
	}
	return loaded || !*found->version ? loaded : load(found, NULL, mode);
}

/* Find what the process has of Python's functions. Whether they are there. */
static int find_functions(void *handle)
{
#define COMCH_FIND(result, name, parameters) *(void **)&py.name = dlsym(handle, #name);
#define COMCH_IS_THERE(result, name, parameters) &&py.name
	COMCH_PYTHON(COMCH_FIND)
	COMCH_PYTHON_TO_3_13(COMCH_FIND)
	COMCH_PYTHON_FROM_3_14(COMCH_FIND)
	return 1 COMCH_PYTHON(COMCH_IS_THERE);
}

/* Find the Python that belongs to this library, and load its shared one. Writes what is missing. */
static void *open_python(struct found_python *found, int mode, char *reason)
{
	void *loaded;

	if (find_root(found->root)) {
		snprintf(reason, REASON_SIZE, "the place of this library cannot be found");
		return NULL;
	}
	find_executable(found);
	loaded = load_python(found, mode);
	if (loaded)
		return loaded;
	if (!*found->version)
		snprintf(reason, REASON_SIZE,
			 "%s/comch_next does not lie in an installation of Python; set COMCH_PYTHON to its executable",
			 found->root);
	else
		snprintf(reason, REASON_SIZE,
			 "%s has no shared library libpython%s.so.1.0 (configure --enable-shared, or the package libpython%s)",
			 *found->executable ? found->executable : "this system", found->version, found->version);
	return NULL;
}

/* Say what C programs lack of Python, or NULL. The text lasts until the next call. */
FACE const char *comch_face_lacks_python(void)
{
	static char reason[REASON_SIZE];
	struct found_python found = {0};
	void *const loaded = open_python(&found, RTLD_LOCAL, reason);

	if (!loaded)
		return reason;
	dlclose(loaded);
	return NULL;
}
