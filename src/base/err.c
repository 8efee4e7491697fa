#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int mer_vfail(struct mer_err *err, int code, const char *fmt, va_list ap)
{
	if (!err)
		return code;
	err->code = code;
	err->remedy = MER_REMEDY_NONE;
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

int mer_fail_remedy(struct mer_err *err, int code, enum mer_remedy remedy, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	mer_vfail(err, code, fmt, ap);
	va_end(ap);
	if (err)
		err->remedy = remedy;
	return code;
}

const char *mer_remedy_name(enum mer_remedy remedy)
{
	static const char *const names[MER_N_REMEDIES] = {
		[MER_REMEDY_HOSTS] = "hosts",
		[MER_REMEDY_CPUS] = "cpus",
		[MER_REMEDY_BEGIN] = "begin",
		[MER_REMEDY_END] = "end",
		[MER_REMEDY_WINDOW_ORDER] = "window-order",
		[MER_REMEDY_SHORTER_WINDOW] = "shorter-window",
		[MER_REMEDY_FILTER] = "filter",
		[MER_REMEDY_GROUP_BY] = "group-by",
		[MER_REMEDY_FEWER_ROWS] = "fewer-rows",
		[MER_REMEDY_FEWER_BINS] = "fewer-bins",
		[MER_REMEDY_NO_GRAPHVIZ] = "no-graphviz",
		[MER_REMEDY_FEWER_RELATIONS] = "fewer-relations",
		[MER_REMEDY_PERIOD] = "period",
		[MER_REMEDY_PERIOD_EVENTS] = "period-events",
		[MER_REMEDY_PERIOD_FILTER] = "period-filter",
		[MER_REMEDY_PERIOD_LIMITS] = "period-limits",
		[MER_REMEDY_PERIOD_KEY] = "period-key",
		[MER_REMEDY_PERIOD_KEYED] = "period-keyed",
		[MER_REMEDY_PERIOD_WINDOW] = "period-window",
		[MER_REMEDY_PERIOD_OPEN] = "period-open",
		[MER_REMEDY_PERIOD_MANY] = "period-many",
		[MER_REMEDY_PERIOD_NEEDED] = "period-needed",
		[MER_REMEDY_VIEW] = "view",
		[MER_REMEDY_CLOCK_WRAP] = "clock-wrap",
		[MER_REMEDY_KEEP_OFFSETS] = "keep-offsets",
		[MER_REMEDY_IGNORE_UUID] = "ignore-uuid",
		[MER_REMEDY_METHOD_AUTO] = "method-auto",
		[MER_REMEDY_DRIFT_LIMIT] = "drift-limit",
		[MER_REMEDY_LATENCIES] = "latencies",
		[MER_REMEDY_NEW_FOLDER] = "new-folder",
		[MER_REMEDY_GUEST] = "guest",
		[MER_REMEDY_SAVE_CLOCKS] = "save-clocks",
	};
	return remedy < MER_N_REMEDIES ? names[remedy] : NULL;
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
