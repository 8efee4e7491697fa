#include "base/human.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void mer_put_count(struct mer_str *out, int64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v < 0 ? -(uint64_t)v : (uint64_t)v);
	if (v < 0)
		mer_str_putc(out, '-');
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			mer_str_putc(out, ',');
		mer_str_putc(out, digits[i]);
	}
}

/* v in the largest unit that keeps it at least 1, with three digits. */
static void with_unit(
	struct mer_str *out, double v, double step, const char *const *units, size_t n)
{
	size_t u = 0;
	/* From 999.5 on it would be shown as 1000: then the next unit is used. */
	while (u + 1 < n && fabs(v) >= (step > 1000 ? step : 999.5)) {
		v /= step;
		u++;
	}
	int decimals = fabs(v) < 9.995 ? 2 : fabs(v) < 99.95 ? 1 : 0;
	mer_str_printf(out, "%.*f %s", u ? decimals : 0, v, units[u]);
}

void mer_put_bytes(struct mer_str *out, int64_t v)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	with_unit(out, (double)v, 1024, units, 7);
}

void mer_put_duration(struct mer_str *out, int64_t v)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	int64_t s = v / 1000000000;
	if (s >= 86400)
		mer_str_printf(out, "%" PRId64 "d %02dh", s / 86400, (int)(s / 3600 % 24));
	else if (s >= 3600)
		mer_str_printf(out, "%dh %02dmin", (int)(s / 3600), (int)(s / 60 % 60));
	else if (s >= 60)
		mer_str_printf(out, "%dmin %02ds", (int)(s / 60), (int)(s % 60));
	else
		with_unit(out, (double)v, 1000, units, 4);
}
