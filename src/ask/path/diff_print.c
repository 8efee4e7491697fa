/* A comparison of two paths: what explains the difference in a sentence, then by cause, host and
 * task. */
#include <math.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/print/answer_print.h"
#include "ask/path/diff.h"
#include "ask/path/diff_answer.h"
#include "ask/path/path_words.h"
#include "ask/print/table.h"
#include "ask/print/text.h"

enum { SCREENFUL = 12, NAMED = 3, GONE = 4 };

static int64_t longer(const struct ask_diff *d)
{
	return d->a.profile.total_ns > d->b.profile.total_ns ? d->a.profile.total_ns
							     : d->b.profile.total_ns;
}

static void add_clean(struct mer_str *out, const char *text)
{
	ask_text_clean(out, text, strlen(text), false);
}

static void put_side(const struct ask_side *s, const char *letter, struct mer_str *out)
{
	mer_str_printf(out, "%s  ", letter);
	if (s->request)
		mer_str_printf(out, "%s: ", s->request);
	add_clean(out, s->comm);
	if (s->tid >= 0)
		mer_str_printf(out, "/%" PRId64, s->tid);
	mer_str_puts(out, " on ");
	add_clean(out, s->host);
	mer_str_puts(out, ", from ");
	ask_text_time(out, s->begin);
	mer_str_puts(out, " for ");
	ask_text_duration(out, s->profile.total_ns);
	if (s->file) {
		mer_str_puts(out, "\n   in ");
		add_clean(out, s->file);
	}
	mer_str_putc(out, '\n');
}

/* ---- In words ---- */

/* The totals are so close that shares of their difference say nothing. */
static bool is_close(const struct ask_diff *d)
{
	int64_t total = ask_diff_total(d);
	return (total < 0 ? -total : total) < longer(d) / 20;
}

static void put_change(const struct path_diff_row *r, struct mer_str *out)
{
	path_put_part(r, out);
	mer_str_puts(out, ask_diff_delta(r) < 0 ? " (" : " (+");
	ask_text_duration(out, ask_diff_delta(r));
}

/* The largest changes, whatever they are, one up and one down. */
static void put_changes(
	const struct ask_diff *d, const struct path_diff_row *rows, size_t n, struct mer_str *out)
{
	size_t named = 0;
	for (size_t i = 0; i < n && named < NAMED; i++) {
		int64_t ns = ask_diff_delta(&rows[i]);
		if ((ns < 0 ? -ns : ns) <= longer(d) / 50)
			break; /* those that follow are smaller */
		mer_str_puts(out, named++ ? "; " : ". Largest changes: ");
		put_change(&rows[i], out);
		mer_str_putc(out, ')');
	}
	mer_str_putc(out, '.');
}

static void put_explanation(
	const struct ask_diff *d, const struct path_diff_row *rows, size_t n, struct mer_str *out)
{
	int64_t total = ask_diff_total(d), rest = total;
	size_t named = 0;
	if (total == 0) {
		mer_str_puts(out, "Both took the same time");
		put_changes(d, rows, n, out);
		return;
	}
	mer_str_puts(out, "B took ");
	ask_text_duration(out, total < 0 ? -total : total);
	mer_str_puts(out, total < 0 ? " less" : " more");
	if (d->a.profile.total_ns) {
		double percent = 100 * (double)total / (double)d->a.profile.total_ns;
		mer_str_printf(out, " (%+.*f %%)", fabs(percent) < 10 ? 1 : 0, percent);
	}
	if (is_close(d)) {
		put_changes(d, rows, n, out);
		return;
	}
	/* Those that go the same way as the whole, until most of it is said. */
	for (size_t i = 0; i < n && named < NAMED; i++) {
		double share = (double)ask_diff_delta(&rows[i]) / (double)total;
		if (share < (named ? 0.1 : 0.05))
			continue;
		mer_str_puts(out, named++ ? "; " : ". Mostly: ");
		put_change(&rows[i], out);
		mer_str_printf(out, ", %.0f %%)", 100 * share);
		rest -= ask_diff_delta(&rows[i]);
		if ((double)rest / (double)total < 0.15)
			break;
	}
	mer_str_puts(out, ".");
	/* What hides a part of the difference. */
	for (size_t i = 0; i < n; i++) {
		if ((double)ask_diff_delta(&rows[i]) / (double)total > -0.2)
			continue;
		mer_str_puts(out, " Partly offset by: ");
		put_change(&rows[i], out);
		mer_str_puts(out, ").");
		break;
	}
}

/* Parts that one side does not have at all, as far as they matter. */
static void put_only(const struct ask_diff *d, const struct path_diff_row *rows, size_t n,
	bool in_a, struct mer_str *out)
{
	size_t named = 0;
	for (size_t i = 0; i < n; i++) {
		const struct path_diff_row *r = &rows[i];
		int64_t ns = in_a ? r->a_ns : r->b_ns, other = in_a ? r->b_ns : r->a_ns;
		if (other || ns < longer(d) / 300 || ns == 0)
			continue;
		if (named == GONE) {
			mer_str_puts(out, "; and more");
			named++;
			break;
		}
		mer_str_puts(out, named++ ? "; " : in_a ? "Gone in B: " : "New in B: ");
		path_put_part(r, out);
		mer_str_puts(out, " (");
		ask_text_duration(out, ns);
		uint64_t times = in_a ? r->n_a : r->n_b;
		if (times > 1)
			mer_str_printf(out, ", %" PRIu64 " times", times);
		mer_str_putc(out, ')');
	}
	if (named)
		mer_str_puts(out, ".\n\n");
}

