/* A comparison of two paths: what explains the difference in a sentence, then by cause, host and task. */
#include <math.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_json.h"
#include "cli/path/diff.h"
#include "cli/path/path_words.h"
#include "cli/sync/sync_print.h"
#include "cli/table.h"
#include "cli/text.h"
#include "cli/session.h"

enum { SCREENFUL = 12, NAMED = 3, GONE = 4 };

static int64_t delta_of(const struct path_diff_row *r)
{
	return r->b_ns - r->a_ns;
}

static int64_t total_delta(const struct cli_diff *d)
{
	return d->b.profile.total_ns - d->a.profile.total_ns;
}

static int64_t longer(const struct cli_diff *d)
{
	return d->a.profile.total_ns > d->b.profile.total_ns ? d->a.profile.total_ns
							     : d->b.profile.total_ns;
}

static void add_clean(struct mer_str *out, const char *text)
{
	cli_text_clean(out, text, strlen(text), false);
}

static void put_side(const struct cli_side *s, const char *letter, struct mer_str *out)
{
	mer_str_printf(out, "%s  ", letter);
	add_clean(out, s->comm);
	if (s->tid >= 0)
		mer_str_printf(out, "/%" PRId64, s->tid);
	mer_str_puts(out, " on ");
	add_clean(out, s->host);
	mer_str_puts(out, ", from ");
	cli_text_time(out, s->begin);
	mer_str_puts(out, " for ");
	cli_text_duration(out, s->profile.total_ns);
	if (s->file) {
		mer_str_puts(out, "\n   in ");
		add_clean(out, s->file);
	}
	mer_str_putc(out, '\n');
}

/* "disk, python3 on server" */
static void put_part(const struct path_diff_row *r, struct mer_str *out)
{
	if (r->in_flight) {
		mer_str_puts(out, "packets in flight");
		return;
	}
	mer_str_puts(out, path_cause_words((enum path_cause)r->cause));
	mer_str_puts(out, ", ");
	add_clean(out, r->comm);
	mer_str_puts(out, " on ");
	add_clean(out, r->host);
}

/* ---- In words ---- */

/* The totals are so close that shares of their difference say nothing. */
static bool is_close(const struct cli_diff *d)
{
	int64_t total = total_delta(d);
	return (total < 0 ? -total : total) < longer(d) / 20;
}

static void put_change(const struct path_diff_row *r, struct mer_str *out)
{
	put_part(r, out);
	mer_str_puts(out, delta_of(r) < 0 ? " (" : " (+");
	cli_text_duration(out, delta_of(r));
}

