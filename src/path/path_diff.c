#include "path/path_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/str.h"

void path_profile_init(struct path_profile *p)
{
	*p = (struct path_profile){ 0 };
	mer_arena_init(&p->arena);
	mer_intern_init(&p->names, &p->arena);
}

void path_profile_fini(struct path_profile *p)
{
	mer_map_fini(&p->map);
	mer_intern_fini(&p->names);
	mer_arena_fini(&p->arena);
	free(p->parts);
	p->parts = NULL;
	p->n = p->cap = 0;
}

/* Bytes of a name that tell its kind: kernel threads have numbers behind a slash, which mean
 * nothing in another run. */
static size_t kind_length(const char *comm)
{
	static const char *const kinds[] = { "kworker/", "ksoftirqd/", "migration/", "cpuhp/",
		"swapper/", "idle_inject/", "irq_work/", "rcuop/", "rcuos/", "rcuog/", "rcuc/" };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(comm, kinds[i], strlen(kinds[i])) == 0)
			return strlen(kinds[i]) - 1;
	return strlen(comm);
}

static int add_part(struct path_profile *p, struct path_part part, struct mer_err *err)
{
	const uint32_t what[] = { part.host, part.comm, part.cause, part.in_flight };
	/* Two different parts with the same 64-bit hash are not expected; probing keeps them
	 * apart if it happens. */
	for (uint64_t key = mer_hash(what, sizeof(what));; key++) {
		uint32_t *number = mer_map_put(&p->map, key);
		if (!number)
			return mer_fail_nomem(err);
		if (*number) {
			struct path_part *old = &p->parts[*number - 1];
			if (old->host != part.host || old->comm != part.comm ||
				old->cause != part.cause || old->in_flight != part.in_flight)
				continue;
			old->n += part.n;
			old->ns += part.ns;
			return 0;
		}
		if (!mer_grow(&p->parts, p->n, &p->cap, sizeof(*p->parts)))
			return mer_fail_nomem(err);
		p->parts[p->n++] = part;
		*number = (uint32_t)p->n;
		return 0;
	}
}

int path_profile_add(struct path_profile *p, const char *host, const char *comm,
	enum path_cause cause, bool in_flight, uint64_t n, int64_t ns, struct mer_err *err)
{
	struct path_part part = {
		.cause = (uint8_t)cause, .in_flight = in_flight, .n = n, .ns = ns
	};
	if (__builtin_add_overflow(p->total_ns, ns, &p->total_ns))
		return mer_fail(
			err, MER_ERR_LIMIT, "the times of a path are too large to be added");
	part.host = mer_intern_add(&p->names, host, strlen(host));
	part.comm = mer_intern_add(&p->names, comm, kind_length(comm));
	if (part.host == MER_INTERN_NONE || part.comm == MER_INTERN_NONE)
		return mer_fail_nomem(err);
	return add_part(p, part, err);
}

/* Sums by task first: names are looked up once for each. */
struct bucket {
	uint32_t host, task;
	uint8_t cause;
	bool in_flight;
	uint64_t n;
	int64_t ns;
};

static int sum_segments(const struct path *path, struct bucket **buckets, size_t *n)
{
	struct mer_map map = { 0 };
	size_t cap = 0;
	int rc = 0;
	*buckets = NULL;
	*n = 0;
	for (size_t i = 0; i < path->n_segments && rc == 0; i++) {
		const struct path_segment *s = &path->segments[i];
		if (s->user_state)
			continue;
		struct bucket b = { s->host, s->task, s->cause, s->in_flight, 1,
			s->end - s->begin };
		uint64_t key = (uint64_t)s->task << 32 | (uint64_t)(s->host & 0x3ffffff) << 6 |
			       (uint64_t)(s->cause & 31) << 1 | s->in_flight;
		uint32_t *number = mer_map_put(&map, key);
		if (!number || !mer_grow(buckets, *n, &cap, sizeof(**buckets))) {
			rc = MER_ERR_NOMEM;
		} else if (*number) {
			(*buckets)[*number - 1].n++;
			(*buckets)[*number - 1].ns += b.ns;
		} else {
			(*buckets)[(*n)++] = b;
			*number = (uint32_t)*n;
		}
	}
	mer_map_fini(&map);
	return rc;
}

int path_profile_add_segment(struct path_profile *p, const struct path *path,
	const struct path_segment *s, const char *comm, struct mer_err *err)
{
	const char *state = path_user_state(path, s);
	struct mer_str text = { 0 };
	if (state)
		mer_str_printf(&text, "%s: %s", comm, state);
	int rc = text.failed ? mer_fail_nomem(err)
			     : path_profile_add(p, path->world->e->hosts[s->host].name,
				       text.data ? text.data : comm, (enum path_cause)s->cause,
				       s->in_flight, 1, s->end - s->begin, err);
	mer_str_fini(&text);
	return rc;
}

