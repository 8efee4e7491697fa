#include "server/gzip.h"

#include <stdint.h>
#include <zlib.h>

int server_gzip(
	const struct mer_str *text, enum server_gzip how, struct mer_str *to, struct mer_err *err)
{
	enum { GZIP = 16 };
	z_stream z = { .next_in = (Bytef *)text->data, .avail_in = (uInt)text->len };
	if (text->len > UINT32_MAX / 2)
		return mer_fail(err, MER_ERR_LIMIT, "more than 2 GiB cannot be compressed");
	if (deflateInit2(&z, how, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL,
		    Z_DEFAULT_STRATEGY) != Z_OK)
		return mer_fail_nomem(err);
	size_t most = deflateBound(&z, (uLong)text->len);
	bool ok = mer_str_reserve(to, most);
	z.next_out = ok ? (Bytef *)to->data + to->len : NULL;
	z.avail_out = (uInt)most;
	ok = ok && deflate(&z, Z_FINISH) == Z_STREAM_END;
	if (ok)
		to->len += z.total_out;
	deflateEnd(&z);
	return ok ? 0 : mer_fail_nomem(err);
}
