/* Tracefs: the command lines of a recording with ftrace, in an instance of its own: the main
 * buffer, and events that others have enabled, stay unchanged.
 *
 * They need a shell and coreutils on the host. While recording, the buffers are written to files,
 * page by page; partial pages are read at the end. The folder gets raw/, in the layout that
 * ftrace/pages/read_raw.c reads, and proc-before/ and proc-after/ (scripts/proc.sh): copies of
 * /proc, taken right after the start, while recording, and after the end. */
#ifndef MER_RECORD_TRACEFS_H
#define MER_RECORD_TRACEFS_H

#include "record/plan.h"
#include "record/probes.h"

struct record_tracefs {
	const struct record_plan *plan;
	const struct record_facts *facts; /* NULL: unknown host */
	const struct record_skb *skb;
	const char *folder; /* quoted for a shell */
};

/* Each appends the lines of a step, which needs no shell variables of the step before. */
void record_tracefs_create(const struct record_tracefs *t, struct mer_str *out);
void record_tracefs_buffers(const struct record_tracefs *t, struct mer_str *out);
void record_tracefs_events(const struct record_tracefs *t, struct mer_str *out);
/* Preparation before all hosts start together; then, in the same shell, the start. */
void record_tracefs_ready(const struct record_tracefs *t, struct mer_str *out);
void record_tracefs_start(const struct record_tracefs *t, struct mer_str *out);
void record_tracefs_stop(const struct record_tracefs *t, struct mer_str *out);
/* Copies /proc, which all tracers but LTTng need in addition; when: "before" or "after". */
void record_tracefs_state(const struct record_tracefs *t, const char *when, struct mer_str *out);
/* Succeeds if the instance is gone, whoever removed it. Also removes the probes, except those that
 * another recording uses. */
void record_tracefs_destroy(const struct record_tracefs *t, struct mer_str *out);
/* Prints "discarded N", the events that were overwritten or dropped so far, and "full" if the disk
 * is full. */
void record_tracefs_losses(const struct record_tracefs *t, struct mer_str *out);
/* All lines as people would type them, with the command in the middle. */
void record_tracefs_print(const struct record_tracefs *t, const char *command, struct mer_str *out);

#endif
