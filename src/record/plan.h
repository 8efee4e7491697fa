/* Plan: the lines of a recording, from what is to be recorded.
 *
 * The same lines are printed by --dry-run and run on hosts. Run, each names its session, so that
 * two recordings on one host do not meddle with each other, and events that the host does not have
 * are left out; printed, they are what people type, with all names. */
#ifndef MER_RECORD_PLAN_H
#define MER_RECORD_PLAN_H

#include "base/str.h"
#include "record/facts.h"

enum record_backend { RECORD_LTTNG, RECORD_TRACEFS, RECORD_PERF, RECORD_N_BACKENDS };
const char *record_backend_name(unsigned b); /* "lttng", "ftrace", "perf" */

struct record_plan {
	const char *label;   /* of the recording: "trace_261126_1803" */
	const char *session; /* of the tracer, known to no other; NULL: printed */
	struct record_preset preset;
	enum record_mode { RECORD_NORMAL, RECORD_SNAPSHOT, RECORD_LIVE } mode;
	int64_t rotate_ns; /* 0: not */
	/* Which tracer records the kernel; RECORD_N_BACKENDS: the first that a host offers. */
	unsigned backend;
};

/* What of the preset's events for this tracer the host lacks and should have: "a, b". */
void record_plan_missing(const struct record_plan *p, const struct record_facts *f,
	enum record_backend backend, struct mer_str *missing);

/* Does it want headers of packets or names, which only probes record? */
bool record_plan_has_probes(const struct record_plan *p);

/* The preset's events for ftrace and perf; f NULL: of a host that is not known, the newest. */
typedef void record_each_event(void *ctx, const char *name);
void record_plan_each_event(const struct record_plan *p, const struct record_facts *f,
	record_each_event *act, void *ctx);
/* Of the kernel's buffer of each CPU. */
uint64_t record_plan_buffer_kib(const struct record_plan *p);

/* Each adds lines. folder: where traces go, as a word of a shell; f: NULL: of a host that is not
 * known. */
void record_plan_create(const struct record_plan *p, const char *folder, struct mer_str *out);
void record_plan_channels(const struct record_plan *p, struct mer_str *out);
void record_plan_events(const struct record_plan *p, const struct record_facts *f, bool titles,
	struct mer_str *out);
/* After these, before the start; nothing where there is none. */
void record_plan_rotation(const struct record_plan *p, struct mer_str *out);
void record_plan_start(const struct record_plan *p, struct mer_str *out);
/* Ends recording; a snapshot is taken before. */
void record_plan_stop(const struct record_plan *p, struct mer_str *out);
void record_plan_destroy(const struct record_plan *p, struct mer_str *out);
/* perf record, until it is interrupted; without its output. */
void record_plan_perf(const struct record_plan *p, const struct record_facts *f, const char *folder,
	struct mer_str *out);

#endif
