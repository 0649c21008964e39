/* The release whose signatures the faces have (doca_version.h). */
#include <doca_version.h>

FACE const char *doca_version(void)
{
	return COMCH_FACE_RELEASE;
}

FACE const char *doca_version_runtime(void)
{
	return COMCH_FACE_RELEASE;
}
