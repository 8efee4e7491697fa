/* Virtual CPUs: a row for each vCPU of each hypervisor. States fill its whole life: it was in the
 * guest, except where the log of exits (analysis "vm") says otherwise. If the log is too long to be
 * sent, the window is cut into bins, and each bin has the state that took most of it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "kernel/layouts.h"
#include "kernel/vm/vcpus.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

enum { MAX_VCPUS = 4000, MAX_STAYS = 20000, MAX_BINS = 2000, NAME_BYTES = 100 };

static const char *const styles[KERNEL_VCPU_N_STATES] = { "Unknown", "In guest", "Hypervisor",
	"VM process", "Preempted", "Halted", "Runnable" };

struct vcpu {
	uint32_t host;
	int64_t tid, begin, end;  /* of its life, as far as recorded */
	const char *comm, *guest; /* guest: a traced host; "": not known */
	char name[NAME_BYTES];
	uint32_t first; /* its first row in `rows`; KERNEL_NONE: none */
};

struct vcpus { /* in the order of the table of the whole recording */
	struct vcpu item[MAX_VCPUS];
	size_t n;
	struct mer_map of; /* host and tid -> vCPU, plus 1 */
	struct mer_result *all, *guests;
	struct mer_result *rows; /* of the window: see read_window */
	uint32_t *next;		 /* by row: the next row of the same vCPU; KERNEL_NONE */
};

/* ---- Which there are ---- */

bool tsp_has_vcpus(const struct mer_experiment *e)
{
	struct kernel_event_reading *r = NULL;
	struct mer_err err;
	bool is_there = false;
	if (kernel_vcpus_reading_new(e, &r, &err) == 0)
		for (uint32_t h = 0; h < e->n_hosts; h++)
			is_there |= kernel_vcpus_are_recorded(e, h, r);
	kernel_event_reading_free(r);
	return is_there;
}

static struct vcpu *vcpu_of(
	const struct tsp *t, struct vcpus *x, const struct mer_result *r, size_t row, uint64_t *key)
{
	uint32_t host = tsp_host(tsp_experiment_of(t), tsp_cell_text(r, row, "host"));
	*key = (uint64_t)host << 32 | (uint32_t)tsp_cell_int(r, row, "tid", -1);
	const uint32_t *at = mer_map_get(&x->of, *key);
	return at && *at ? &x->item[*at - 1] : NULL;
}

static void add_vcpu(const struct tsp *t, struct vcpus *x, size_t row)
{
	uint64_t key;
	if (x->n == MAX_VCPUS || vcpu_of(t, x, x->all, row, &key))
		return;
	struct vcpu *v = &x->item[x->n];
	int64_t id = tsp_cell_int(x->all, row, "vcpu", -1);
	*v = (struct vcpu){ .host = (uint32_t)(key >> 32),
		.tid = tsp_cell_int(x->all, row, "tid", -1),
		.begin = tsp_cell_int(x->all, row, "begin", 0),
		.comm = tsp_cell_text(x->all, row, "comm"),
		.guest = "",
		.first = KERNEL_NONE };
	v->end = v->begin + tsp_cell_int(x->all, row, "total_ns", 0);
	if (id >= 0)
		snprintf(v->name, sizeof(v->name), "vCPU %" PRId64, id);
	else
		snprintf(v->name, sizeof(v->name), "%.90s", v->comm);
	if (v->host != KERNEL_NONE && v->tid >= 0 &&
		mer_map_put_number(&x->of, key, (uint32_t)x->n))
		x->n++;
}

