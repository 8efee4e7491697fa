/* Tracefs: the lines of a recording by ftrace, in an instance of our own: the buffer and the events
 * that others have switched on stay as they are.
 *
 * They need a shell and coreutils on the host. While it records, what is in the buffers is written
 * to files, page by page; pages that are not full are read at the end. The folder gets raw/, as
 * ftrace/read_raw.c reads it, and proc-before/ and proc-after/ (scripts/proc.sh): what is there
 * right after the start, while it is recorded, and after the end. */
#ifndef MER_RECORD_TRACEFS_H
#define MER_RECORD_TRACEFS_H

#include "record/plan.h"
#include "record/probes.h"

struct record_tracefs {
	const struct record_plan *plan;
	const struct record_facts *facts; /* NULL: of a host that is not known */
	const struct record_skb *skb;
	const char *folder; /* a word of a shell */
};

/* Each adds the lines of a step that does not depend on what a shell knows from the one before. */
void record_tracefs_create(const struct record_tracefs *t, struct mer_str *out);
void record_tracefs_buffers(const struct record_tracefs *t, struct mer_str *out);
void record_tracefs_events(const struct record_tracefs *t, struct mer_str *out);
/* What is known before all hosts start together; then, in the same shell, the start. */
void record_tracefs_ready(const struct record_tracefs *t, struct mer_str *out);
void record_tracefs_start(const struct record_tracefs *t, struct mer_str *out);
void record_tracefs_stop(const struct record_tracefs *t, struct mer_str *out);
/* What any tracer but LTTng needs besides: /proc, when: "before" or "after". */
void record_tracefs_state(const struct record_tracefs *t, const char *when, struct mer_str *out);
/* Good when instance and probes are gone, whoever removed them. */
void record_tracefs_destroy(const struct record_tracefs *t, struct mer_str *out);
/* "discarded N": events that were overwritten or dropped so far; "full": the disk is. */
void record_tracefs_losses(const struct record_tracefs *t, struct mer_str *out);
/* All of it as people would type it, with the command in the middle. */
void record_tracefs_print(const struct record_tracefs *t, const char *command, struct mer_str *out);

#endif