static const char *comm_of(const struct path *path, uint32_t host, uint32_t task)
{
	const char *comm = task == KERNEL_NONE ? PATH_NOBODY : "";
	if (task < path->world->hosts[host].n_tasks)
		comm = kernel_comm(&path->world->hosts[host], task);
	return *comm ? comm : "?";
}

int path_profile_of(struct path_profile *p, const struct path *path, struct mer_err *err)
{
	struct bucket *buckets;
	size_t n;
	path_profile_init(p);
	int rc = sum_segments(path, &buckets, &n) ? mer_fail_nomem(err) : 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct bucket *b = &buckets[i];
		rc = path_profile_add(p, path->world->e->hosts[b->host].name,
			comm_of(path, b->host, b->task), (enum path_cause)b->cause, b->in_flight,
			b->n, b->ns, err);
	}
	for (size_t i = 0; rc == 0 && i < path->n_segments; i++) {
		const struct path_segment *s = &path->segments[i];
		if (s->user_state)
			rc = path_profile_add_segment(
				p, path, s, comm_of(path, s->host, s->task), err);
	}
	free(buckets);
	return rc;
}

/* ---- Two of them ---- */

static struct path_diff_row row_of(
	const struct path_profile *p, const struct path_part *part, enum path_diff_by by)
{
	struct path_diff_row row = { .cause = -1 };
	bool nobody = part->in_flight && by != PATH_DIFF_BY_CAUSE;
	if (by == PATH_DIFF_BY_PART || by == PATH_DIFF_BY_CAUSE)
		row.cause = part->cause;
	if (by != PATH_DIFF_BY_CAUSE && !nobody)
		row.host = mer_intern_text(&p->names, part->host);
	if ((by == PATH_DIFF_BY_PART || by == PATH_DIFF_BY_TASK) && !nobody)
		row.comm = mer_intern_text(&p->names, part->comm);
	row.in_flight = nobody;
	return row;
}

static int by_text(const char *p, const char *q)
{
	if (!p || !q)
		return (p != NULL) - (q != NULL);
	return strcmp(p, q);
}

/* What the rows are about. */
static int by_name(const void *a, const void *b)
{
	const struct path_diff_row *p = a, *q = b;
	int c = by_text(p->host, q->host);
	c = c ? c : by_text(p->comm, q->comm);
	c = c ? c : p->cause - q->cause;
	return c ? c : p->in_flight - q->in_flight;
}

static int64_t magnitude(const struct path_diff_row *r)
{
	return r->b_ns > r->a_ns ? r->b_ns - r->a_ns : r->a_ns - r->b_ns;
}

static int by_difference(const void *a, const void *b)
{
	const struct path_diff_row *p = a, *q = b;
	int64_t x = magnitude(p), y = magnitude(q);
	if (x != y)
		return x > y ? -1 : 1;
	x = p->a_ns > p->b_ns ? p->a_ns : p->b_ns;
	y = q->a_ns > q->b_ns ? q->a_ns : q->b_ns;
	if (x != y)
		return x > y ? -1 : 1;
	return by_name(a, b);
}

int path_diff(const struct path_profile *a, const struct path_profile *b, enum path_diff_by by,
	struct path_diff_row **rows, size_t *n, struct mer_err *err)
{
	struct path_diff_row *r = calloc(a->n + b->n + 1, sizeof(*r));
	size_t all = 0, kept = 0;
	*rows = r;
	*n = 0;
	if (!r)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < a->n; i++) {
		r[all] = row_of(a, &a->parts[i], by);
		r[all].a_ns = a->parts[i].ns;
		r[all++].n_a = a->parts[i].n;
	}
	for (size_t i = 0; i < b->n; i++) {
		r[all] = row_of(b, &b->parts[i], by);
		r[all].b_ns = b->parts[i].ns;
		r[all++].n_b = b->parts[i].n;
	}
	qsort(r, all, sizeof(*r), by_name);
	for (size_t i = 0; i < all; i++) {
		if (kept && by_name(&r[kept - 1], &r[i]) == 0) {
			r[kept - 1].a_ns += r[i].a_ns;
			r[kept - 1].b_ns += r[i].b_ns;
			r[kept - 1].n_a += r[i].n_a;
			r[kept - 1].n_b += r[i].n_b;
		} else {
			r[kept++] = r[i];
		}
	}
	qsort(r, kept, sizeof(*r), by_difference);
	*n = kept;
	return 0;
}
