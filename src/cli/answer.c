#include "cli/answer.h"

#include "cli/table.h"

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
