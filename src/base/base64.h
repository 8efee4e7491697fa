/* Bytes as text: RFC 4648, section 4, with padding. */
#ifndef MER_BASE_BASE64_H
#define MER_BASE_BASE64_H

#include "base/str.h"

#include <stddef.h>

/* Appends len bytes; out->failed when memory is missing. */
void mer_base64_put(struct mer_str *out, const unsigned char *bytes, size_t len);

#endif
