#include "base/time_unit.h"

#include <string.h>

static const struct {
	const char *name;
	int64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "\xc2\xb5s", 1000 }, /* the micro sign, and the Greek letter */
	{ "\xce\xbcs", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "min", INT64_C(60000000000) },
	{ "m", INT64_C(60000000000) },
	{ "h", INT64_C(3600000000000) },
	{ "d", INT64_C(86400000000000) },
};

int64_t mer_time_unit(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == len && memcmp(units[i].name, name, len) == 0)
			return units[i].ns;
	return 0;
}
