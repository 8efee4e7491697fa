#include "base/options.h"

#include <string.h>

int mer_options_read(
	void *to, size_t size, size_t first_size, const void *from, struct mer_err *err)
{
	size_t given = size;
	memset(to, 0, size);
	if (!from)
		return 0;
	memcpy(&given, from, sizeof(given));
	if (given == 0)
		given = first_size;
	if (given < sizeof(size_t))
		return mer_fail(err, MER_ERR_USAGE,
			"the size of options is %zu: it must be sizeof of their struct", given);
	for (size_t i = size; i < given; i++)
		if (((const unsigned char *)from)[i])
			return mer_fail(err, MER_ERR_USAGE,
				"the options are of a later version than this library");
	memcpy(to, from, given < size ? given : size);
	return 0;
}
