/* What was compared, as tables; people see the first of what is proven, and what is not known. */
#include <math.h>
#include <string.h>

#include "ask/answer.h"
#include "ask/print/answer_print.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "base/plural.h"
#include "cli/compare/compare.h"

/* ---- Tables ---- */

enum {
	KIND,
	SUBJECT,
	MEASURE,
	A,
	B,
	A_RATE,
	B_RATE,
	CHANGE,
	CERTAIN,
	LOW,
	HIGH,
	P,
	CLASS,
	PROVEN,
	N_A,
	N_B,
	N_CHANGES
};
static const struct mer_column change_columns[N_CHANGES + 1] = {
	[KIND] = { "kind", "Kind", MER_TEXT },
	[SUBJECT] = { "subject", "Of", MER_TEXT },
	[MEASURE] = { "measure", "What", MER_TEXT },
	[A] = { "a_ns", "A", MER_MEAN },
	[B] = { "b_ns", "B", MER_MEAN },
	[A_RATE] = { "a_per_s", NULL, MER_REAL },
	[B_RATE] = { "b_per_s", NULL, MER_REAL },
	[CHANGE] = { "change_percent", "Change", MER_RATIO },
	[CERTAIN] = { "certain_percent", "Certain", MER_RATIO },
	[LOW] = { "low_percent", NULL, MER_RATIO },
	[HIGH] = { "high_percent", NULL, MER_RATIO },
	[P] = { "p", NULL, MER_REAL },
	[CLASS] = { "class", NULL, MER_TEXT },
	[PROVEN] = { "proven", NULL, MER_ID },
	[N_A] = { "a_recordings", NULL, MER_COUNT },
	[N_B] = { "b_recordings", NULL, MER_COUNT },
};

enum { OF_KIND, OF_SUBJECT, OF_A, OF_B, OF_WHAT, OF_P, OF_PROVEN, N_PRESENT };
static const struct mer_column present_columns[N_PRESENT + 1] = {
	[OF_KIND] = { "kind", "Kind", MER_TEXT },
	[OF_SUBJECT] = { "subject", "What", MER_TEXT },
	[OF_A] = { "a_recordings", "In A", MER_COUNT },
	[OF_B] = { "b_recordings", "In B", MER_COUNT },
	[OF_WHAT] = { "what", "It", MER_TEXT },
	[OF_P] = { "p", NULL, MER_REAL },
	[OF_PROVEN] = { "proven", NULL, MER_ID },
};

enum { SIDE, PATH, BASELINE, DURATION, LOST, VALUES, N_RECORDINGS };
static const struct mer_column recording_columns[N_RECORDINGS + 1] = {
	[SIDE] = { "side", "Side", MER_TEXT },
	[PATH] = { "path", "Recording", MER_TEXT },
	[BASELINE] = { "baseline", NULL, MER_TEXT },
	[DURATION] = { "duration_ns", "Duration", MER_DURATION },
	[LOST] = { "lost_events", "Lost", MER_COUNT },
	[VALUES] = { "values", "Values", MER_COUNT },
};

enum { ALL_A, ALL_B, TESTED, N_PROVEN, ALPHA, DEALS, EXACT, LEAST_P, WIDTH, FAILED, N_COMPARISON };
static const struct mer_column comparison_columns[N_COMPARISON + 1] = {
	[ALL_A] = { "a_recordings", NULL, MER_COUNT },
	[ALL_B] = { "b_recordings", NULL, MER_COUNT },
	[TESTED] = { "tested", NULL, MER_COUNT },
	[N_PROVEN] = { "proven", NULL, MER_COUNT },
	[ALPHA] = { "false_alarms_percent", NULL, MER_RATIO },
	[DEALS] = { "permutations", NULL, MER_COUNT },
	[EXACT] = { "is_exact", NULL, MER_ID },
	[LEAST_P] = { "least_p", NULL, MER_REAL },
	[WIDTH] = { "found_from_percent", NULL, MER_RATIO },
	[FAILED] = { "failed", NULL, MER_COUNT },
};

/* People see values with their units, in one column whatever they are of. */
enum { SEEN_KIND, SEEN_OF, SEEN_WHAT, SEEN_A, SEEN_B, SEEN_CHANGE, SEEN_CERTAIN, N_SEEN };
static const struct mer_column seen_columns[N_SEEN + 1] = {
	[SEEN_KIND] = { "kind", "Kind", MER_TEXT },
	[SEEN_OF] = { "subject", "Of", MER_TEXT },
	[SEEN_WHAT] = { "measure", "What", MER_TEXT },
	[SEEN_A] = { "a", "A", MER_TEXT },
	[SEEN_B] = { "b", "B", MER_TEXT },
	[SEEN_CHANGE] = { "change_percent", "Change", MER_RATIO },
	[SEEN_CERTAIN] = { "certain_percent", "Certain", MER_RATIO },
};

