/* Converts the caller's selections and lists to those of a session. */
#include <string.h>

#include "ask/library/api.h"
#include "base/err.h"

int api_texts(struct session_texts *to, const char *const *from, size_t n, struct mer_arena *arena,
	struct mer_err *err)
{
	*to = (struct session_texts){ 0 };
	if (!n)
		return 0;
	to->item = mer_arena_zalloc(arena, n, sizeof(*to->item));
	for (size_t i = 0; to->item && i < n; i++)
		to->item[i] = mer_arena_strdup(arena, from[i]);
	to->n = n;
	return arena->failed ? mer_fail_nomem(err) : 0;
}

static void add_numbers(struct session_ranges *to, const uint32_t *from, size_t n, bool is_process)
{
	for (size_t i = 0; i < n; i++)
		to->item[to->n++] = (struct session_range){ from[i], from[i], is_process };
}

static void add_ranges(struct session_ranges *to, const uint64_t *from, size_t n, bool is_process)
{
	for (size_t i = 0; i < n; i++)
		to->item[to->n++] =
			(struct session_range){ from[2 * i], from[2 * i + 1], is_process };
}

static int read_moment(struct session_moment *m, const char *text, struct mer_arena *arena,
	enum mer_remedy remedy, struct mer_err *err)
{
	if (!text)
		return 0;
	const char *copy = mer_arena_strdup(arena, text); /* a moment of a host borrows it */
	if (!copy)
		return mer_fail_nomem(err);
	int rc = session_moment_parse(m, copy, err);
	if (rc && err)
		err->remedy = remedy;
	return rc;
}

int api_selection(const struct mer_session *s, const struct mer_selection *from,
	struct mer_arena *arena, struct session_selection *to, struct mer_err *err)
{
	struct mer_selection o;
	int rc = mer_options_read(&o, sizeof(o), 0, from, err);
	*to = (struct session_selection){ 0 };
	if (rc)
		return rc;
	to->cpus.item =
		mer_arena_zalloc(arena, o.n_cpus + o.n_cpu_ranges + 1, sizeof(*to->cpus.item));
	to->tids.item = mer_arena_zalloc(arena,
		o.n_tids + o.n_tid_ranges + o.n_pids + o.n_pid_ranges + 1, sizeof(*to->tids.item));
	if (arena->failed)
		return mer_fail_nomem(err);
	add_numbers(&to->cpus, o.cpus, o.n_cpus, false);
	add_numbers(&to->tids, o.tids, o.n_tids, false);
	add_numbers(&to->tids, o.pids, o.n_pids, true);
	add_ranges(&to->cpus, o.cpu_ranges, o.n_cpu_ranges, false);
	add_ranges(&to->tids, o.tid_ranges, o.n_tid_ranges, false);
	add_ranges(&to->tids, o.pid_ranges, o.n_pid_ranges, true);
	rc = api_texts(&to->hosts, o.hosts, o.n_hosts, arena, err);
	if (rc == 0)
		rc = api_texts(&to->comms, o.comms, o.n_comms, arena, err);
	if (rc == 0)
		rc = read_moment(&to->begin, o.begin, arena, MER_REMEDY_BEGIN, err);
	if (rc == 0)
		rc = read_moment(&to->end, o.end, arena, MER_REMEDY_END, err);
	return rc ? rc : session_selection_check(to, session_experiment(s->session), err);
}

int api_host(const struct mer_session *s, const char *name, uint32_t *host, struct mer_err *err)
{
	const struct mer_experiment *e = session_experiment(s->session);
	for (*host = 0; *host < e->n_hosts; ++*host)
		if (strcmp(e->hosts[*host].name, name) == 0)
			return 0;
	return mer_fail_remedy(
		err, MER_ERR_USAGE, MER_REMEDY_HOSTS, "the traces have no host '%.100s'", name);
}
