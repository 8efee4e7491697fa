#include "ftrace/unpack.h"

#include <string.h>
#include <zlib.h>
#ifdef MER_HAS_ZSTD
#include <zstd.h>
#endif

int ftrace_packing_of(const char *name, enum ftrace_packing *packing, struct mer_err *err)
{
	*packing = FTRACE_PLAIN;
	if (strcmp(name, "none") == 0)
		return 0;
	if (strcmp(name, "zlib") == 0) {
		*packing = FTRACE_ZLIB;
		return 0;
	}
	if (strcmp(name, "zstd") != 0)
		return mer_fail(err, MER_ERR_INPUT,
			"it is compressed with '%.40s', which is not known", name);
#ifdef MER_HAS_ZSTD
	*packing = FTRACE_ZSTD;
	return 0;
#else
	return mer_fail(err, MER_ERR_INPUT,
		"it is compressed with zstd, and this meridian was built without libzstd; install it (Debian: libzstd-dev) and build meridian again");
#endif
}

int ftrace_unpack(enum ftrace_packing packing, const void *in, size_t n_in, void *out,
	size_t *n_out, struct mer_err *err)
{
	bool ok = packing == FTRACE_PLAIN && n_in <= *n_out;
	if (ok) {
		memcpy(out, in, n_in);
		*n_out = n_in;
	}
	if (packing == FTRACE_ZLIB) {
		uLongf n = *n_out;
		ok = uncompress(out, &n, in, n_in) == Z_OK;
		*n_out = n;
	}
#ifdef MER_HAS_ZSTD
	if (packing == FTRACE_ZSTD) {
		*n_out = ZSTD_decompress(out, *n_out, in, n_in);
		ok = !ZSTD_isError(*n_out);
	}
#endif
	return ok ? 0 : mer_fail(err, MER_ERR_INPUT, "a compressed block is damaged");
}
