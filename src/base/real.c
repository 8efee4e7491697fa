#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool reads_back(const char *text, double v, bool is_single)
{
	double back = is_single ? (double)strtof(text, NULL) : strtod(text, NULL);
	return back <= v && back >= v;
}

void mer_put_real(struct mer_str *out, double v, bool is_single)
{
	char text[40];
	int digits = is_single ? 6 : 15;
	do
		snprintf(text, sizeof(text), "%.*g", digits, v);
	while (isfinite(v) && !reads_back(text, v, is_single) && digits++ < 17);
	for (char *p = text; *p; p++)
		if (*p == ',')
			*p = '.';
	mer_str_puts(out, text);
}
