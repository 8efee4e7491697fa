#include "sync/auto.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/options.h"
#include "copied/copied.h"
#include "sync/vcpu/join.h"

struct sync_host_info *sync_host_infos(const struct mer_experiment *e, struct mer_arena *arena)
{
	struct sync_host_info *hosts = mer_arena_zalloc(arena, e->n_hosts + 1u, sizeof(*hosts));
	if (!hosts)
		return NULL;
	for (uint32_t h = 0; h < e->n_hosts; h++)
		hosts[h] = (struct sync_host_info){ e->hosts[h].name, e->hosts[h].id,
			{ MER_NO_TIME, MER_NO_TIME }, e->hosts[h].name };
	/* Hosts with a trace that is no copy are ordered by their own id. */
	for (uint32_t i = 0; i < e->n_parts; i++)
		if (strcmp(e->parts[i].path, e->parts[i].given) == 0 ||
			trace_of_copy(&e->parts[i], COPIED_ENV_TRACE))
			hosts[e->traces[e->parts[i].trace].host].order = NULL;
	for (uint32_t t = 0; t < e->n_traces; t++) {
		struct sync_range *span = &hosts[e->traces[t].host].span;
		if (e->traces[t].begin <= e->traces[t].end)
			trace_widen(&span->begin, &span->end, e->traces[t].begin, e->traces[t].end);
	}
	return hosts;
}

int sync_auto_gather(struct mer_experiment *e, const struct sync_gather_options *gather,
	struct sync_messages *m, struct mer_diags *found, struct mer_diags *all,
	struct mer_err *err)
{
	static const struct sync_gather_options plain;
	struct mer_diags before = e->diags;
	mer_diags_init(&e->diags, &e->arena);
	int rc = sync_gather(e, gather ? gather : &plain, m, err);
	mer_diags_init(found, &e->arena);
	for (size_t i = 0; i < e->diags.n; i++)
		if (strncmp(e->diags.rows[i].code, "sync-", 5) == 0)
			mer_diag_add(found, &e->diags.rows[i], "%s", e->diags.rows[i].message);
	if (all)
		mer_diags_merge(all, &e->diags);
	mer_diags_fini(&e->diags);
	e->diags = before;
	return rc;
}

int sync_auto_solve(struct mer_experiment *e, const struct sync_messages *m,
	const struct mer_diags *found, const struct sync_options *solve,
	struct sync_result **result, struct mer_err *err)
{
	static const struct sync_options plain;
	struct mer_arena arena;
	mer_arena_init(&arena);
	struct sync_host_info *hosts = sync_host_infos(e, &arena);
	int rc = hosts ? sync_join(e, m, hosts, solve ? solve : &plain, result, err)
		       : mer_fail_nomem(err);
	/* These diagnostics belong to the result, which may be saved. */
	if (rc == 0)
		mer_diags_merge(&(*result)->diags, found);
	mer_arena_fini(&arena);
	return rc;
}

int sync_auto(struct mer_experiment *e, const struct sync_gather_options *gather,
	const struct sync_options *solve, struct sync_result **result, struct mer_err *err)
{
	struct sync_messages messages = { 0 };
	struct mer_diags found;
	int rc = sync_auto_gather(e, gather, &messages, &found, NULL, err);
	if (rc == 0)
		rc = sync_auto_solve(e, &messages, &found, solve, result, err);
	mer_diags_fini(&found);
	sync_messages_free(&messages);
	return rc;
}

int sync_load(const struct mer_experiment *e, const char *path, struct sync_result **result,
	struct mer_err *err)
{
	struct mer_file f;
	int rc = mer_file_open(&f, path, err);
	if (rc)
		return rc;
	rc = sync_result_read((const char *)f.data, f.size, path, e ? e->hosts : NULL,
		e ? e->n_hosts : 0, result, err);
	mer_file_close(&f);
	return rc;
}

/* The second from which a host's times count. */
static int64_t base_of(const struct mer_experiment *e, uint32_t host)
{
	for (uint32_t t = 0; t < e->n_traces; t++)
		if (e->traces[t].host == host && e->traces[t].has_clock)
			return e->traces[t].base_s;
	return 0;
}

