#include "cli/fleet/part_clocks.h"

#include "ask/program.h"
#include "sync/auto.h"
#include "sync/result_lines.h"

static bool is_there(const struct mer_experiment *e, const struct sync_result *r, uint32_t host)
{
	bool is = false;
	for (uint32_t h = 0; h < e->n_hosts && !is; h++)
		is = sync_result_host(r, &e->hosts[h]) == host;
	return is;
}

static uint64_t messages_of(const struct sync_pair *p)
{
	return p->ab.before.n + p->ba.before.n;
}

/* own: by host of the file. */
static int check_peers(struct ask *ask, const struct sync_result *r, const struct mer_experiment *e,
	const bool *own)
{
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		if (own[p->a] == own[p->b] || !messages_of(p))
			continue;
		uint32_t host = own[p->a] ? p->a : p->b, other = own[p->a] ? p->b : p->a;
		if (!is_there(e, r, other))
			return mer_fail(&ask->err, MER_ERR_USAGE,
				"%.100s exchanged messages with %.100s, whose part is missing: give it, too (made by 'meridian part --rate 0')",
				r->hosts[host].name, r->hosts[other].name);
	}
	return 0;
}

/* Of the experiment's own hosts those of the result. */
static bool *own_of(struct ask *ask, const struct sync_result *r, const struct mer_experiment *e,
	const bool *own)
{
	bool *is = mer_arena_zalloc(&ask->arena, r->n_hosts + 1u, sizeof(*is));
	for (uint32_t h = 0; is && h < e->n_hosts; h++) {
		uint32_t at = own[h] ? sync_result_host(r, &e->hosts[h]) : UINT32_MAX;
		if (at != UINT32_MAX)
			is[at] = true;
	}
	return is;
}

int part_clocks_open(
	struct part_clocks *c, struct ask *ask, const struct session *all, const bool *own)
{
	const char *file = ask_clocks_file(ask);
	*c = (struct part_clocks){ 0 };
	int rc = file ? sync_load(NULL, file, &c->saved, &ask->err) : 0;
	if (rc || !c->saved)
		return rc;
	const struct mer_experiment *e = session_experiment(all);
	const bool *of_saved = own_of(ask, c->saved, e, own);
	return of_saved ? check_peers(ask, c->saved, e, of_saved) : mer_fail_nomem(&ask->err);
}

int part_clocks_put(const struct part_clocks *c, struct ask *ask, struct session *all,
	const bool *own, struct mer_str *out)
{
	const struct sync_result *r = c->saved ? c->saved : session_sync_result(all);
	if (!r || r->is_of_some)
		return 0;
	const bool *of_result = own_of(ask, r, session_experiment(all), own);
	return of_result ? sync_result_write_lines(r, of_result, out, &ask->err)
			 : mer_fail_nomem(&ask->err);
}

void part_clocks_fini(struct part_clocks *c)
{
	sync_result_free(c->saved);
	c->saved = NULL;
}
