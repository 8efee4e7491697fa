#include "ask/parts.h"

#include <stdlib.h>
#include <string.h>

#include "ask/print/text.h"
#include "base/plural.h"
#include "base/sort.h"
#include "trace/experiment.h"

void ask_parts_fini(struct ask_parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		answer_part_fini(&p->of[i]);
	if (p->e)
		mer_diags_fini(&p->e->diags);
	*p = (struct ask_parts){ 0 };
}

static bool same_texts(const struct session_texts *a, const struct session_texts *b)
{
	size_t i = 0;
	while (i < a->n && i < b->n && strcmp(a->item[i], b->item[i]) == 0)
		i++;
	return i == a->n && i == b->n;
}

static void put_question(struct mer_str *out, const struct answer_part *p)
{
	mer_str_printf(out, "%s %s", p->verb, p->analysis);
	for (size_t i = 0; i < p->options.n; i++)
		mer_str_printf(out, " %s", p->options.item[i]);
}

static int differ(struct ask *ask, const struct answer_part *a, const struct answer_part *b)
{
	struct mer_str x = { 0 }, y = { 0 };
	put_question(&x, a);
	put_question(&y, b);
	int rc = mer_fail(&ask->err, MER_ERR_USAGE,
		"these parts are of different questions: %.200s is of '%.200s', %.200s of '%.200s'",
		a->path, x.data ? x.data : "?", b->path, y.data ? y.data : "?");
	mer_str_fini(&x);
	mer_str_fini(&y);
	return rc;
}

/* Answers can only be of one question, on one time line. */
static int check(struct ask *ask, const struct ask_parts *p)
{
	const struct answer_part *first = &p->of[0];
	for (size_t i = 1; i < p->n; i++) {
		const struct answer_part *x = &p->of[i];
		if (strcmp(x->verb, first->verb) != 0 ||
			strcmp(x->analysis, first->analysis) != 0 ||
			!same_texts(&x->options, &first->options) || x->n_tables != first->n_tables)
			return differ(ask, first, x);
		if (x->begin != first->begin || x->end != first->end)
			return mer_fail(&ask->err, MER_ERR_USAGE,
				"%.200s and %.200s are of different times: give --begin and --end as nanoseconds since 1970, or with a zone",
				first->path, x->path);
		if (x->clocks != first->clocks)
			return mer_fail(&ask->err, MER_ERR_USAGE,
				"%.200s and %.200s have other clocks: ask all hosts with the same --sync FILE",
				first->path, x->path);
	}
	return 0;
}

struct placed {
	const struct answer_part_host *host;
	const struct answer_part *part;
};

/* Of a name without the number that a host of a part has beside others of its name. */
static size_t own_length(const char *name)
{
	size_t n = strlen(name), k = n;
	while (k && name[k - 1] >= '0' && name[k - 1] <= '9')
		k--;
	return k > 1 && k < n && name[k - 1] == '#' ? k - 1 : n;
}

static int by_name(const struct placed *p, const struct placed *q)
{
	size_t n = own_length(p->host->name), m = own_length(q->host->name);
	int c = memcmp(p->host->name, q->host->name, n < m ? n : m);
	return c ? c : (n > m) - (n < m);
}

static int by_identity(const void *a, const void *b)
{
	const struct placed *p = a, *q = b;
	int c = by_name(p, q);
	return c ? c : strcmp(p->host->id, q->host->id);
}

/* The name that the host has beside all others. */
static const char *name_of(struct ask *ask, const struct placed *list, size_t i)
{
	size_t twins = 0;
	const char *name = list[i].host->name;
	while (twins < i && by_name(&list[i - twins - 1], &list[i]) == 0)
		twins++;
	return twins ? mer_arena_printf(
			       &ask->arena, "%.*s#%zu", (int)own_length(name), name, twins + 1)
		     : name;
}

/* Findings of a host and a step; what names no host goes with the first one of its part. Streams
 * get the numbers that they would have among those of all hosts. */
