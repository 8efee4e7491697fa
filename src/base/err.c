#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int mer_vfail(struct mer_err *err, int code, const char *fmt, va_list ap)
{
	if (!err)
		return code;
	err->code = code;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	return code;
}

int mer_fail(struct mer_err *err, int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	mer_vfail(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int mer_fail_nomem(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_NOMEM, "out of memory");
}

int mer_fail_errno(struct mer_err *err, const char *what, const char *path)
{
	int e = errno;
	if (e == ENOMEM)
		return mer_fail_nomem(err);
	return mer_fail(err, MER_ERR_SYS, "%s: cannot %s: %s", path, what, strerror(e));
}