static int find(struct tsp *t, struct vcpus *x, struct mer_err *err)
{
	const struct tsp_table all = { .analysis = "vm", .table = "vcpus" };
	/* This table knows the traced host of each vCPU, from the tasks that ran in it. */
	const struct tsp_table fused = {
		.analysis = "vm", .table = "fused", .group_by = "host,thread,vcpu,guest"
	};
	int rc = tsp_read_table(t, &all, &x->all, err);
	if (rc == 0)
		rc = tsp_read_table(t, &fused, &x->guests, err);
	for (size_t i = 0; rc == 0 && i < mer_result_n_rows(x->all); i++)
		add_vcpu(t, x, i);
	for (size_t i = 0; rc == 0 && i < mer_result_n_rows(x->guests); i++) {
		uint64_t key;
		struct vcpu *v = vcpu_of(t, x, x->guests, i, &key);
		if (v && *tsp_cell_text(x->guests, i, "guest"))
			v->guest = tsp_cell_text(x->guests, i, "guest");
	}
	return rc;
}

static struct vcpus *vcpus_new(struct tsp *t, struct mer_err *err)
{
	struct vcpus *x = mer_arena_zalloc(&t->arena, 1, sizeof(*x));
	if (!x)
		mer_fail_nomem(err);
	return x;
}

static void vcpus_fini(struct vcpus *x)
{
	mer_result_free(x->all);
	mer_result_free(x->guests);
	mer_result_free(x->rows);
	mer_map_fini(&x->of);
}

static int64_t entry_of(const struct vcpu *v)
{
	return tsp_entry(TSP_VCPU, v->host, (uint32_t)v->tid);
}

static void put_entry(struct tsp *t, const struct vcpu *v)
{
	char tid[24];
	const char *labels[] = { v->name, tid, v->guest };
	snprintf(tid, sizeof(tid), "%" PRId64, v->tid);
	tsp_begin_entry(&t->j, entry_of(v), tsp_entry(TSP_HOST, v->host, 0), labels, 3, v->begin,
		v->end, true);
	mer_json_kv_object(&t->j, "metadata");
	mer_json_kv_array(&t->j, "hostId");
	mer_json_text(&t->j, tsp_experiment_of(t)->hosts[v->host].name);
	mer_json_end_array(&t->j);
	mer_json_kv_array(&t->j, "tid");
	mer_json_int(&t->j, v->tid);
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	mer_json_end_object(&t->j);
}

int tsp_vcpus_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "vCPU", "hypervisor, and its virtual CPUs",
							     NULL },
		{ "TID", "number of its thread", "NUMBER" },
		{ "Guest", "traced host that it is a CPU of", NULL } };
	const struct mer_experiment *e = tsp_experiment_of(t);
	struct vcpus *x = vcpus_new(t, err);
	if (!x)
		return err->code;
	int rc = find(t, x, err);
	tsp_begin_tree(&t->j, headers, 3, -1);
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts && h < TSP_MAX_HOSTS; h++) {
		bool has_host = false;
		for (size_t i = 0; i < x->n; i++) {
			const char *labels[] = { e->hosts[h].name, "", "" };
			if (x->item[i].host != h)
				continue;
			if (!has_host) {
				tsp_begin_entry(&t->j, tsp_entry(TSP_HOST, h, 0), -1, labels, 3,
					e->begin, e->end, false);
				mer_json_end_object(&t->j);
			}
			has_host = true;
			put_entry(t, &x->item[i]);
		}
	}
	tsp_end_tree(&t->j);
	vcpus_fini(x);
	return rc;
}

/* ---- What they did ---- */

static enum kernel_vcpu_state state_of(const char *name)
{
	int i = 0;
	while (i < KERNEL_VCPU_N_STATES && strcmp(kernel_vcpu_state_names[i], name) != 0)
		i++;
	return i < KERNEL_VCPU_N_STATES ? (enum kernel_vcpu_state)i : KERNEL_VCPU_UNKNOWN;
}

static void put(struct tsp *t, struct tsp_shown *shown, const struct vcpu *v, int64_t begin,
	int64_t end, enum kernel_vcpu_state state, const char *label)
{
	struct tsp_state_of s = { begin, end, label, styles[state],
		{ { NULL, NULL, v->comm, NULL, tsp_experiment_of(t)->hosts[v->host].name },
			{ v->tid, -1, -1, -1 } } };
	tsp_put_state(t, shown, &s);
}