int sync_apply(struct mer_experiment *e, const struct sync_result *r, struct mer_err *err)
{
	if (r->n_hosts != e->n_hosts)
		return mer_fail(err, MER_ERR_USAGE,
			"a synchronization of %u hosts cannot be applied to traces of %u",
			(unsigned)r->n_hosts, (unsigned)e->n_hosts);
	struct mer_arena arena;
	mer_arena_init(&arena);
	struct trace_clock_map *maps = mer_arena_zalloc(&arena, e->n_hosts + 1u, sizeof(*maps));
	int rc = maps ? 0 : mer_fail_nomem(err);
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts; h++) {
		const struct sync_host *host = &r->hosts[h];
		uint32_t reference =
			host->group < r->n_groups ? r->references[host->group] : UINT32_MAX;
		maps[h] = host->map;
		if (!maps[h].n || reference >= e->n_hosts || base_of(e, h) == base_of(e, reference))
			continue;
		maps[h] = (struct trace_clock_map){ 0 };
		mer_diag_add(&e->diags,
			&(struct mer_diag){ .severity = MER_WARNING,
				.code = "sync-far-clock",
				.host = e->hosts[h].name,
				.stream = -1,
				.packet = -1,
				.offset_bits = -1 },
			"times count from second %" PRId64 ", those of %s from second %" PRId64
			": the clock stays as recorded",
			base_of(e, h), e->hosts[reference].name, base_of(e, reference));
	}
	if (rc == 0)
		rc = trace_apply_clock_maps(e, maps, err);
	mer_arena_fini(&arena);
	return rc;
}

struct sync_summary sync_summary_of(const struct sync_result *r)
{
	struct sync_summary s = { .reference = r->n_groups ? r->references[0] : 0 };
	s.max = s.median = s.reference;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		const struct sync_host *host = &r->hosts[h];
		if (host->span.begin == MER_NO_TIME)
			continue; /* it has no times */
		if (host->group != 0) {
			s.n_unsynchronized++;
			continue;
		}
		s.n_hosts++;
		if (h == s.reference)
			continue;
		if (host->likely_off.median > s.likely_ns)
			s.likely_ns = host->likely_off.median;
		if (host->bound.median > s.median_ns) {
			s.median_ns = host->bound.median;
			s.median = h;
		}
		if (host->bound.max > s.max_ns) {
			s.max_ns = host->bound.max;
			s.max = h;
		}
	}
	return s;
}

/* Appends the names of the largest group's hosts of this quality; returns how many there are.
 * SYNC_FAIL: only hosts without limits, not those that failed by the classic method alone. */
static uint32_t add_unlimited(
	const struct sync_result *r, enum sync_quality quality, struct mer_str *names)
{
	enum { NAMES = 4 };
	uint32_t n = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		const struct sync_host *host = &r->hosts[h];
		if (host->group != 0 || host->span.begin == MER_NO_TIME ||
			host->quality != quality ||
			(quality == SYNC_FAIL && host->bound.median != INT64_MAX))
			continue;
		if (n < NAMES)
			mer_str_printf(names, "%s%.64s", n ? ", " : "", host->name);
		n++;
	}
	if (n > NAMES)
		mer_str_printf(names, " and %u more", (unsigned)(n - NAMES));
	return n;
}

uint32_t sync_one_sided(const struct sync_result *r, struct mer_str *names)
{
	return add_unlimited(r, SYNC_INCOMPLETE, names);
}

uint32_t sync_contradictory(const struct sync_result *r, struct mer_str *names)
{
	return add_unlimited(r, SYNC_FAIL, names);
}

int mer_synchronize(
	struct mer_experiment *e, const struct mer_sync_options *options, struct mer_err *err)
{
	struct mer_sync_options o;
	struct sync_result *r = NULL;
	int rc = mer_options_read(&o, sizeof(o),
		offsetof(struct mer_sync_options, saved_len) + sizeof(o.saved_len), options, err);
	if (rc == 0)
		rc = o.saved ? sync_result_read(o.saved, o.saved_len, "saved synchronization",
				       e->hosts, e->n_hosts, &r, err)
			     : sync_auto(e, NULL, NULL, &r, err);
	if (rc == 0)
		rc = sync_apply(e, r, err);
	if (rc == 0)
		mer_diags_merge(&e->diags, &r->diags);
	sync_result_free(r);
	return rc;
}
