/* Text as ASCII, where the reader has nothing else. */
#ifndef MER_ASK_PRINT_ASCII_H
#define MER_ASK_PRINT_ASCII_H

#include "base/str.h"

/* Symbols of ours become look-alikes of the same width, others are escaped; line ends and tabs
 * pass. */
void ask_ascii(struct mer_str *out, const char *s, size_t len);

#endif
