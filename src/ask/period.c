#include "ask/period.h"

#include <inttypes.h>

#include "base/plural.h"
#include "ask/print/text.h"

int ask_periods_understand(struct ask *ask, const struct ask_period_values *v, bool tells_tasks,
	struct analysis_period_rule **rule)
{
	const char *alone = v->by.n ? "by" : v->min.set ? "min" : v->max.set ? "max" : NULL;
	*rule = NULL;
	if (!v->expression && alone)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--period-%s needs --period 'BEGIN : END', two events", alone);
	if (!v->expression)
		return 0;
	if (v->min.set && v->max.set && v->max.v < v->min.v)
		return mer_fail(&ask->err, MER_ERR_USAGE, "--period-max is less than --period-min");
	struct analysis_period_query q = { .expression = v->expression,
		.by = (const char *const *)v->by.item,
		.n_by = v->by.n,
		.min_ns = v->min.v,
		.max_ns = v->max.set ? v->max.v : INT64_MAX,
		.tells_tasks = tells_tasks };
	return analysis_period_rule_new(&q, rule, &ask->err);
}

void ask_periods_warn(
	struct ask *ask, const struct analysis_period_rule *rule, const struct mer_experiment *e)
{
	const char *unknown = analysis_period_rule_unknown(rule, e);
	if (unknown)
		ask_warn(ask, "--period: no event of these traces has a field `%s`", unknown);
}

void ask_periods_note(struct ask *ask, const struct analysis_periods *p)
{
	ask_periods_note_as(ask, p, "period", "period");
}

void ask_periods_note_as(
	struct ask *ask, const struct analysis_periods *p, const char *option, const char *what)
{
	struct mer_str s = { 0 };
	const struct {
		uint64_t n;
		const char *one, *more;
		bool has_what; /* in between */
		const char *after;
	} rows[] = {
		{ p->n_unended, "", "", true, " never ended" },
		{ p->n_unbegun, "END event without an open ", "END events without an open ", false,
			"" },
		{ p->n_again, "BEGIN event while a ", "BEGIN events while a ", false, " was open" },
		{ p->n_keyless, "event without the key", "events without the key", false, NULL },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!rows[i].n)
			continue;
		mer_str_puts(&s, s.len ? "; " : "");
		ask_text_count(&s, (int64_t)rows[i].n);
		mer_str_printf(&s, " %s", mer_plural(rows[i].n, rows[i].one, rows[i].more));
		if (rows[i].after)
			mer_str_printf(&s, "%s%s%s", what,
				rows[i].has_what && rows[i].n != 1 ? "s" : "", rows[i].after);
	}
	const char *separates = p->n_again && !p->is_keyed ? option : NULL;
	if (s.len && !s.failed)
		ask_note(ask, "--%s: %zu %s%s; %s%s%s%s", option, p->n, what, p->n == 1 ? "" : "s",
			s.data, separates ? " (--" : "", separates ? separates : "",
			separates ? "-by separates them)" : "");
	mer_str_fini(&s);
}

/* ---- results ---- */

/* Those of which there is something in the range. */
static uint64_t count(const struct analysis_options *o, int64_t begin, int64_t end)
{
	uint64_t n = 0;
	for (size_t i = 0; i < o->found->n; i++)
		n += o->found->all[i].begin < end && o->found->all[i].end >= begin;
	return n;
}

/* ", 1.2 s of it in 412 periods"; nothing without periods. */
static void put_periods(
	const struct analysis_options *o, int64_t begin, int64_t end, struct mer_str *out)
{
	if (!o || !o->found || begin == MER_NO_TIME)
		return;
	uint64_t n = count(o, begin, end);
	mer_str_puts(out, ", ");
	ask_text_duration(out, analysis_overlap(o, begin, end));
	mer_str_puts(out, " of it in ");
	ask_text_things(out, n, "period", "periods");
}

void ask_heading_text(const struct ask *ask, const char *title, const struct analysis_options *o,
	int64_t begin, int64_t end, struct mer_str *out)
{
	struct mer_str line = { 0 };
	mer_str_puts(&line, title);
	if (begin != MER_NO_TIME) {
		mer_str_puts(&line, ", from ");
		ask_text_time(&line, begin);
		mer_str_puts(&line, " for ");
		ask_text_duration(&line, end - begin);
		put_periods(o, begin, end, &line);
	}
	if (line.data)
		ask_text_wrap(out, line.data, (size_t)ask_width(ask), 0);
	out->failed |= line.failed;
	mer_str_fini(&line);
}

void ask_periods_table(
	const struct analysis_options *o, int64_t begin, int64_t end, struct answer *a)
{
	enum { COUNT, COVERED, UNENDED, UNBEGUN, AGAIN, KEYLESS, LEFT_OUT, N };
	static const struct mer_column columns[N + 1] = {
		[COUNT] = { "count", "Periods", MER_COUNT },
		[COVERED] = { "covered_ns", "Time", MER_DURATION },
		[UNENDED] = { "unended", "Without end", MER_COUNT },
		[UNBEGUN] = { "unbegun", "Without begin", MER_COUNT },
		[AGAIN] = { "begun_again", "Begun again", MER_COUNT },
		[KEYLESS] = { "without_key", "Without key", MER_COUNT },
		[LEFT_OUT] = { "left_out", "Left out", MER_COUNT },
	};
	const struct analysis_periods *p = o ? o->found : NULL;
	bool has_time = begin != MER_NO_TIME;
	if (!p)
		return;
	struct mer_table *t = answer_add_beside(a, "periods", "Periods", columns);
	mer_table_add(
		t, (struct mer_cell[N]){
			   [COUNT] = MER_INT(has_time ? count(o, begin, end) : 0),
			   [COVERED] = MER_INT(has_time ? analysis_overlap(o, begin, end) : 0),
			   [UNENDED] = MER_INT(p->n_unended),
			   [UNBEGUN] = MER_INT(p->n_unbegun),
			   [AGAIN] = MER_INT(p->n_again),
			   [KEYLESS] = MER_INT(p->n_keyless),
			   [LEFT_OUT] = MER_INT(p->n_left_out),
		   });
}
