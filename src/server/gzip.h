/* gzip, which browsers and other clients of HTTP unpack by themselves. */
#ifndef MER_SERVER_GZIP_H
#define MER_SERVER_GZIP_H

#include "base/err.h"
#include "base/str.h"

enum server_gzip { SERVER_GZIP_FAST = 1, SERVER_GZIP_SMALL = 9 };

/* Compresses the data and appends it to *to. MER_ERR_LIMIT: more than 2 GiB. */
int server_gzip(
	const struct mer_str *text, enum server_gzip how, struct mer_str *to, struct mer_err *err);

#endif
