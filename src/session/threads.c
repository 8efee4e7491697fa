#include "session/threads.h"

#include "analysis/fold.h"
#include "kernel/mpi.h"
#include "session/state.h"
#include "views/states.h"

static bool is_chosen(const struct session_answer *a, uint32_t host, int64_t tid)
{
	return session_selects_host(a->selection, a->session->e->hosts[host].name) &&
	       session_selects_thread(a->selection, tid);
}

/* Has it facts with numbers of threads of their own? */
static bool is_about_threads(const struct analysis *a)
{
	for (const struct analysis_output *o = a->outputs; o->id; o++)
		for (size_t i = 0; o->fold && i < FOLD_KINDS && o->fold->kinds[i]; i++)
			if (o->fold->kinds[i]->thread)
				return true;
	return false;
}

static bool find_in_views(const struct session_answer *a)
{
	const struct kernel_world *w = a->run.world;
	for (uint32_t host = 0; host < w->n_hosts; host++) {
		const struct view_host *v = w->hosts[host].views;
		for (uint32_t i = 0; v && i < v->n_lanes; i++)
			if (is_chosen(a, host, v->lanes[i].tid))
				return true;
		for (uint32_t i = 0; v && i < v->n_rows; i++)
			if (is_chosen(a, host, v->rows[i].tid))
				return true;
	}
	return false;
}

static bool find_in_run(const struct session_answer *a, const struct mpi_run *run)
{
	for (uint32_t i = 0; i < run->n_lines; i++)
		if (is_chosen(a, mpi_process_of(run, i)->host, run->lines[i].tid))
			return true;
	return false;
}

/* A world that was saved has no run: it is read again. */
static int find_in_mpi(const struct session_answer *a, bool *is_one, struct mer_err *err)
{
	struct session *s = a->session;
	const struct kernel_mpi *known = a->run.world->mpi;
	struct kernel_mpi *mpi = NULL;
	int rc = known ? 0 : kernel_mpi_read(s->e, s->result, &s->cancel, &mpi, err);
	known = known ? known : mpi;
	*is_one = rc == 0 && known && find_in_run(a, known->run);
	kernel_mpi_free(mpi);
	return rc;
}

int session_answer_has_thread(const struct session_answer *a, bool *is_one, struct mer_err *err)
{
	const struct analysis *last = NULL; /* tables of one follow each other */
	int rc = 0;
	*is_one = false;
	for (size_t i = 0; i < a->request->n && a->run.world && !*is_one && rc == 0; i++) {
		const struct analysis *of = a->request->tables[i].analysis;
		if (of == last || !is_about_threads(of))
			continue;
		last = of;
		if (of->of_views)
			*is_one = find_in_views(a);
		else
			rc = find_in_mpi(a, is_one, err);
	}
	return rc;
}
