/* --period: only what happens between two events is looked at (analysis/period.h). For the verbs
 * that run analyses. */
#ifndef MER_ASK_PERIOD_H
#define MER_ASK_PERIOD_H

#include "analysis/period.h"
#include "ask/answer.h"
#include "ask/words/options.h"

struct ask_period_values { /* of options */
	const char *expression;
	struct session_texts by;
	struct ask_amount min, max;
};

/* Rows of a verb's options; member: the struct ask_period_values in the verb's values. */
#define ASK_PERIOD_OPTIONS(type, member)                                                           \
	{ .name = "period",                                                                        \
		.kind = ASK_TEXT,                                                                  \
		.arg = "EXPR",                                                                     \
		.help = "only between two events, 'BEGIN : END'",                                  \
		.offset = offsetof(type, member.expression) },                                     \
		{ .name = "period-by",                                                             \
			.kind = ASK_TEXTS,                                                         \
			.choices = "host|cpu|tid|comm",                                            \
			.arg = "KEY",                                                              \
			.help = "match by host, cpu, tid, comm or FIELD",                          \
			.in_manual_only = true,                                                    \
			.offset = offsetof(type, member.by) },                                     \
		{ .name = "period-min",                                                            \
			.kind = ASK_DURATION,                                                      \
			.arg = "TIME",                                                             \
			.help = "only periods of at least TIME",                                   \
			.in_manual_only = true,                                                    \
			.offset = offsetof(type, member.min) },                                    \
	{                                                                                          \
		.name = "period-max", .kind = ASK_DURATION, .arg = "TIME",                         \
		.help = "only periods of at most TIME", .in_manual_only = true,                    \
		.offset = offsetof(type, member.max)                                               \
	}

/* What the manual says of them. */
#define ASK_PERIOD_MANUAL                                                                          \
	"With --period 'BEGIN : END' only periods count: from an event that matches BEGIN to the " \
	"next event that matches END, both included, in time order over all hosts. BEGIN and "     \
	"END are expressions as for 'meridian events --filter'; a single word is an event name. "  \
	"--period-by matches BEGIN and END events by a key: host, cpu, tid or comm (of the "       \
	"task on the CPU), or a field; A:B compares field A of the first with field B of the "     \
	"last event. Periods select time and nothing else: everything that happens in them "       \
	"counts, on all hosts, unless --host, --tid, ... restrict it; overlapping periods count "  \
	"once. Shares are relative to the time in periods."

/* Before traces are opened: mistakes are told at once. *rule: NULL without --period, otherwise
 * freed with analysis_period_rule_free in any case. tells_tasks: see analysis/period.h. */
int ask_periods_understand(struct ask *ask, const struct ask_period_values *v, bool tells_tasks,
	struct analysis_period_rule **rule);
/* Of traces that are open: a field of the expression that no event has is warned of. */
void ask_periods_warn(
	struct ask *ask, const struct analysis_period_rule *rule, const struct mer_experiment *e);
/* What did not fit together, in a line. */
void ask_periods_note(struct ask *ask, const struct analysis_periods *p);
/* The same of another option, which calls a period something else. */
void ask_periods_note_as(
	struct ask *ask, const struct analysis_periods *p, const char *option, const char *what);

/* A heading: the title, the start and duration of the time that was looked at, and of its periods;
 * wrapped. begin == MER_NO_TIME: the title alone. */
void ask_heading_text(const struct ask *ask, const char *title, const struct analysis_options *o,
	int64_t begin, int64_t end, struct mer_str *out);
/* Adds the table "periods": how many there are, and what did not fit together; nothing without
 * periods. */
void ask_periods_table(
	const struct analysis_options *o, int64_t begin, int64_t end, struct answer *a);

#endif
