/* Kernel case: a scenario, or descriptions of traces as XML, read into a world of tasks.
 *
 * The recorded clocks are believed: those of the cases are the same on all hosts. Failures are the
 * test's. */
#ifndef TESTS_KERNEL_CASE_H
#define TESTS_KERNEL_CASE_H

#include "kernel/world.h"
#include "sync/auto.h"
#include "base/str.h"

enum { KERNEL_CASE_TICK = 1000 }; /* ns: 10 in a description is 10 us */

struct kernel_case {
	char dir[64]; /* goes away with the case */
	struct mer_experiment *e;
	struct sync_messages messages;
	struct sync_result *result;
	struct kernel_world *w;
};

/* Skips the test when these descriptions, below cases/xml-traces beside the project, are absent;
 * blanks between them. Each becomes a host, whose name is before the "=" if there is one. options:
 * of tools/xml_scenario. only: this host's traces alone are opened; NULL: all. */
void kernel_case_open_xml(
	struct kernel_case *c, const char *descriptions, const char *options, const char *only);
/* A scenario of the project. */
void kernel_case_open(struct kernel_case *c, const char *scenario, const char *only);
void kernel_case_close(struct kernel_case *c);

/* Skips when it is not there; to be freed. */
char *kernel_case_read(const char *name);

uint32_t kernel_case_host(const struct kernel_case *c, const char *name);
/* The test fails when there is none, or several. */
uint32_t kernel_case_task(const struct kernel_case *c, uint32_t host, int32_t tid);
/* End of a span: the begin of the task's next one, or the task's end. */
int64_t kernel_case_span_end(const struct kernel_host *h, uint32_t span);

#endif
