/* Plan: the command lines of a recording, made from a preset.
 *
 * --dry-run prints the same lines that run on hosts. When they run, each names its session, so
 * that two recordings on one host do not interfere, and events that the host does not have are left
 * out; when printed, they are what people would type, with all names. */
#ifndef MER_RECORD_PLAN_H
#define MER_RECORD_PLAN_H

#include "base/str.h"
#include "record/facts.h"

enum record_backend { RECORD_LTTNG, RECORD_TRACEFS, RECORD_PERF, RECORD_N_BACKENDS };
const char *record_backend_name(unsigned b); /* "lttng", "ftrace", "perf" */

struct record_plan {
	const char *label;   /* of the recording: "trace_261126_1803" */
	const char *session; /* the tracer's session, a unique name; NULL: the lines are printed */
	struct record_preset preset;
	enum record_mode { RECORD_NORMAL, RECORD_SNAPSHOT, RECORD_LIVE } mode;
	int64_t rotate_ns; /* 0: no rotation */
	/* Which tracer records the kernel; RECORD_N_BACKENDS: the first one that the host has. */
	unsigned backend;
};

/* Lists the preset's events for this tracer that the host should have and lacks: "a, b". */
void record_plan_missing(const struct record_plan *p, const struct record_facts *f,
	enum record_backend backend, struct mer_str *missing);

/* Does the preset need packet headers or names, which only probes record? */
bool record_plan_has_probes(const struct record_plan *p);

/* The preset's events for ftrace and perf; f NULL: for an unknown host, taken as the newest. */
typedef void record_each_event(void *ctx, const char *name);
void record_plan_each_event(const struct record_plan *p, const struct record_facts *f,
	record_each_event *act, void *ctx);
/* Size of the kernel buffer of each CPU. */
uint64_t record_plan_buffer_kib(const struct record_plan *p);

/* Each appends lines. folder: for the traces, quoted for a shell; f NULL: unknown host. */
void record_plan_create(const struct record_plan *p, const char *folder, struct mer_str *out);
void record_plan_channels(const struct record_plan *p, struct mer_str *out);
void record_plan_events(const struct record_plan *p, const struct record_facts *f, bool titles,
	struct mer_str *out);
/* Runs after these and before the start; appends nothing without rotation. */
void record_plan_rotation(const struct record_plan *p, struct mer_str *out);
void record_plan_start(const struct record_plan *p, struct mer_str *out);
/* Stops recording; takes the snapshot first. */
void record_plan_stop(const struct record_plan *p, struct mer_str *out);
void record_plan_destroy(const struct record_plan *p, struct mer_str *out);
/* perf record, until it is interrupted; without its output. */
void record_plan_perf(const struct record_plan *p, const struct record_facts *f, const char *folder,
	struct mer_str *out);

#endif
