#include "cli/answer.h"

#include "cli/table.h"
#include "trace/missing.h"

void cli_answer_init(
	struct cli *cli, const struct mer_experiment *e, bool is_timed, struct answer *a)
{
	answer_init(a, e);
	a->synced = cli->synced;
	if (!is_timed || e->begin == MER_NO_TIME)
		return;
	a->begin = cli->window.begin > e->begin ? cli->window.begin : e->begin;
	a->end = cli->window.end < e->end ? cli->window.end : e->end;
}

static int put_json(struct cli *cli, struct answer *a, size_t first, size_t n)
{
	struct mer_str out = { 0 };
	return cli_put(cli, &out, answer_json(a, first, n, &out, cli->out, &cli->err));
}

static int put_table(struct cli *cli, struct answer_table *x, bool named)
{
	if (!x->more)
		return cli_table_print_rows(cli, x->table, 0, named);
	size_t n = 0;
	int rc;
	do {
		rc = answer_next(x, &cli->err);
		if (rc == 0 && (x->own.n_rows || !n))
			rc = cli_table_print_rows(cli, &x->own, n, named);
		n += x->own.n_rows;
	} while (rc == 0 && x->own.n_rows);
	return rc;
}

static int put_files(struct cli *cli, struct answer *a)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < a->n; i++) {
		rc = cli_output_file(cli, a->tables[i].table->id);
		if (rc == 0)
			rc = cli->format == CLI_FORMAT_JSON ? put_json(cli, a, i, 1)
							    : put_table(cli, &a->tables[i], false);
	}
	return rc;
}

static int put_rows(struct cli *cli, struct answer *a)
{
	size_t n = 0, n_put = 0;
	int rc = 0;
	for (size_t i = 0; i < a->n; i++)
		n += !a->tables[i].is_beside;
	for (size_t i = 0; rc == 0 && i < a->n; i++) {
		if (a->tables[i].is_beside)
			continue;
		if (n_put++ && cli->format == CLI_FORMAT_CSV)
			fputc('\n', cli->out);
		rc = put_table(cli, &a->tables[i], n > 1);
	}
	return rc;
}

int cli_answer_print(struct cli *cli, struct answer *a)
{
	int rc = answer_check(a, &cli->err);
	return rc				? rc
	       : cli->folder			? put_files(cli, a)
	       : cli->format == CLI_FORMAT_JSON ? put_json(cli, a, 0, a->n)
						: put_rows(cli, a);
}

enum { ROW, PATH, LATE, EARLY, ABSENT, UNSEEN, N_MISSING };

struct mer_table *cli_missing_table(struct answer *a)
{
	static const struct mer_column columns[N_MISSING + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[PATH] = { "path", "Trace", MER_TEXT },
		[LATE] = { "streams_begin_late", "Streams begin late", MER_COUNT },
		[EARLY] = { "streams_end_early", "Streams end early", MER_COUNT },
		[ABSENT] = { "streams_missing", "Streams missing", MER_COUNT },
		[UNSEEN] = { "channels_missing", "Channels without a stream", MER_COUNT },
	};
	return answer_add_beside(
		a, "traces_missing", "Traces that lack packets or streams", columns);
}

void cli_missing_add(
	struct mer_table *t, size_t row, const char *path, const struct trace_missing *m)
{
	if (trace_is_missing(m))
		mer_table_add(t, (struct mer_cell[N_MISSING]){
					 [ROW] = MER_INT(row),
					 [PATH] = mer_text(path),
					 [LATE] = MER_INT(m->n_late),
					 [EARLY] = MER_INT(m->n_early),
					 [ABSENT] = MER_INT(m->n_absent),
					 [UNSEEN] = MER_INT(m->n_unseen),
				 });
}
