/* A process tree, summed up: siblings that ran the same programs, and programs wherever they
 * ran. */
#include <stdlib.h>
#include <string.h>

#include "path/process_tree.h"

/* What a process ran, as one number: equal for equal names in the same order. */
static uint64_t identity(const struct process_tree *t, const struct process *p)
{
	uint64_t id = p->n_programs;
	for (uint32_t i = 0; i < p->n_programs; i++) {
		const char *name = t->programs[p->programs + i].name;
		uint64_t both[2] = { id, mer_hash(name, strlen(name)) };
		id = mer_hash(both, sizeof(both));
	}
	return id;
}

static void add_process(struct process_group *g, const struct process *p)
{
	int64_t duration = p->end - p->begin;
	if (!g->n || duration < g->min_ns)
		g->min_ns = duration;
	if (!g->n || duration > g->max_ns)
		g->max_ns = duration;
	g->n++;
	g->duration_ns += duration;
	g->cpu_ns += p->cpu_ns;
	g->on_path_ns += p->on_path_ns;
	g->tree_cpu_ns += p->tree_cpu_ns;
	g->tree_on_path_ns += p->tree_on_path_ns;
	g->n_below += p->n_below;
}

static int more_first(int64_t a, int64_t b, int64_t a2, int64_t b2)
{
	if (a != b)
		return a > b ? -1 : 1;
	return a2 > b2 ? -1 : a2 < b2;
}

static int group_order(const void *a, const void *b)
{
	const struct process_group *x = *(const struct process_group *const *)a;
	const struct process_group *y = *(const struct process_group *const *)b;
	int by_time =
		more_first(x->tree_on_path_ns, y->tree_on_path_ns, x->tree_cpu_ns, y->tree_cpu_ns);
	return by_time ? by_time : (x->example < y->example ? -1 : x->example > y->example);
}

/* Links children, the most time first. */
static int link_groups(struct process_group *groups, uint32_t n, struct mer_err *err)
{
	struct process_group **order = calloc((size_t)n + 1, sizeof(struct process_group *));
	if (!order)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		order[i] = &groups[i];
	qsort(order, n, sizeof(*order), group_order);
	for (uint32_t i = n; i-- > 0;) {
		struct process_group *g = order[i];
		if (g->parent == KERNEL_NONE)
			continue;
		g->next = groups[g->parent].child;
		groups[g->parent].child = (uint32_t)(g - groups);
	}
	free(order);
	return 0;
}

int process_tree_group(const struct process_tree *t, struct process_group **groups, uint32_t *n,
	struct mer_err *err)
{
	struct process_group *g = calloc((size_t)t->n + 1, sizeof(*g));
	uint32_t *group_of = calloc((size_t)t->n + 1, sizeof(*group_of));
	struct mer_map map = { 0 }; /* parent's group and identity -> group, plus 1 */
	int rc = g && group_of ? 0 : mer_fail_nomem(err);
	*n = 0;
	for (uint32_t i = 0; i < t->n && !rc; i++) {
		const struct process *p = &t->processes[i];
		uint32_t parent = i ? group_of[p->parent] : KERNEL_NONE;
		uint64_t key[2] = { parent, identity(t, p) };
		uint32_t *v = mer_map_put(&map, mer_hash(key, sizeof(key)));
		if (!v) {
			rc = mer_fail_nomem(err);
			break;
		}
		if (!*v) {
			g[*n] = (struct process_group){ .parent = parent,
				.child = KERNEL_NONE,
				.next = KERNEL_NONE,
				.example = i };
			*v = ++*n;
		}
		group_of[i] = *v - 1;
		add_process(&g[*v - 1], p);
	}
	if (!rc)
		rc = link_groups(g, *n, err);
	mer_map_fini(&map);
	free(group_of);
	if (rc) {
		free(g);
		g = NULL;
		*n = 0;
	}
	*groups = g;
	return rc;
}

static int total_order(const void *a, const void *b)
{
	const struct process_total *x = a, *y = b;
	int by_time = more_first(x->on_path_ns, y->on_path_ns, x->cpu_ns, y->cpu_ns);
	return by_time ? by_time : strcmp(x->name, y->name);
}

int process_tree_totals(const struct process_tree *t, struct process_total **totals, uint32_t *n,
	struct mer_err *err)
{
	struct process_total *rows = calloc((size_t)t->n_programs + 1, sizeof(*rows));
	struct mer_map map = { 0 };
	int rc = rows ? 0 : mer_fail_nomem(err);
	*n = 0;
	for (uint32_t i = 0; i < t->n_programs && !rc; i++) {
		const struct process_program *p = &t->programs[i];
		uint32_t *v = mer_map_put(&map, mer_hash(p->name, strlen(p->name)));
		if (!v) {
			rc = mer_fail_nomem(err);
			break;
		}
		if (!*v) {
			rows[*n].name = p->name;
			*v = ++*n;
		}
		struct process_total *r = &rows[*v - 1];
		int64_t duration = p->end - p->begin;
		if (!r->n || duration < r->min_ns)
			r->min_ns = duration;
		if (!r->n || duration > r->max_ns)
			r->max_ns = duration;
		r->n++;
		r->duration_ns += duration;
		r->cpu_ns += p->cpu_ns;
		r->on_path_ns += p->on_path_ns;
	}
	mer_map_fini(&map);
	if (rc) {
		free(rows);
		rows = NULL;
		*n = 0;
	} else {
		qsort(rows, *n, sizeof(*rows), total_order);
	}
	*totals = rows;
	return rc;
}
