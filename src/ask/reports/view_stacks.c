/* Each moment of a row in the innermost of its states, with those around it:
 *
 *   h;Thread 7;outer;inner 4000000
 *
 * The sums are the exclusive times of `top view`. */
#include "ask/reports/view_stacks.h"

#include "ask/print/fold.h"
#include "ask/session.h"
#include "session/views.h"

enum { MOST_LEVELS = 256 }; /* of deeper ones, the outer ones are left out */

static void add_piece(const struct ask *ask, const struct view_host *h, const struct view_piece *p,
	struct ask_fold *f)
{
	uint32_t levels[MOST_LEVELS], n = 0;
	int64_t begin = p->begin > ask->window.begin ? p->begin : ask->window.begin;
	int64_t end = p->end < ask->window.end ? p->end : ask->window.end;
	if (begin >= end)
		return;
	for (uint32_t s = p->state; s != VIEW_NONE && n < MOST_LEVELS; s = h->states[s].within)
		levels[n++] = s;
	/* Of call stacks in XML each level has a row. */
	const struct view_row_of *row = &h->rows[h->states[levels[n - 1]].row];
	ask_fold_frame(f, h->name);
	if (view_word(h, row->under) && strcmp(view_word(h, row->under), h->name) != 0)
		ask_fold_frame(f, view_word(h, row->under));
	ask_fold_frame(f, view_word(h, row->label));
	while (n-- > 0)
		ask_fold_frame(f, view_word(h, h->states[levels[n]].word));
	ask_fold_add(f, end - begin);
}

static int fold(struct ask *ask, const struct view_states *states, struct ask_fold *f)
{
	for (uint32_t i = 0; i < states->n_hosts && !f->failed; i++) {
		const struct view_host *h = &states->hosts[i];
		if (!session_selects_host(&ask->select, h->name))
			continue;
		for (uint32_t p = 0; p < h->n_pieces && !f->failed; p++) {
			int32_t tid = h->lanes[h->pieces[p].lane].tid;
			bool is_meant = !ask->select.tids.n ||
					(tid >= 0 && session_ranges_contain(
							     &ask->select.tids, (uint64_t)tid));
			if (is_meant)
				add_piece(ask, h, &h->pieces[p], f);
		}
	}
	return f->failed ? mer_fail_nomem(&ask->err) : 0;
}

static int check(struct ask *ask)
{
	if (!ask->views.n)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"log view needs --view FILE (or mpi, ros2, ...): what the states of the programs are");
	for (size_t i = 0; i < ask->select.tids.n; i++)
		if (ask->select.tids.item[i].is_process)
			return mer_fail(&ask->err, MER_ERR_USAGE,
				"--format folded and speedscope select threads by --tid, not by --pid");
	if (ask->select.comms.n || ask->select.cpus.n)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--format folded and speedscope select threads by --tid, not by --comm and --cpu");
	return 0;
}

int ask_view_stacks(struct ask *ask)
{
	const struct view_states *states;
	struct session *s = NULL;
	struct mer_str out = { 0 };
	struct ask_fold f;
	int rc = check(ask);
	if (rc == 0)
		rc = ask_session_open_synced(ask, ASK_SYNC_AUTO, &s);
	if (rc == 0)
		rc = session_views(s, &states, &ask->err);
	ask_fold_init(&f, &ask->arena);
	if (rc == 0)
		rc = fold(ask, states, &f);
	if (rc == 0)
		rc = ask->format == ASK_FORMAT_FOLDED
			     ? ask_fold_put(&f, &out, &ask->err)
			     : ask_fold_put_speedscope(&f, "states", &ask->arena, &out, &ask->err);
	ask_fold_fini(&f);
	rc = ask_put(ask, &out, rc);
	ask_session_close(ask, s);
	return rc;
}
