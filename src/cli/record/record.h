/* meridian record: from the command line to a recording (record/run.h), and what is said of it.
 *
 *   cmd_record.c      options, and which of these is meant
 *   record_setup.c    from options to a plan and hosts
 *   record_run.c      a recording from beginning to end
 *   record_report.c   what people see of hosts, findings and results
 *   record_lines.c    --dry-run
 *   record_measure.c  --measure: what presets cost
 *   record_others.c   doctor, keepalive, fetch, clean
 *
 * All that is said while recording goes to stderr: stdout is the command's. */
#ifndef MER_CLI_RECORD_H
#define MER_CLI_RECORD_H

#include "ask/context.h"
#include "record/findings.h"
#include "record/manifest.h"
#include "record/run.h"

struct record_options {
	struct session_texts hosts, purposes, add, user;
	const char *output, *buffers;
	unsigned backend; /* 0: auto; else one more than the tracer */
	bool snapshot, live, dry_run, grow, keep_remote, measure;
	struct ask_amount rotate, duration, every;
};

/* What a recording is, with all that it is made of; zeroed before. */
struct recording {
	struct ask *ask;
	const struct record_options *o;
	struct record_run run;
	struct record_about about;
	struct record_findings findings;
	const char *leftover;	       /* path; NULL: none is kept */
	bool is_looked_at, has_events; /* of the traces that are here */
};

/* Fills run.plan: presets, events, buffers, mode, a label. */
int record_setup_plan(struct recording *r);
/* Hosts as --hosts says; the own one when it says nothing. words: hosts besides. */
int record_setup_hosts(struct recording *r, const char *const *words, size_t n);
void record_setup_free(struct recording *r);

/* The lines that a recording consists of: --dry-run. */
int record_print_lines(struct recording *r);
int record_run_all(struct recording *r);
int record_measure_costs(struct recording *r);

int record_doctor(struct recording *r);
int record_keepalive(struct recording *r);
int record_fetch_again(struct recording *r);
int record_clean_leftovers(struct recording *r);
/* Offers to clean up what was left over, or says how. */
void record_offer_cleaning(struct recording *r);

/* ---- What people see ---- */

void record_talk_to_people(struct recording *r);
void record_print_hosts(struct recording *r, FILE *out);
void record_print_findings(struct recording *r, FILE *out);
void record_print_result(struct recording *r);
/* Are there traces, all here, without any event? */
bool record_is_empty(const struct recording *r);
/* What to type next. */
void record_print_next(struct recording *r);

#endif
