/* A stub that the dynamic linker asks for each library (LD_AUDIT, see rtld-audit(7)): programs that name DOCA's
 * libraries by an absolute path, where there are none, get those of the toolkit.
 *
 * COMCH_COMPAT_LIBRARIES lists the folders with the libraries of the toolkit. A file that exists is left alone, and a
 * name without a path to the linker, which finds ours by LD_LIBRARY_PATH; with COMCH_COMPAT_FORCE=1 all are redirected.
 * Of a library of the toolkit one file is loaded, by whatever name.
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

static int found(const char *folder, int length, const char *base, const char *suffix)
{
    int needed = snprintf(redirected, sizeof redirected, "%.*s/%s%s", length, folder, base, suffix);
    return needed > 0 && (size_t)needed < sizeof redirected && access(redirected, F_OK) == 0;
}

/* The versioned file comes first: the unversioned one is a link to it, or a copy where links cannot be installed, and
 * a program is to have one of them only, by whatever name it asks. */
static int found_either(const char *folder, int length, const char *base)
{
    size_t end = strlen(base) - 3;
    return (strcmp(base + end, ".so") == 0 && found(folder, length, base, ".2")) || found(folder, length, base, "");
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
    const char *folder = getenv("COMCH_COMPAT_LIBRARIES");
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;
    int length;

    (void)cookie;
    if (strncmp(base, "libdoca_", 8) != 0 || (flag == LA_SER_ORIG && !is_wanted(name)))
        return (char *)name;
    for (; folder != NULL && *folder != '\0'; folder += length + (folder[length] == ':')) {
        int lies_there;
        length = (int)strcspn(folder, ":");
        lies_there = slash == name + length && strncmp(name, folder, (size_t)length) == 0;
        if ((flag == LA_SER_ORIG || lies_there) && found_either(folder, length, base))
            return redirected;
    }
    return (char *)name;
}

#endif