/* Why the guest was left, or the task that had the CPU. */
static void label_of(const struct mer_result *r, size_t row, char *text, size_t size)
{
	const char *by = tsp_cell_text(r, row, "by_comm");
	if (*by)
		snprintf(text, size, "%.200s/%" PRId64, by, tsp_cell_int(r, row, "by_tid", -1));
	else
		snprintf(text, size, "%.200s", tsp_cell_text(r, row, "reason"));
}

/* x->rows: the log, in the order of time. Between its rows the vCPU was in the guest. */
static void put_stays(
	struct tsp *t, struct tsp_shown *shown, const struct vcpus *x, const struct vcpu *v)
{
	const struct mer_result *r = x->rows;
	int64_t at = v->begin > shown->window.begin ? v->begin : shown->window.begin;
	for (uint32_t i = v->first; i != KERNEL_NONE; i = x->next[i]) {
		char label[240];
		int64_t begin = tsp_cell_int(r, i, "begin", 0), end = tsp_cell_int(r, i, "end", 0);
		put(t, shown, v, at, begin, KERNEL_VCPU_GUEST, NULL);
		label_of(r, i, label, sizeof(label));
		put(t, shown, v, begin, end, state_of(tsp_cell_text(r, i, "state")), label);
		at = end > at ? end : at;
	}
	put(t, shown, v, at, v->end, KERNEL_VCPU_GUEST, NULL);
}

/* x->rows: bins. Consecutive bins with the same state are joined. */
static void put_bins(
	struct tsp *t, struct tsp_shown *shown, const struct vcpus *x, const struct vcpu *v)
{
	const struct mer_result *r = x->rows;
	static const char *const keys[KERNEL_VCPU_N_STATES] = { "unknown_ns", "guest_ns",
		"hypervisor_ns", "user_ns", "preempted_ns", "halted_ns", "runnable_ns" };
	enum kernel_vcpu_state last = KERNEL_VCPU_UNKNOWN;
	int64_t from = 0, until = 0;
	for (uint32_t i = v->first; i != KERNEL_NONE; i = x->next[i]) {
		int best = -1;
		int64_t most = 0;
		for (int k = 0; k < KERNEL_VCPU_N_STATES; k++) {
			int64_t ns = tsp_cell_int(r, i, keys[k], 0);
			if (ns > most) {
				most = ns;
				best = k;
			}
		}
		int64_t begin = tsp_cell_int(r, i, "begin", 0), end = tsp_cell_int(r, i, "end", 0);
		begin = begin > v->begin ? begin : v->begin;
		end = end < v->end ? end : v->end;
		if (best < 0 || begin >= end)
			continue; /* it did not live then */
		if (begin != until || best != (int)last) {
			put(t, shown, v, from, until, last, NULL);
			from = begin;
		}
		until = end;
		last = (enum kernel_vcpu_state)best;
	}
	put(t, shown, v, from, until, last, NULL);
}

static int index_rows(struct tsp *t, struct vcpus *x, struct mer_err *err)
{
	size_t n = mer_result_n_rows(x->rows);
	x->next = mer_arena_zalloc(&t->arena, n + 1, sizeof(*x->next));
	if (!x->next)
		return mer_fail_nomem(err);
	for (size_t i = n; i-- > 0;) {
		uint64_t key;
		struct vcpu *v = vcpu_of(t, x, x->rows, i, &key);
		x->next[i] = v ? v->first : KERNEL_NONE;
		if (v)
			v->first = (uint32_t)i;
	}
	return 0;
}

/* Reads the log of the window or, if that is too long, bins. */
static int read_window(struct tsp *t, struct vcpus *x, bool *in_bins, struct mer_err *err)
{
	struct session_window w = tsp_window(t);
	uint32_t bins = tsp_bins(t, x->n);
	const struct tsp_table log = {
		.analysis = "vm", .table = "log", .window = &w, .limit = MAX_STAYS
	};
	const struct tsp_table binned = { .analysis = "vm",
		.table = "bins",
		.window = &w,
		.n_bins = bins < MAX_BINS ? bins : MAX_BINS };
	int rc = tsp_read_table(t, &log, &x->rows, err);
	*in_bins = rc == 0 && mer_result_n_left_out(x->rows) > 0;
	if (*in_bins) {
		mer_result_free(x->rows);
		x->rows = NULL;
		rc = tsp_read_table(t, &binned, &x->rows, err);
	}
	return rc ? rc : index_rows(t, x, err);
}