static struct mer_cell real_unless_nan(double v)
{
	return isfinite(v) ? MER_REAL_CELL(v) : MER_NONE;
}

/* The end of the interval that is nearer to no change. */
static double certain_of(const struct compare_finding *f)
{
	return (f->m.difference > 0 ? f->low : f->high) - 1;
}

static void add_change(struct mer_table *t, const struct compare_finding *f)
{
	const struct compare_measure *m = f->measure;
	bool is_ns = m->unit == COMPARE_NS;
	mer_table_add(
		t, (struct mer_cell[N_CHANGES]){
			   [KIND] = mer_text(m->kind),
			   [SUBJECT] = mer_text(m->subject),
			   [MEASURE] = mer_text(m->name),
			   [A] = is_ns ? MER_REAL_CELL(f->a) : MER_NONE,
			   [B] = is_ns ? MER_REAL_CELL(f->b) : MER_NONE,
			   [A_RATE] = is_ns ? MER_NONE : MER_REAL_CELL(f->a),
			   [B_RATE] = is_ns ? MER_NONE : MER_REAL_CELL(f->b),
			   [CHANGE] = real_unless_nan(f->b / f->a - 1),
			   [CERTAIN] = f->certain > 0 ? MER_REAL_CELL(certain_of(f)) : MER_NONE,
			   [LOW] = real_unless_nan(f->low - 1),
			   [HIGH] = real_unless_nan(f->high - 1),
			   [P] = f->m.is_tested ? MER_REAL_CELL(f->m.p) : MER_NONE,
			   [CLASS] = mer_text(compare_class_names[m->class]),
			   [PROVEN] = MER_INT(f->is_proven),
			   [N_A] = MER_INT(f->m.n[0]),
			   [N_B] = MER_INT(f->m.n[1]),
		   });
}

static struct mer_cell seen_value(struct mer_table *t, enum compare_unit unit, double v)
{
	struct mer_str s = { 0 };
	if (unit == COMPARE_NS && v < 9e18)
		ask_text_duration(&s, (int64_t)(v + 0.5));
	else
		mer_str_printf(&s, "%.3g/s", v);
	return mer_table_keep(t, &s);
}

static void add_seen(struct mer_table *t, const struct compare_finding *f)
{
	const struct compare_measure *m = f->measure;
	mer_table_add(t,
		(struct mer_cell[N_SEEN]){
			[SEEN_KIND] = mer_text(m->kind),
			[SEEN_OF] = mer_text(m->subject),
			[SEEN_WHAT] = mer_text(m->name),
			[SEEN_A] = seen_value(t, m->unit, f->a),
			[SEEN_B] = seen_value(t, m->unit, f->b),
			[SEEN_CHANGE] = real_unless_nan(f->b / f->a - 1),
			[SEEN_CERTAIN] = f->certain > 0 ? MER_REAL_CELL(certain_of(f)) : MER_NONE,
		});
}

static const char *what_of(const struct compare_finding *f)
{
	if (f->a <= 0)
		return "appeared";
	if (f->b <= 0)
		return "disappeared";
	return f->m.mean[1] > f->m.mean[0] ? "in more" : "in fewer";
}

static void add_present(struct mer_table *t, const struct compare_finding *f)
{
	mer_table_add(t, (struct mer_cell[N_PRESENT]){
				 [OF_KIND] = mer_text(f->measure->kind),
				 [OF_SUBJECT] = mer_text(f->measure->subject),
				 [OF_A] = MER_INT(f->a),
				 [OF_B] = MER_INT(f->b),
				 [OF_WHAT] = mer_text(what_of(f)),
				 [OF_P] = f->m.is_tested ? MER_REAL_CELL(f->m.p) : MER_NONE,
				 [OF_PROVEN] = MER_INT(f->is_proven),
			 });
}

/* Half of all causes would have been found had they changed by this; NAN: nothing would. */
static double found_from(const struct compare_result *r)
{
	enum { MOST = 4096 };
	double widths[MOST];
	size_t n = 0;
	for (size_t i = 0; i < r->n_findings && n < MOST; i++) {
		const struct compare_finding *f = &r->findings[i];
		if (f->measure->class != COMPARE_CAUSE || !(f->m.half_width > 0))
			continue;
		size_t k = n++;
		for (; k && widths[k - 1] > f->m.half_width; k--)
			widths[k] = widths[k - 1];
		widths[k] = f->m.half_width;
	}
	return n ? exp(widths[n / 2]) - 1 : NAN;
}