static void add_findings(
	struct mer_diags *to, const struct placed *list, size_t n, size_t at, int step)
{
	const struct answer_part *p = list[at].part;
	const struct answer_part_host *first = list[at].host;
	for (size_t i = at; i-- > 0;)
		first = list[i].part == p ? list[i].host : first;
	size_t end = step < TRACE_OPENINGS ? p->n_opening[step] : p->about.taken.n;
	for (size_t k = step ? p->n_opening[step - 1] : 0; k < end && k < p->about.taken.n; k++) {
		struct mer_diag d = p->about.taken.rows[k];
		const struct answer_part_host *h = p->hosts, *whose = first;
		uint32_t before = 0;
		for (size_t i = 0; i < p->n_hosts && d.host; i++)
			if (strcmp(p->hosts[i].name, d.host) == 0)
				h = whose = &p->hosts[i];
		if (whose != list[at].host)
			continue;
		for (size_t i = 0; i < n && d.stream >= 0; i++)
			if (strcmp(list[i].host->streams_by, h->streams_by) < 0)
				before += list[i].host->n_streams;
		if (d.stream >= 0)
			d.stream += (int64_t)before - h->first_stream;
		mer_diag_add(to, &d, "%s", d.message);
	}
}

static int by_stream(const void *a, const void *b)
{
	const struct mer_diag *p = a, *q = b;
	return (p->stream > q->stream) - (p->stream < q->stream);
}

/* A folder and a file in it are of one trace. */
static int by_path(const void *a, const void *b)
{
	const char *p = ((const struct mer_diag *)a)->path, *q = ((const struct mer_diag *)b)->path;
	size_t n = 0;
	while (p && q && p[n] && p[n] == q[n])
		n++;
	bool is_one = !p || !q || (!p[n] && (!q[n] || q[n] == '/')) || (!q[n] && p[n] == '/');
	return is_one ? 0 : (unsigned char)p[n] - (unsigned char)q[n];
}

/* All are looked for before any is copied. */
static int by_place(const void *a, const void *b)
{
	static const char nothing[] = "path-unreadable";
	const struct mer_diag *p = a, *q = b;
	return (strcmp(q->code, nothing) == 0) - (strcmp(p->code, nothing) == 0);
}

/* All of them, in the order in which one experiment would find them; by host where nothing else is
 * said. */
static void find_all(struct mer_experiment *e, const struct placed *list, size_t n)
{
	static int (*const by[])(const void *, const void *) = { [TRACE_OF_PLACES] = by_place,
		[TRACE_OF_FILES] = by_path,
		[TRACE_OF_STREAMS] = by_stream,
		[TRACE_OPENINGS] = NULL };
	for (int step = 0; step <= TRACE_OPENINGS; step++) {
		struct mer_diags found;
		mer_diags_init(&found, e->diags.arena);
		for (size_t i = 0; i < n; i++)
			add_findings(&found, list, n, i, step);
		if (by[step])
			mer_sort(NULL, found.rows, found.n, sizeof(*found.rows), by[step]);
		mer_diags_merge(&e->diags, &found);
		if (step < TRACE_OPENINGS)
			e->n_opening[step] = e->diags.n;
		mer_diags_fini(&found);
	}
}

