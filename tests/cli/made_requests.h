/* Requests of a small world by hand (calls_world.h), as the verb requests exports them. Its one
 * host is called h"1. */
#ifndef TESTS_MADE_REQUESTS_H
#define TESTS_MADE_REQUESTS_H

#include "calls_world.h"
#include "ask/requests/requests_print.h"

struct made_requests {
	struct calls_world c;
	struct ask ask;
	struct mer_host host;
	struct mer_experiment e;
	struct session_world w;
	struct requests_kinds kinds;
	struct mer_str out;
};

typedef int made_requests_writer(const struct ask_requests *c, FILE *file, struct mer_str *out);

void made_requests_open(struct made_requests *m, const char *world);
/* chosen: their ids. */
const char *made_requests_write(
	struct made_requests *m, made_requests_writer *write, const char *chosen);
void made_requests_close(struct made_requests *m);

/* 10 sends to 20, which sends to 30 and then waits for a lock for 3 ms. */
#define MADE_NESTED                                                                                \
	"pair 10:5 20:7\npair 20:8 30:9\n"                                                         \
	"1000-1001 10 write 5 10\n1002-1003 20 read 7 10\n1004-1005 20 write 8 20\n"               \
	"1006-1007 30 read 9 20\n1008-1009 30 write 9 30\n1010-1011 20 read 8 30\n"                \
	"1012 20 blocked futex by 30\n4012 20 user\n"                                              \
	"4013-4014 20 write 7 40\n4015-4016 10 read 5 40\n"

#endif