static size_t n_failed(const struct compare_result *r, const struct compare_limit *limit)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n_findings; i++)
		n += compare_fails(&r->findings[i], limit);
	return n;
}

static void add_recordings(struct mer_table *t, const struct compare_set *s)
{
	for (size_t i = 0; i < s->n_runs; i++) {
		const struct compare_run *run = &s->runs[i];
		mer_table_add(t, (struct mer_cell[N_RECORDINGS]){
					 [SIDE] = mer_text(run->side ? "B" : "A"),
					 [PATH] = mer_text(run->path),
					 [BASELINE] = mer_text(run->baseline),
					 [DURATION] = mer_int_unless(run->duration_ns, MER_NO_TIME),
					 [LOST] = MER_INT(run->lost),
					 [VALUES] = MER_INT(run->n),
				 });
	}
}

int compare_print_recordings(struct ask *ask, const struct compare_set *s)
{
	struct mer_table t;
	mer_table_init(&t, "recordings", NULL, recording_columns, &ask->arena);
	add_recordings(&t, s);
	mer_table_hide(&t, SIDE);
	int rc = ask_table_print(ask, &t);
	mer_table_fini(&t);
	return rc;
}

static int print_tables(struct ask *ask, const struct compare_set *s,
	const struct compare_result *r, const struct compare_limit *limit)
{
	struct answer a;
	ask_answer_init(ask, NULL, false, &a);
	struct mer_table *changes = answer_add(&a, "changes", NULL, change_columns);
	struct mer_table *present = answer_add_beside(&a, "presence", NULL, present_columns);
	struct mer_table *all = answer_add_beside(&a, "comparison", NULL, comparison_columns);
	for (size_t i = 0; i < r->n_findings; i++)
		if (r->findings[i].measure->unit == COMPARE_PRESENT)
			add_present(present, &r->findings[i]);
		else
			add_change(changes, &r->findings[i]);
	mer_table_add(
		all, (struct mer_cell[N_COMPARISON]){
			     [ALL_A] = MER_INT(r->n[0]),
			     [ALL_B] = MER_INT(r->n[1]),
			     [TESTED] = MER_INT(r->n_tested),
			     [N_PROVEN] = MER_INT(r->n_proven),
			     [ALPHA] = MER_REAL_CELL(r->alpha),
			     [DEALS] = MER_INT(r->all.n_deals),
			     [EXACT] = MER_INT(r->all.is_exact),
			     [LEAST_P] = MER_REAL_CELL(r->all.least_p),
			     [WIDTH] = real_unless_nan(found_from(r)),
			     [FAILED] = limit->is_set ? MER_INT(n_failed(r, limit)) : MER_NONE,
		     });
	add_recordings(answer_add_beside(&a, "recordings", NULL, recording_columns), s);
	int rc = ask_answer_print(ask, &a);
	answer_fini(&a);
	return rc;
}

/* ---- Text ---- */

static void put_percent(struct mer_str *out, double ratio)
{
	mer_str_printf(out, "%.3g %%", fabs(ratio - 1) * 100);
}

void compare_sentence(
	struct mer_str *out, const struct compare_result *r, const struct compare_finding *f)
{
	const struct compare_measure *m = f->measure;
	mer_str_printf(out, "%s: ", m->kind);
	ask_text_clean(out, m->subject, strlen(m->subject), false);
	if (m->unit == COMPARE_PRESENT) {
		mer_str_printf(out, " %s: in %.0f of %zu recordings, before in %.0f of %zu",
			f->a <= 0   ? "appeared"
			: f->b <= 0 ? "disappeared"
				    : "changed",
			f->b, r->n[1], f->a, r->n[0]);
		return;
	}
	bool more = f->b > f->a;
	mer_str_printf(out, ", %s: ", m->name);
	put_percent(out, f->b / f->a);
	mer_str_puts(out, more ? " more" : " less");
	if (f->certain > 0 && isfinite(f->low)) {
		mer_str_puts(out, " (at least ");
		put_percent(out, more ? f->low : f->high);
		mer_str_putc(out, ')');
	}
}

struct text {
	struct ask *ask;
	const struct compare_result *r;
	struct mer_str out;
	uint64_t rows; /* of each table */
};

/* Findings that are, or are not, proven, of these classes, as a table; returns how many there
 * are. */