static int place_hosts(struct ask *ask, struct ask_parts *p)
{
	enum { MOST_HOSTS = UINT16_MAX * 64 };
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		n += p->of[i].n_hosts;
	if (n > MOST_HOSTS)
		return mer_fail(&ask->err, MER_ERR_LIMIT, "these parts have more than %d hosts",
			(int)MOST_HOSTS);
	struct placed *list = mer_arena_zalloc(&ask->arena, n + 1, sizeof(*list));
	struct mer_experiment *e = mer_arena_zalloc(&ask->arena, 1, sizeof(*e));
	p->hosts = mer_arena_zalloc(&ask->arena, n + 1, sizeof(*p->hosts));
	p->about = mer_arena_zalloc(&ask->arena, n + 1, sizeof(struct answer_part_host *));
	if (!list || !e || !p->hosts || !p->about)
		return mer_fail_nomem(&ask->err);
	e->hosts = mer_arena_zalloc(&ask->arena, n + 1, sizeof(*e->hosts));
	if (!e->hosts)
		return mer_fail_nomem(&ask->err);
	mer_diags_init(&e->diags, &ask->arena);
	p->e = e;
	n = 0;
	for (size_t i = 0; i < p->n; i++)
		for (size_t h = 0; h < p->of[i].n_hosts; h++)
			list[n++] = (struct placed){ &p->of[i].hosts[h], &p->of[i] };
	qsort(list, n, sizeof(*list), by_identity);
	e->begin = e->end = p->begin = p->end = MER_NO_TIME;
	for (size_t i = 0; i < n; i++) {
		const struct answer_part_host *h = list[i].host;
		if (i && by_identity(&list[i - 1], &list[i]) == 0)
			return mer_fail(&ask->err, MER_ERR_USAGE,
				"host %.100s is in %.200s and in %.200s: leave one of them out",
				h->name, list[i - 1].part->path, list[i].part->path);
		p->hosts[i] = (struct analysis_partial_host){ name_of(ask, list, i), h->of };
		p->about[i] = h;
		e->hosts[i] = (struct mer_host){ .name = p->hosts[i].name, .id = h->id };
		if (!p->hosts[i].name)
			return mer_fail_nomem(&ask->err);
		if (h->begin != MER_NO_TIME)
			trace_widen(&p->begin, &p->end, h->begin, h->end);
	}
	e->begin = p->begin;
	e->end = p->end;
	e->n_hosts = p->n_hosts = (uint32_t)n;
	find_all(e, list, n);
	return 0;
}

/* Numbers are without hosts that the clocks' file has and these files do not, unless nobody asked
 * for them. */
static void warn_of_missing(struct ask *ask, const struct ask_parts *p)
{
	enum { NAMES = 8 };
	const struct session_texts *all = &p->of[0].aligned;
	struct mer_str names = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < all->n; i++) {
		uint32_t h = 0;
		while (h < p->n_hosts && strcmp(p->hosts[h].name, all->item[i]) != 0)
			h++;
		bool is_asked = session_selects_host(&ask->select, all->item[i]);
		if (h < p->n_hosts || !is_asked || n++ >= NAMES)
			continue;
		mer_str_puts(&names, names.len ? ", " : "");
		ask_text_clean(&names, all->item[i], strlen(all->item[i]), false);
	}
	if (n > NAMES)
		mer_str_printf(&names, " and %zu more", n - NAMES);
	if (n)
		ask_warn(ask, "there is no part of %s: what %s did is not in this answer",
			names.data ? names.data : "?", mer_plural(n, "this host", "these hosts"));
	ask->degraded |= n > 0;
	mer_str_fini(&names);
}

int ask_parts_read(struct ask *ask, const char *const *paths, size_t n, struct ask_parts *p)
{
	*p = (struct ask_parts){ 0 };
	p->of = mer_arena_zalloc(&ask->arena, n + 1, sizeof(*p->of));
	if (!p->of)
		return mer_fail_nomem(&ask->err);
	for (size_t i = 0; i < n; i++) {
		struct answer_part *x = &p->of[p->n];
		int rc = answer_part_read(x, paths[i], &ask->err);
		if (rc == 0) {
			p->n++;
			continue;
		}
		answer_part_fini(x);
		/* The parts of the others are of use, too. */
		if ((rc != MER_ERR_INPUT && rc != MER_ERR_SYS) || n == 1)
			return rc;
		ask_warn(ask, "%s: it is left out", ask_err_text(ask, &ask->err));
		ask->unreadable = true;
	}
	if (!p->n)
		return mer_fail(&ask->err, MER_ERR_INPUT, "none of these files can be used");
	int rc = check(ask, p);
	if (rc == 0)
		rc = place_hosts(ask, p);
	if (rc == 0)
		warn_of_missing(ask, p);
	if (rc == 0 && p->n_hosts > 1 && !p->of[0].clocks)
		ask_note(ask,
			"the clocks of these %u hosts are as recorded, and times of different hosts cannot be compared (--sync all.sync with each question aligns them: 'meridian part --help')",
			(unsigned)p->n_hosts);
	return rc;
}