int tsp_vcpus_states(struct tsp *t, struct mer_err *err)
{
	struct session_window w = tsp_window(t);
	struct vcpus *x = vcpus_new(t, err);
	bool in_bins = false;
	if (!x)
		return err->code;
	int rc = find(t, x, err);
	if (rc == 0)
		rc = read_window(t, x, &in_bins, err);
	mer_json_begin_object(&t->j);
	mer_json_kv_array(&t->j, "rows");
	for (size_t i = 0; rc == 0 && i < x->n; i++) {
		struct tsp_shown shown = tsp_shown(&w, 0);
		if (!tsp_is_asked(&t->q, entry_of(&x->item[i])))
			continue;
		tsp_begin_row(&t->j, entry_of(&x->item[i]));
		(in_bins ? put_bins : put_stays)(t, &shown, x, &x->item[i]);
		tsp_end_row(&t->j);
	}
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	vcpus_fini(x);
	return rc;
}

/* ---- Tooltips ---- */

static void put_tip(struct tsp *t, const struct vcpus *x, const struct vcpu *v, int64_t time)
{
	const struct mer_result *r = x->rows;
	struct mer_json *j = &t->j;
	const char *state = kernel_vcpu_state_names[KERNEL_VCPU_GUEST];
	uint32_t at = v->first;
	while (at != KERNEL_NONE &&
		(tsp_cell_int(r, at, "begin", 0) > time || tsp_cell_int(r, at, "end", 0) <= time))
		at = x->next[at];
	mer_json_kv_text(j, "vCPU", v->name);
	mer_json_kv_text(j, "Hypervisor", tsp_experiment_of(t)->hosts[v->host].name);
	if (*v->guest)
		mer_json_kv_text(j, "Guest", v->guest);
	mer_json_kv_text(j, "State", at == KERNEL_NONE ? state : tsp_cell_text(r, at, "state"));
	if (at == KERNEL_NONE)
		return;
	if (*tsp_cell_text(r, at, "reason"))
		mer_json_kv_text(j, "Exit", tsp_cell_text(r, at, "reason"));
	if (*tsp_cell_text(r, at, "by_comm")) {
		char by[240];
		label_of(r, at, by, sizeof(by));
		mer_json_kv_text(j, "CPU had by", by);
	}
	tsp_put_duration(j, "Duration", tsp_cell_int(r, at, "duration_ns", 0));
}

int tsp_vcpus_tooltip(struct tsp *t, struct mer_err *err)
{
	struct vcpus *x = vcpus_new(t, err);
	int64_t row = t->q.n_items ? t->q.items[0] : t->q.element_entry;
	int64_t time = t->q.n_given ? t->q.times[0] : t->q.element_time;
	const struct session_window w = { time, time + 1 };
	const struct tsp_table log = { .analysis = "vm", .table = "log", .window = &w };
	if (!x)
		return err->code;
	int rc = find(t, x, err);
	const struct vcpu *v = NULL;
	for (size_t i = 0; rc == 0 && i < x->n; i++)
		if (entry_of(&x->item[i]) == row && time >= x->item[i].begin &&
			time < x->item[i].end)
			v = &x->item[i];
	if (v)
		rc = tsp_read_table(t, &log, &x->rows, err);
	if (v && rc == 0)
		rc = index_rows(t, x, err);
	mer_json_begin_object(&t->j);
	if (v && rc == 0)
		put_tip(t, x, v, time);
	mer_json_end_object(&t->j);
	vcpus_fini(x);
	return rc;
}