static size_t put_table(struct text *x, const char *title, bool is_proven, unsigned classes)
{
	struct mer_table t;
	bool is_presence = classes == 1u << COMPARE_PRESENCE;
	size_t n = 0;
	mer_table_init(&t, is_presence ? "presence" : "changes", NULL,
		is_presence ? present_columns : seen_columns, &x->ask->arena);
	for (size_t i = 0; i < x->r->n_findings; i++) {
		const struct compare_finding *f = &x->r->findings[i];
		if (f->is_proven != is_proven || !(classes >> f->measure->class & 1) ||
			n++ >= x->rows)
			continue;
		if (is_presence)
			add_present(&t, f);
		else
			add_seen(&t, f);
	}
	if (!is_presence && !is_proven)
		mer_table_hide(&t, SEEN_CERTAIN);
	if (n) {
		mer_str_printf(&x->out, "\n%s\n", title);
		ask_table_text(
			&t, &x->out, (size_t)ask_width(x->ask), x->ask->bold_out, x->ask->ascii);
	}
	if (n > t.n_rows)
		mer_str_printf(&x->out, "... and %zu more (-n 0 shows all)\n", n - t.n_rows);
	x->out.failed |= t.failed;
	mer_table_fini(&t);
	return n;
}

static void put_head(struct text *x)
{
	const struct compare_result *r = x->r;
	mer_str_puts(&x->out, "A: ");
	ask_text_things(&x->out, r->n[0], "recording", "recordings");
	mer_str_puts(&x->out, ", B: ");
	ask_text_things(&x->out, r->n[1], "recording", "recordings");
	mer_str_puts(&x->out, "; compared: ");
	ask_text_things(&x->out, r->n_tested ? r->n_tested : r->n_findings, "measure", "measures");
	mer_str_putc(&x->out, '\n');
}

static void put_wrapped(struct text *x, struct mer_str *s)
{
	ask_text_wrap(&x->out, s->data ? s->data : "", (size_t)ask_width(x->ask), 0);
	x->out.failed |= s->failed;
	mer_str_fini(s);
}

/* Nothing can be proven of so few. */
static void put_too_few(struct text *x)
{
	const struct compare_result *r = x->r;
	struct mer_str s = { 0 };
	size_t both = compare_fewest(r->alpha, 0);
	size_t more = compare_fewest(r->alpha, r->n[0]);
	if (r->n[0] == 1 && r->n[1] == 1)
		mer_str_puts(&s,
			"With one recording each it is not known how much recordings of the same work differ: any difference below may be chance.");
	else
		mer_str_printf(&s,
			"These are too few recordings to rule out chance: the smallest p that %zu and %zu can give is %.2g, and %.2g is needed.",
			r->n[0], r->n[1], r->all.least_p, r->alpha);
	mer_str_printf(&s, " %zu recordings each are enough", both);
	if (more && more != both && r->n[0] > 1)
		mer_str_printf(&s, ", or %zu of B with the %zu of A", more, r->n[0]);
	mer_str_puts(&s, ".\n");
	put_wrapped(x, &s);
}

static void put_verdict(struct text *x)
{
	const struct compare_result *r = x->r;
	struct mer_str s = { 0 };
	double from = found_from(r);
	if (r->n_proven)
		mer_str_printf(&s,
			"Different: %zu, the largest certain change first. The chance that any of them is a false alarm is at most %g %%, for all measures together; so is the chance that a change is less than Certain.\n",
			r->n_proven, r->alpha * 100);
	else
		mer_str_puts(&s, "No difference that chance does not explain.\n");
	if (!r->n_proven && isfinite(from))
		mer_str_printf(&s,
			"In half of all measures, a change of %.2g %% or more would have been found.\n",
			from * 100);
	put_wrapped(x, &s);
}

int compare_print(struct ask *ask, const struct compare_set *s, const struct compare_result *r,
	const struct compare_limit *limit, uint64_t rows)
{
	struct text x = { .ask = ask, .r = r, .rows = rows };
	enum { CAUSES = 1u << COMPARE_CAUSE | 1u << COMPARE_PART, EFFECTS = 1u << COMPARE_EFFECT };
	if (ask->format != ASK_FORMAT_TABLE)
		return print_tables(ask, s, r, limit);
	put_head(&x);
	if (!isfinite(r->all.critical) && r->all.least_p > r->alpha) {
		put_too_few(&x);
		put_table(&x, "Not proven: the largest differences", false, CAUSES | EFFECTS);
		put_table(&x, "Not proven: on one side only", false, 1u << COMPARE_PRESENCE);
		return ask_put(ask, &x.out, 0);
	}
	put_verdict(&x);
	put_table(&x, "Changed", true, CAUSES);
	put_table(
		&x, "Changed: waits, latencies and rates, which may follow from it", true, EFFECTS);
	put_table(&x, "Appeared and disappeared", true, 1u << COMPARE_PRESENCE);
	return ask_put(ask, &x.out, 0);
}
