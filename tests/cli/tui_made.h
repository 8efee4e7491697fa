/* A made recording of two hosts for the terminal's model: answers by hand, and what was asked. */
#ifndef TESTS_CLI_TUI_MADE_H
#define TESTS_CLI_TUI_MADE_H

#include "cli/tui/model.h"

/* 10 ms from MADE_BEGIN on. Host a: CPU 0 and 1, a disk, process srv (threads 10 and 11), task 20;
 * host b: CPU 0, task 30, which has a name that a terminal would obey. */
#define MADE_BEGIN INT64_C(1000000000000000000)
enum { MADE_NS = 10000000 };

struct made {
	char asked[64][2048]; /* the last commands, with a blank behind each word, and lanes */
	size_t n_asked;
	bool gives_up;	     /* nobody waits for answers */
	const char *refuses; /* what begins so has no answer; NULL: nothing */
};
struct tui_source made_source(struct made *m);
/* Was it asked, whole or with more behind it? */
bool made_was_asked(const struct made *m, const char *begin);

#endif
