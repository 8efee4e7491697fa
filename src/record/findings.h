/* Findings: what stands in the way of a recording, or of its clocks, and the line that repairs it.
 *
 * Found from facts alone, before anything is done on a host. A fatal finding ends the recording;
 * that a host records with another tracer than LTTng is a warning, never silent. */
#ifndef MER_RECORD_FINDINGS_H
#define MER_RECORD_FINDINGS_H

#include "record/run.h"

enum record_severity { RECORD_NOTE, RECORD_WARNING, RECORD_FATAL };

struct record_finding {
	enum record_severity severity;
	const char *host;   /* name */
	const char *text;   /* a sentence without its full stop */
	const char *repair; /* lines to type there; NULL: none */
};

struct record_findings {
	struct mer_arena *arena;
	struct record_finding *item; /* malloc'ed */
	size_t n, cap;
	bool failed;
	bool is_root; /* there, of the host that is looked at */
};

/* Of a recording: what the plan needs. Decides about h->backend. */
void record_findings_of_run(struct record_run *r, struct record_findings *f);
/* Of the clocks of a host, for those who want to know: `record doctor`. */
void record_findings_of_clock(const struct record_host *h, struct record_findings *f);
/* Why the tracer cannot record the host's kernel, in a few words; NULL: it can. */
const char *record_not_ftrace(const struct record_facts *x);
const char *record_not_perf(const struct record_facts *x);
bool record_findings_fatal(const struct record_findings *f);
void record_findings_free(struct record_findings *f);

#endif