/* The largest changes, whatever they are, one up and one down. */
static void put_changes(
	const struct cli_diff *d, const struct path_diff_row *rows, size_t n, struct mer_str *out)
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
	const struct cli_diff *d, const struct path_diff_row *rows, size_t n, struct mer_str *out)
{
	int64_t total = total_delta(d), rest = total;
	size_t named = 0;
	if (total == 0) {
		mer_str_puts(out, "Both took the same time");
		put_changes(d, rows, n, out);
		return;
	}
	mer_str_puts(out, "B took ");
	cli_text_duration(out, total < 0 ? -total : total);
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
static void put_only(const struct cli_diff *d, const struct path_diff_row *rows, size_t n,
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
		put_part(r, out);
		mer_str_puts(out, " (");
		cli_text_duration(out, ns);
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

static struct cli_cell share_cell(const struct cli_diff *d, const struct path_diff_row *r)
{
	return CLI_CELL_RATIO(share_of(r, total_delta(d)));
}

static void put_table(const struct cli_diff *d, enum path_diff_by by,
	const struct path_diff_row *rows, size_t n, struct mer_str *out)
{
	static const char *const titles[] = { [PATH_DIFF_BY_CAUSE] = "By cause",
		[PATH_DIFF_BY_HOST] = "By host",
		[PATH_DIFF_BY_TASK] = "By host and program" };
	static const struct cli_column all[] = { { "what", "", CLI_TYPE_TEXT },
		{ "comm", "", CLI_TYPE_TEXT }, { "a", "A", CLI_TYPE_DURATION },
		{ "b", "B", CLI_TYPE_DURATION }, { "delta", "B - A", CLI_TYPE_DURATION },
		{ "share", "of difference", CLI_TYPE_RATIO }, { 0 } };
	struct cli_column columns[7];
	struct cli_table t;
	bool tasks = by == PATH_DIFF_BY_TASK;
	size_t limit = d->limit ? d->limit : SCREENFUL, shown = 0, skipped = 0;
	memcpy(columns, all, sizeof(all));
	columns[0].title = by == PATH_DIFF_BY_CAUSE ? "Cause" : "Host";
	columns[1].title = "Program";
	if (!tasks)
		memmove(columns + 1, columns + 2, sizeof(all) - 2 * sizeof(all[0]));
	cli_table_init(&t, columns);
	t.n_columns -= is_close(d); /* shares would say nothing */
	for (size_t i = 0; i < n; i++) {
		const struct path_diff_row *r = &rows[i];
		struct cli_cell cells[6];
		size_t k = 0;
		if (shown >= limit) {
			skipped++;
			continue;
		}
		cells[k++] = CLI_CELL_TEXT(by == PATH_DIFF_BY_CAUSE
						   ? path_cause_words((enum path_cause)r->cause)
					   : r->in_flight ? "(packets in flight)"
							  : r->host);
		if (tasks)
			cells[k++] = r->comm ? CLI_CELL_TEXT(r->comm) : CLI_CELL_TEXT("");
		cells[k++] = CLI_CELL(r->a_ns);
		cells[k++] = CLI_CELL(r->b_ns);
		cells[k++] = CLI_CELL(delta_of(r));
		if (!is_close(d))
			cells[k++] = share_cell(d, r);
		cli_table_add(&t, cells);
		shown++;
	}
	mer_str_printf(out, "\n%s\n", titles[by]);
	cli_table_text(&t, out, (size_t)cli_width(d->cli), d->cli->bold_out);
	out->failed |= t.failed;
	cli_table_fini(&t);
	if (skipped)
		mer_str_printf(out, "... and %zu more (-n 0 shows all)\n", skipped);
}

static int put_by(const struct cli_diff *d, enum path_diff_by by, struct mer_str *out)
{
	struct path_diff_row *rows;
	size_t n;
	int rc = path_diff(&d->a.profile, &d->b.profile, by, &rows, &n, &d->cli->err);
	if (rc == 0 && n)
		put_table(d, by, rows, n, out);
	free(rows);
	return rc;
}

static int put_text(const struct cli_diff *d, struct mer_str *out)
{
	struct path_diff_row *rows;
	struct mer_str words = { 0 };
	size_t n;
	int rc =
		path_diff(&d->a.profile, &d->b.profile, PATH_DIFF_BY_PART, &rows, &n, &d->cli->err);
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
			cli_text_wrap(out, words.data, (size_t)cli_width(d->cli), 0);
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
	struct cli *cli, struct mer_json *j, const char *key, const struct cli_side *s)
{
	const struct session_synced *before = cli->synced;
	mer_json_kv_object(j, key);
	mer_json_kv_text(j, "file", s->file);
	mer_json_kv_text(j, "host", s->host);
	if (s->tid < 0)
		mer_json_kv_null(j, "tid");
	else
		mer_json_kv_int(j, "tid", s->tid);
	mer_json_kv_text(j, "comm", s->comm);
	mer_json_kv_int(j, "begin", s->begin);
	mer_json_kv_int(j, "end", s->end);
	mer_json_kv_int(j, "total_ns", s->profile.total_ns);
	cli->synced = s->has_sync ? &s->synced : NULL;
	cli_json_synced(j, cli);
	cli->synced = before;
	mer_json_end_object(j);
}

static void json_row(const struct cli_diff *d, struct mer_json *j, enum path_diff_by by,
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
	const struct cli_diff *d, struct mer_json *j, enum path_diff_by by, const char *key)
{
	struct path_diff_row *rows;
	size_t n;
	int rc = path_diff(&d->a.profile, &d->b.profile, by, &rows, &n, &d->cli->err);
	mer_json_kv_array(j, key);
	for (size_t i = 0; rc == 0 && i < n; i++)
		json_row(d, j, by, &rows[i]);
	mer_json_end_array(j);
	free(rows);
	return rc;
}

static int put_json(const struct cli_diff *d, struct mer_str *out)
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
	mer_json_kv_int(&j, "schema_version", 1);
	json_side(d->cli, &j, "a", &d->a);
	json_side(d->cli, &j, "b", &d->b);
	mer_json_kv_int(&j, "delta_ns", total_delta(d));
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && rc == 0; i++)
		rc = json_by(d, &j, tables[i].by, tables[i].key);
	mer_json_kv_array(&j, "diagnostics");
	for (size_t i = 0; i < d->diags.n; i++)
		mer_diag_json(&d->diags.rows[i], &j);
	mer_json_end_array(&j);
	mer_json_end_object(&j);
	return rc ? rc : mer_json_finish(&j, &d->cli->err);
}

/* The parts as rows. */
static int put_rows(const struct cli_diff *d, struct mer_str *out)
{
	static const struct cli_column columns[] = { { "host", "", CLI_TYPE_TEXT },
		{ "comm", "", CLI_TYPE_TEXT }, { "cause", "", CLI_TYPE_TEXT },
		{ "in_flight", "", CLI_TYPE_ID }, { "a_ns", "", CLI_TYPE_DURATION },
		{ "b_ns", "", CLI_TYPE_DURATION }, { "delta_ns", "", CLI_TYPE_DURATION },
		{ "a_segments", "", CLI_TYPE_COUNT }, { "b_segments", "", CLI_TYPE_COUNT }, { 0 } };
	struct path_diff_row *rows;
	struct cli_table t;
	size_t n;
	int rc =
		path_diff(&d->a.profile, &d->b.profile, PATH_DIFF_BY_PART, &rows, &n, &d->cli->err);
	cli_table_init(&t, columns);
	for (size_t i = 0; rc == 0 && i < n && (!d->limit || i < d->limit); i++) {
		const struct path_diff_row *r = &rows[i];
		cli_table_add(
			&t, (struct cli_cell[]){ CLI_CELL_TEXT(r->host), CLI_CELL_TEXT(r->comm),
				    CLI_CELL_TEXT(path_cause_name((enum path_cause)r->cause)),
				    CLI_CELL(r->in_flight), CLI_CELL(r->a_ns), CLI_CELL(r->b_ns),
				    CLI_CELL(delta_of(r)), CLI_CELL(r->n_a), CLI_CELL(r->n_b) });
	}
	if (d->cli->format == CLI_FORMAT_CSV)
		cli_table_csv(&t, out);
	else
		cli_table_jsonl(&t, out);
	out->failed |= t.failed;
	cli_table_fini(&t);
	free(rows);
	return rc;
}

int cli_diff_print(struct cli_diff *d)
{
	struct mer_str out = { 0 };
	int rc;
	switch ((enum cli_format)d->cli->format) {
	case CLI_FORMAT_JSON: rc = put_json(d, &out); break;
	case CLI_FORMAT_CSV:
	case CLI_FORMAT_JSONL: rc = put_rows(d, &out); break;
	default: rc = put_text(d, &out); break;
	}
	return cli_sync_put(d->cli, &out, rc);
}