/* ---- Tables ---- */

enum { T_CAUSE, T_HOST, T_COMM, T_A, T_B, T_DELTA, T_SHARE, T_N };

/* What its rows are called does not concern the other tables. */
static void hide_names(struct mer_table *t, enum path_diff_by by)
{
	if (by == PATH_DIFF_BY_CAUSE)
		mer_table_hide(t, T_HOST);
	else
		mer_table_hide(t, T_CAUSE);
	if (by != PATH_DIFF_BY_TASK)
		mer_table_hide(t, T_COMM);
}

static void put_table(const struct ask_diff *d, enum path_diff_by by,
	const struct path_diff_row *rows, size_t n, struct mer_str *out)
{
	static const char *const titles[] = { [PATH_DIFF_BY_CAUSE] = "By cause",
		[PATH_DIFF_BY_HOST] = "By host",
		[PATH_DIFF_BY_TASK] = "By host and program" };
	static const struct mer_column columns[T_N + 1] = {
		[T_CAUSE] = { "cause", "Cause", MER_TEXT },
		[T_HOST] = { "host", "Host", MER_TEXT },
		[T_COMM] = { "comm", "Program", MER_TEXT },
		[T_A] = { "a_ns", "A", MER_DURATION },
		[T_B] = { "b_ns", "B", MER_DURATION },
		[T_DELTA] = { "delta_ns", "B - A", MER_DURATION },
		[T_SHARE] = { "percent", "of difference", MER_RATIO },
	};
	struct mer_table t;
	size_t limit = d->limit ? d->limit : SCREENFUL, shown = n < limit ? n : limit;
	mer_table_init(&t, "diff", titles[by], columns, &d->ask->arena);
	hide_names(&t, by);
	if (is_close(d))
		mer_table_hide(&t, T_SHARE); /* would say nothing */
	for (size_t i = 0; i < shown; i++) {
		const struct path_diff_row *r = &rows[i];
		struct mer_cell row[T_N] = {
			[T_HOST] = mer_text(r->in_flight ? "(packets in flight)" : r->host),
			[T_COMM] = mer_text(r->comm ? r->comm : ""),
			[T_A] = MER_INT(r->a_ns),
			[T_B] = MER_INT(r->b_ns),
			[T_DELTA] = MER_INT(ask_diff_delta(r)),
		};
		if (by == PATH_DIFF_BY_CAUSE)
			row[T_CAUSE] = mer_text(path_cause_words((enum path_cause)r->cause));
		if (!is_close(d))
			row[T_SHARE] = MER_REAL_CELL(ask_diff_share(r, ask_diff_total(d)));
		mer_table_add(&t, row);
	}
	mer_str_printf(out, "\n%s\n", titles[by]);
	ask_table_text(&t, out, (size_t)ask_width(d->ask), d->ask->bold_out, d->ask->ascii);
	out->failed |= t.failed;
	mer_table_fini(&t);
	if (n > shown)
		mer_str_printf(out, "... and %zu more (-n 0 shows all)\n", n - shown);
}

static int put_by(const struct ask_diff *d, enum path_diff_by by, struct mer_str *out)
{
	struct path_diff_row *rows;
	size_t n;
	int rc = path_diff(&d->a.profile, &d->b.profile, by, &rows, &n, &d->ask->err);
	if (rc == 0 && n)
		put_table(d, by, rows, n, out);
	free(rows);
	return rc;
}

static int put_text(const struct ask_diff *d, struct mer_str *out)
{
	struct path_diff_row *rows;
	struct mer_str words = { 0 };
	size_t n;
	int rc =
		path_diff(&d->a.profile, &d->b.profile, PATH_DIFF_BY_PART, &rows, &n, &d->ask->err);
	if (rc == 0) {
		put_side(&d->a, "A", out);
		put_side(&d->b, "B", out);
		put_explanation(d, rows, n, &words);
		mer_str_puts(&words, "\n\n");
		put_only(d, rows, n, true, &words);
		put_only(d, rows, n, false, &words);
		if (words.len && !words.failed) {
			words.data[words.len - 1] = '\0';
			mer_str_putc(out, '\n');
			ask_text_wrap(out, words.data, (size_t)ask_width(d->ask), 0);
		}
		out->failed |= words.failed;
	}
	mer_str_fini(&words);
	free(rows);
	if (rc == 0)
		rc = put_by(d, PATH_DIFF_BY_CAUSE, out);
	if (rc == 0)
		rc = put_by(d, PATH_DIFF_BY_HOST, out);
	if (rc == 0)
		rc = put_by(d, PATH_DIFF_BY_TASK, out);
	return rc;
}

/* ---- For programs ---- */

static int print_tables(struct ask_diff *d)
{
	struct answer a;
	answer_init(&a, NULL);
	a.found = &d->diags;
	int rc = ask_diff_answer(d, &a);
	if (rc == 0)
		rc = ask_answer_print(d->ask, &a);
	answer_fini(&a);
	return rc;
}

int ask_diff_print(struct ask_diff *d)
{
	struct mer_str out = { 0 };
	if (d->ask->format != ASK_FORMAT_TABLE)
		return print_tables(d);
	return ask_put(d->ask, &out, put_text(d, &out));
}
