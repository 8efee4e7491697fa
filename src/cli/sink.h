/* Where results go: the stream ask->out, which every verb writes to, ends in a sink that knows what
 * may leave the program.
 *
 * Verbs make what they print safe themselves (base/safe_text.h). For text that people read the
 * sink holds to it once more, whoever forgot: what a terminal would obey is escaped, and where
 * the locale is not UTF-8, blocks, arrows and ellipses become ASCII of the same width and other
 * characters escapes. For programs (JSON, CSV, SVG, DOT) bytes pass as they are, in UTF-8
 * always. */
#ifndef MER_CLI_SINK_H
#define MER_CLI_SINK_H

#include <stdio.h>
#include <stdint.h>
#include "base/str.h"

struct cli_sink {
	int fd;
	bool is_text, ascii, bold; /* bold: \033[1m and \033[0m pass */
	bool is_guarded;	   /* CSV for spreadsheets: no formulas */
	int error;		   /* errno of the first write that failed; 0: none did */
	uint64_t n_bytes;	   /* that were written */
	/* private */
	struct mer_str made;
	struct mer_str
		rest; /* what a write ended with that is not whole: a character, a CSV field */
	bool in_quotes;
};

/* A stream into the sink; the fields above private are filled. NULL: no memory. Closing the stream
 * leaves fd open. */
FILE *cli_sink_open(struct cli_sink *s);

/* Whether the user's locale is UTF-8 (LC_ALL, LC_CTYPE, LANG). */
bool cli_locale_is_utf8(void);

#endif
