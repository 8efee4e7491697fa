/* Errors: how a function says why it failed.
 *
 * A function that can fail returns 0, or a negative MER_ERR_* code and a filled struct mer_err. The
 * text is a sentence fit to print, with the place in it; on success the struct is untouched, so
 * that calls chain. Only src/cli prints it. Damage that can be survived is not an error but a
 * diagnostic: see diag.h. */
#ifndef MER_BASE_ERR_H
#define MER_BASE_ERR_H

#include <stdarg.h>
#include <stdint.h>
#include "meridian/meridian.h"

/* Fills err (NULL allowed) and returns code. */
int mer_fail(struct mer_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int mer_vfail(struct mer_err *err, int code, const char *fmt, va_list ap);
/* The same, with a remedy; the text must be complete without it. */
int mer_fail_remedy(struct mer_err *err, int code, enum mer_remedy remedy, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Out of memory: the one error that must not allocate. */
int mer_fail_nomem(struct mer_err *err);
/* A system call on path failed; the text ends with what errno means. */
int mer_fail_errno(struct mer_err *err, const char *what, const char *path);

#endif
