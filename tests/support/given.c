#include "given.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

const char *given_environment(const char *name)
{
	const char *value = getenv(name);
	if (!value) {
		print_message("skipped: %s is not set, this is run by ctest\n", name);
		skip();
	}
	return value;
}

bool given_find(char *path, size_t size, const char *name)
{
	if (strncmp(name, "lab/", 4) == 0)
		snprintf(path, size, "%s/%s", given_environment("RECORDINGS"), name + 4);
	else
		snprintf(path, size, "%s/../shared/%s%s", given_environment("SRC"),
			strncmp(name, "public", 6) == 0 ? "traces/" : "", name);
	return access(path, R_OK) == 0;
}

void given_path(char *path, size_t size, const char *name)
{
	if (given_find(path, size, name))
		return;
	print_message("skipped: there is no %s\n", name);
	skip();
}
