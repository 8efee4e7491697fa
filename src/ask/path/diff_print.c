/* A comparison of two paths: what explains the difference in a sentence, then by cause, host and
 * task. */
#include <math.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_json.h"
#include "ask/path/diff.h"
#include "ask/path/path_words.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/session.h"

enum { SCREENFUL = 12, NAMED = 3, GONE = 4 };

static int64_t delta_of(const struct path_diff_row *r)
{
	return r->b_ns - r->a_ns;
}

static int64_t total_delta(const struct ask_diff *d)
{
	return d->b.profile.total_ns - d->a.profile.total_ns;
}

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
	int64_t total = total_delta(d);
	return (total < 0 ? -total : total) < longer(d) / 20;
}

static void put_change(const struct path_diff_row *r, struct mer_str *out)
{
	path_put_part(r, out);
	mer_str_puts(out, delta_of(r) < 0 ? " (" : " (+");
	ask_text_duration(out, delta_of(r));
}

/* The largest changes, whatever they are, one up and one down. */
static void put_changes(
	const struct ask_diff *d, const struct path_diff_row *rows, size_t n, struct mer_str *out)
{
	size_t named = 0;
	for (size_t i = 0; i < n && named < NAMED; i++) {
		int64_t ns = delta_of(&rows[i]);
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
	int64_t total = total_delta(d), rest = total;
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
		double share = (double)delta_of(&rows[i]) / (double)total;
		if (share < (named ? 0.1 : 0.05))
			continue;
		mer_str_puts(out, named++ ? "; " : ". Mostly: ");
		put_change(&rows[i], out);
		mer_str_printf(out, ", %.0f %%)", 100 * share);
		rest -= delta_of(&rows[i]);
		if ((double)rest / (double)total < 0.15)
			break;
	}
	mer_str_puts(out, ".");
	/* What hides a part of the difference. */
	for (size_t i = 0; i < n; i++) {
		if ((double)delta_of(&rows[i]) / (double)total > -0.2)
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

/* Of the difference of the totals, which is not 0. */
static double share_of(const struct path_diff_row *r, int64_t total)
{
	return delta_of(r) ? (double)delta_of(r) / (double)total : 0; /* and not -0 */
}

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
			[T_DELTA] = MER_INT(delta_of(r)),
		};
		if (by == PATH_DIFF_BY_CAUSE)
			row[T_CAUSE] = mer_text(path_cause_words((enum path_cause)r->cause));
		if (!is_close(d))
			row[T_SHARE] = MER_REAL_CELL(share_of(r, total_delta(d)));
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

static void json_side(
	struct ask *ask, struct mer_json *j, const char *key, const struct ask_side *s)
{
	const struct session_synced *before = ask->synced;
	mer_json_kv_object(j, key);
	mer_json_kv_text(j, "file", s->file);
	mer_json_kv_text(j, "request", s->request);
	mer_json_kv_text(j, "host", s->host);
	if (s->tid < 0)
		mer_json_kv_null(j, "tid");
	else
		mer_json_kv_int(j, "tid", s->tid);
	mer_json_kv_text(j, "comm", s->comm);
	mer_json_kv_int(j, "begin", s->begin);
	mer_json_kv_int(j, "end", s->end);
	mer_json_kv_int(j, "total_ns", s->profile.total_ns);
	ask->synced = s->has_sync ? &s->synced : NULL;
	ask_json_synced(j, ask);
	ask->synced = before;
	mer_json_end_object(j);
}

static void json_row(const struct ask_diff *d, struct mer_json *j, enum path_diff_by by,
	const struct path_diff_row *r)
{
	int64_t total = total_delta(d);
	mer_json_begin_object(j);
	if (by != PATH_DIFF_BY_CAUSE)
		mer_json_kv_text(j, "host", r->host);
	if (by == PATH_DIFF_BY_TASK || by == PATH_DIFF_BY_PART)
		mer_json_kv_text(j, "comm", r->comm);
	if (r->cause >= 0)
		mer_json_kv_text(j, "cause", path_cause_name((enum path_cause)r->cause));
	if (by != PATH_DIFF_BY_CAUSE)
		mer_json_kv_bool(j, "in_flight", r->in_flight);
	mer_json_kv_int(j, "a_ns", r->a_ns);
	mer_json_kv_int(j, "b_ns", r->b_ns);
	mer_json_kv_int(j, "delta_ns", delta_of(r));
	if (total)
		mer_json_kv_double(j, "share", share_of(r, total));
	else
		mer_json_kv_null(j, "share");
	if (by == PATH_DIFF_BY_PART) {
		mer_json_kv_uint(j, "a_segments", r->n_a);
		mer_json_kv_uint(j, "b_segments", r->n_b);
		mer_json_kv_text(j, "only_in", !r->b_ns ? "a" : !r->a_ns ? "b" : NULL);
	}
	mer_json_end_object(j);
}

static int json_by(
	const struct ask_diff *d, struct mer_json *j, enum path_diff_by by, const char *key)
{
	struct path_diff_row *rows;
	size_t n;
	int rc = path_diff(&d->a.profile, &d->b.profile, by, &rows, &n, &d->ask->err);
	mer_json_kv_array(j, key);
	for (size_t i = 0; rc == 0 && i < n; i++)
		json_row(d, j, by, &rows[i]);
	mer_json_end_array(j);
	free(rows);
	return rc;
}

static int put_json(const struct ask_diff *d, struct mer_str *out)
{
	static const struct {
		enum path_diff_by by;
		const char *key;
	} tables[] = { { PATH_DIFF_BY_CAUSE, "by_cause" }, { PATH_DIFF_BY_HOST, "by_host" },
		{ PATH_DIFF_BY_TASK, "by_task" }, { PATH_DIFF_BY_PART, "parts" } };
	struct mer_json j;
	int rc = 0;
	mer_json_init(&j, out, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", MER_JSON_SCHEMA);
	json_side(d->ask, &j, "a", &d->a);
	json_side(d->ask, &j, "b", &d->b);
	mer_json_kv_int(&j, "delta_ns", total_delta(d));
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && rc == 0; i++)
		rc = json_by(d, &j, tables[i].by, tables[i].key);
	mer_json_kv_array(&j, "diagnostics");
	for (size_t i = 0; i < d->diags.n; i++)
		mer_diag_json(&d->diags.rows[i], &j);
	mer_json_end_array(&j);
	mer_json_end_object(&j);
	return rc ? rc : mer_json_finish(&j, &d->ask->err);
}

/* The parts as rows. */
static int put_rows(const struct ask_diff *d, struct mer_str *out)
{
	enum { HOST, COMM, CAUSE, IN_FLIGHT, A, B, DELTA, A_SEGMENTS, B_SEGMENTS, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", NULL, MER_TEXT },
		[COMM] = { "comm", NULL, MER_TEXT },
		[CAUSE] = { "cause", NULL, MER_TEXT },
		[IN_FLIGHT] = { "in_flight", NULL, MER_ID },
		[A] = { "a_ns", NULL, MER_DURATION },
		[B] = { "b_ns", NULL, MER_DURATION },
		[DELTA] = { "delta_ns", NULL, MER_DURATION },
		[A_SEGMENTS] = { "a_segments", NULL, MER_COUNT },
		[B_SEGMENTS] = { "b_segments", NULL, MER_COUNT },
	};
	struct path_diff_row *rows;
	struct mer_table t;
	size_t n;
	int rc =
		path_diff(&d->a.profile, &d->b.profile, PATH_DIFF_BY_PART, &rows, &n, &d->ask->err);
	mer_table_init(&t, "parts", NULL, columns, NULL);
	for (size_t i = 0; rc == 0 && i < n && (!d->limit || i < d->limit); i++) {
		const struct path_diff_row *r = &rows[i];
		const char *cause = path_cause_name((enum path_cause)r->cause);
		mer_table_add(&t, (struct mer_cell[N]){
					  [HOST] = mer_text(r->host),
					  [COMM] = mer_text(r->comm),
					  [CAUSE] = mer_text(cause),
					  [IN_FLIGHT] = MER_INT(r->in_flight),
					  [A] = MER_INT(r->a_ns),
					  [B] = MER_INT(r->b_ns),
					  [DELTA] = MER_INT(delta_of(r)),
					  [A_SEGMENTS] = MER_INT(r->n_a),
					  [B_SEGMENTS] = MER_INT(r->n_b),
				  });
	}
	ask_table_rows(d->ask, &t, mer_table_whole(&t), out);
	mer_table_fini(&t);
	free(rows);
	return rc;
}

int ask_diff_print(struct ask_diff *d)
{
	struct mer_str out = { 0 };
	int rc;
	switch ((enum ask_format)d->ask->format) {
	case ASK_FORMAT_JSON: rc = put_json(d, &out); break;
	case ASK_FORMAT_CSV:
	case ASK_FORMAT_JSONL: rc = put_rows(d, &out); break;
	default: rc = put_text(d, &out); break;
	}
	return ask_put(d->ask, &out, rc);
}
