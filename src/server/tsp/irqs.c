/* Interrupts: a row for each handler of each host, with its runs; the longest runs, if there are
 * too many to send. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

enum { MAX_HANDLERS = 1000, MAX_RUNS = 5000 };

/* In the order of the table of the whole recording, so that numbers do not depend on the window. */
struct handlers {
	struct {
		uint32_t host;
		const char *kind, *name;
		int64_t nr; /* -1: none */
	} item[MAX_HANDLERS];
	size_t n;
	struct mer_result *all;
};

static int find_handlers(struct tsp *t, struct handlers *x, struct mer_err *err)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	int rc = tsp_read_table(
		t, &(struct tsp_table){ .analysis = "irq", .table = "stats" }, &x->all, err);
	size_t n = rc ? 0 : mer_result_n_rows(x->all);
	for (size_t i = 0; i < n && x->n < MAX_HANDLERS; i++) {
		uint32_t host = tsp_host(e, tsp_cell_text(x->all, i, "host"));
		if (host == KERNEL_NONE)
			continue;
		x->item[x->n].host = host;
		x->item[x->n].kind = tsp_cell_text(x->all, i, "kind");
		x->item[x->n].name = tsp_cell_text(x->all, i, "name");
		x->item[x->n++].nr = tsp_cell_int(x->all, i, "nr", -1);
	}
	return rc;
}

static int64_t entry_of(const struct handlers *x, size_t i)
{
	return tsp_entry(TSP_IRQ, x->item[i].host, (uint32_t)i);
}

static void name_of(const struct handlers *x, size_t i, char *name, size_t size)
{
	if (x->item[i].nr >= 0)
		snprintf(name, size, "%s %" PRId64 " %s", x->item[i].kind, x->item[i].nr,
			x->item[i].name);
	else
		snprintf(name, size, "%s %s", x->item[i].kind, x->item[i].name);
}

int tsp_irqs_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "Interrupt", "host, and its handlers",
		NULL } };
	const struct mer_experiment *e = tsp_experiment_of(t);
	struct handlers *x = mer_arena_zalloc(&t->arena, 1, sizeof(*x));
	if (!x)
		return mer_fail_nomem(err);
	int rc = find_handlers(t, x, err);
	tsp_begin_tree(&t->j, headers, 1, -1);
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts && h < TSP_MAX_HOSTS; h++) {
		bool has_host = false;
		for (size_t i = 0; i < x->n; i++) {
			char name[300];
			const char *label = name, *host = e->hosts[h].name;
			if (x->item[i].host != h)
				continue;
			if (!has_host) {
				tsp_begin_entry(&t->j, tsp_entry(TSP_HOST, h, 0), -1, &host, 1,
					e->begin, e->end, false);
				mer_json_end_object(&t->j);
			}
			has_host = true;
			name_of(x, i, name, sizeof(name));
			tsp_begin_entry(&t->j, entry_of(x, i), tsp_entry(TSP_HOST, h, 0), &label, 1,
				e->begin, e->end, true);
			mer_json_end_object(&t->j);
		}
	}
	tsp_end_tree(&t->j);
	mer_result_free(x->all);
	return rc;
}

/* ---- Runs ---- */

/* The runs in the window; the longest ones, if there are MAX_RUNS or more. */
static int read_runs(struct tsp *t, struct mer_result **r, struct mer_err *err)
{
	struct session_window w = tsp_window(t);
	struct tsp_table which = {
		.analysis = "irq", .table = "log", .window = &w, .limit = MAX_RUNS
	};
	int rc = tsp_read_table(t, &which, r, err);
	if (rc || mer_result_n_rows(*r) < MAX_RUNS)
		return rc;
	mer_result_free(*r);
	*r = NULL;
	which.table = "top";
	return tsp_read_table(t, &which, r, err);
}

struct run {
	int64_t begin, end;
	uint32_t cpu;
};

static int in_order(const void *a, const void *b)
{
	const struct run *p = a, *q = b;
	return p->begin != q->begin ? (p->begin < q->begin ? -1 : 1)
				    : (p->end > q->end) - (p->end < q->end);
}

/* The same handler may run on several CPUs at once: where runs overlap, the later one is cut. */
static void put_runs(struct tsp *t, const char *style, const char *host, const char *name,
	struct run *runs, size_t n)
{
	struct tsp_shown shown = tsp_shown(NULL, 0);
	qsort(runs, n, sizeof(*runs), in_order);
	for (size_t i = 0; i < n; i++) {
		char label[32];
		/* For filters, the handler takes the place of the thread. */
		struct tsp_state_of s = { runs[i].begin, runs[i].end, label, style,
			{ { NULL, NULL, name, NULL, host }, { -1, -1, runs[i].cpu, -1 } } };
		snprintf(label, sizeof(label), "CPU %" PRIu32, runs[i].cpu);
		if (tsp_put_state(t, &shown, &s))
			shown.window.begin = runs[i].end;
	}
}

static void put_row(struct tsp *t, const struct handlers *x, size_t i, const struct mer_result *r,
	struct run *runs)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	size_t n = 0, n_rows = mer_result_n_rows(r);
	for (size_t k = 0; k < n_rows; k++)
		if (tsp_cell_int(r, k, "nr", -1) == x->item[i].nr &&
			strcmp(tsp_cell_text(r, k, "kind"), x->item[i].kind) == 0 &&
			strcmp(tsp_cell_text(r, k, "name"), x->item[i].name) == 0 &&
			strcmp(tsp_cell_text(r, k, "host"), e->hosts[x->item[i].host].name) == 0)
			runs[n++] = (struct run){ tsp_cell_int(r, k, "begin", 0),
				tsp_cell_int(r, k, "end", 0),
				(uint32_t)tsp_cell_int(r, k, "cpu", 0) };
	tsp_begin_row(&t->j, entry_of(x, i));
	put_runs(t, strcmp(x->item[i].kind, "softirq") == 0 ? "Soft Irq" : "IRQ",
		e->hosts[x->item[i].host].name, x->item[i].name, runs, n);
	tsp_end_row(&t->j);
}

int tsp_irqs_states(struct tsp *t, struct mer_err *err)
{
	struct handlers *x = mer_arena_zalloc(&t->arena, 1, sizeof(*x));
	struct run *runs = mer_arena_zalloc(&t->arena, MAX_RUNS, sizeof(*runs));
	struct mer_result *r = NULL;
	if (!x || !runs)
		return mer_fail_nomem(err);
	int rc = find_handlers(t, x, err);
	if (rc == 0)
		rc = read_runs(t, &r, err);
	mer_json_begin_object(&t->j);
	mer_json_kv_array(&t->j, "rows");
	for (size_t i = 0; rc == 0 && i < x->n; i++)
		if (tsp_is_asked(&t->q, entry_of(x, i)))
			put_row(t, x, i, r, runs);
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	mer_result_free(r);
	mer_result_free(x->all);
	return rc;
}
