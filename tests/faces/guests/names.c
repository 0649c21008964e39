/* The name and description of every code, and of numbers that are none; the codes as switch cases. */
#include <doca_error.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	const char *names[] = {"DOCA_SUCCESS", "DOCA_ERROR_AGAIN", "DOCA_ERROR_CONNECTION_INPROGRESS",
			       "DOCA_ERROR_IN_PROGRESS", "DOCA_ERROR_SKIPPED"};
	doca_error_t codes[] = {DOCA_SUCCESS, DOCA_ERROR_AGAIN, DOCA_ERROR_CONNECTION_INPROGRESS,
				DOCA_ERROR_IN_PROGRESS, DOCA_ERROR_SKIPPED};

	for (int index = 0; index < 5; index++)
		printf("%d %s\n", codes[index],
		       strcmp(doca_error_get_name(codes[index]), names[index]) == 0 ? names[index] : "another name");
	for (int code = 0; code <= 30; code++)
		if (doca_error_get_name(code) == NULL || strlen(doca_error_get_descr(code)) == 0 ||
		    doca_error_get_name(code) != doca_error_get_name(code))
			printf("%d has no name\n", code);
	for (int code = -1; code < 1 << 20; code += 999)
		if (code < 0 || code > 30)
			if (doca_error_get_name(code) == NULL || doca_error_get_descr(code) == NULL)
				printf("%d has no text\n", code);
	printf("%d %d\n", DOCA_IS_ERROR(DOCA_ERROR_AGAIN), DOCA_IS_ERROR(DOCA_SUCCESS));
	return 0;
}
