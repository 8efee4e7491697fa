/* Findings: problems of a recording or of its clocks, each with the command that repairs it.
 *
 * They are derived from facts alone, before anything is done on a host. A fatal finding ends the
 * recording. If a host records with another tracer than LTTng, what will be missing is a warning if
 * several hosts are recorded, and a note otherwise. */
#ifndef MER_RECORD_FINDINGS_H
#define MER_RECORD_FINDINGS_H

#include "record/run.h"

enum record_severity { RECORD_NOTE, RECORD_WARNING, RECORD_FATAL };

struct record_finding {
	enum record_severity severity;
	const char *host;   /* name */
	const char *text;   /* a sentence without the full stop */
	const char *repair; /* commands to type on that host; NULL: none */
};

struct record_findings {
	struct mer_arena *arena;
	struct record_finding *item; /* malloc'ed */
	size_t n, cap;
	bool failed;
	bool is_root; /* the user is root on the host that is being checked */
};

/* Findings about a recording: what the plan needs. Chooses h->backend. */
void record_findings_of_run(struct record_run *r, struct record_findings *f);
/* Findings about a host's clocks, for `record doctor`. */
void record_findings_of_clock(const struct record_host *h, struct record_findings *f);
/* Why the tracer cannot record the host's kernel, in a few words; NULL: it can. */
const char *record_not_ftrace(const struct record_facts *x);
const char *record_not_perf(const struct record_facts *x);
bool record_findings_fatal(const struct record_findings *f);
void record_findings_free(struct record_findings *f);

#endif
