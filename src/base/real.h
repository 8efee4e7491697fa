/* Floating point numbers as text: the shortest digits that read back as the same number, always
 * with a point, whatever the locale. */
#ifndef MER_BASE_REAL_H
#define MER_BASE_REAL_H

#include "base/str.h"

/* is_single: v came from 32 bits, so 3.1415927 stands for it. "inf", "-inf" and "nan" too. */
void mer_put_real(struct mer_str *out, double v, bool is_single);

#endif
