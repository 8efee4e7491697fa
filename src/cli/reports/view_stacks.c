/* Each moment of a row in the innermost of its states, with those around it:
 *
 *   h;Thread 7;outer;inner 4000000
 *
 * The sums are the exclusive times of `top view`. */
#include "cli/reports/view_stacks.h"

#include "cli/fold.h"
#include "cli/session.h"
#include "session/views.h"

enum { MOST_LEVELS = 256 }; /* of deeper ones, the outer ones are left out */

static void add_piece(const struct cli *cli, const struct view_host *h, const struct view_piece *p,
	struct cli_fold *f)
{
	uint32_t levels[MOST_LEVELS], n = 0;
	int64_t begin = p->begin > cli->window.begin ? p->begin : cli->window.begin;
	int64_t end = p->end < cli->window.end ? p->end : cli->window.end;
	if (begin >= end)
		return;
	for (uint32_t s = p->state; s != VIEW_NONE && n < MOST_LEVELS; s = h->states[s].within)
		levels[n++] = s;
	/* Of call stacks in XML each level has a row. */
	const struct view_row_of *row = &h->rows[h->states[levels[n - 1]].row];
	cli_fold_frame(f, h->name);
	if (view_word(h, row->under) && strcmp(view_word(h, row->under), h->name) != 0)
		cli_fold_frame(f, view_word(h, row->under));
	cli_fold_frame(f, view_word(h, row->label));
	while (n-- > 0)
		cli_fold_frame(f, view_word(h, h->states[levels[n]].word));
	cli_fold_add(f, end - begin);
}

static int fold(struct cli *cli, const struct view_states *states, struct cli_fold *f)
{
	for (uint32_t i = 0; i < states->n_hosts && !f->failed; i++) {
		const struct view_host *h = &states->hosts[i];
		if (!session_selects_host(&cli->select, h->name))
			continue;
		for (uint32_t p = 0; p < h->n_pieces && !f->failed; p++) {
			int32_t tid = h->lanes[h->pieces[p].lane].tid;
			bool is_meant = !cli->select.tids.n ||
					(tid >= 0 && session_ranges_contain(
							     &cli->select.tids, (uint64_t)tid));
			if (is_meant)
				add_piece(cli, h, &h->pieces[p], f);
		}
	}
	return f->failed ? mer_fail_nomem(&cli->err) : 0;
}

static int check(struct cli *cli)
{
	if (!cli->views.n)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"log view needs --view FILE (or mpi, ros2, ...): what the states of the programs are");
	for (size_t i = 0; i < cli->select.tids.n; i++)
		if (cli->select.tids.item[i].is_process)
			return mer_fail(&cli->err, MER_ERR_USAGE,
				"--format folded and speedscope select threads by --tid, not by --pid");
	if (cli->select.comms.n || cli->select.cpus.n)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"--format folded and speedscope select threads by --tid, not by --comm and --cpu");
	return 0;
}

int cli_view_stacks(struct cli *cli)
{
	const struct view_states *states;
	struct session *s = NULL;
	struct mer_str out = { 0 };
	struct cli_fold f;
	int rc = check(cli);
	if (rc == 0)
		rc = cli_session_open_synced(cli, CLI_SYNC_AUTO, &s);
	if (rc == 0)
		rc = session_views(s, &states, &cli->err);
	cli_fold_init(&f, &cli->arena);
	if (rc == 0)
		rc = fold(cli, states, &f);
	if (rc == 0)
		rc = cli->format == CLI_FORMAT_FOLDED
			     ? cli_fold_put(&f, &out, &cli->err)
			     : cli_fold_put_speedscope(&f, "states", &cli->arena, &out, &cli->err);
	cli_fold_fini(&f);
	rc = cli_put(cli, &out, rc);
	cli_session_close(cli, s);
	return rc;
}
