/* A stub that the dynamic linker asks for each library (LD_AUDIT, see rtld-audit(7)): programs that name DOCA's
 * libraries by an absolute path, where there are none, get those of the toolkit.
 *
 * COMCH_COMPAT_LIBRARIES lists the folders with the libraries of the toolkit. A file that exists is left alone, and a
 * name without a path to the linker, which finds ours by LD_LIBRARY_PATH; with COMCH_COMPAT_FORCE=1 all are redirected.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LAV_CURRENT  /* glibc; elsewhere nobody asks */

/* The linker copies it before it asks again, and asks under its lock. */
static char redirected[PATH_MAX];

unsigned int la_version(unsigned int version)
{
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

static int is_wanted(const char *name)
{
    const char *force = getenv("COMCH_COMPAT_FORCE");
    if (force != NULL && strcmp(force, "1") == 0)
        return 1;
    return strchr(name, '/') != NULL && access(name, F_OK) != 0;
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
    const char *folder = getenv("COMCH_COMPAT_LIBRARIES");
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;

    (void)cookie;
    if (flag != LA_SER_ORIG || strncmp(base, "libdoca_", 8) != 0 || !is_wanted(name))
        return (char *)name;
    while (folder != NULL && *folder != '\0') {
        int length = (int)strcspn(folder, ":");
        int needed = snprintf(redirected, sizeof redirected, "%.*s/%s", length, folder, base);
        if (needed > 0 && (size_t)needed < sizeof redirected && access(redirected, F_OK) == 0)
            return redirected;
        folder += length + (folder[length] == ':');
    }
    return (char *)name;
}

#endif
