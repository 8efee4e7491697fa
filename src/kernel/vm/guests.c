#include "kernel/vm/guests.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "base/sort.h"
#include "base/str.h"
#include "kernel/vm/exits.h"
#include "kernel/vm/runs.h"
#include "sync/result.h"

struct lane {			   /* of a CPU of a guest, in order */
	struct kernel_edge *edges; /* a block of spill */
	uint32_t n, cap;
};

struct guest {
	struct kernel_guest *g; /* NULL: it is none, or nothing is known of it */
	const struct sync_vm *vm;
	struct lane *lanes; /* by CPU */
	uint32_t n_lanes;
	struct kernel_vcpu **vcpus; /* as those of vm; NULL: not there */
	struct mer_map numbers;	    /* hash of an absence -> its number, plus 1 */
	struct mer_map texts;	    /* hash of a text -> its place */
	struct kernel_runs runs;    /* what ran on its CPUs; read when first needed */
	bool has_runs, is_done, is_under_way;
};

struct finder {
	struct mer_experiment *e;
	struct kernel_vcpus *vcpus; /* by host */
	const struct sync_result *r;
	struct mer_cancel *cancel;
	struct guest *guests;	/* by host */
	struct mer_map vcpu_of; /* host and tid -> place in `cpus`, plus 1 */
	struct guest_cpu {
		uint32_t guest;
		uint16_t cpu;
	} * cpus;
	uint32_t n_cpus, cap_cpus;
	struct mer_err *err;
};

/* ---- absences ---- */

static bool text_of(struct guest *g, const char *text, uint32_t *place)
{
	struct kernel_guest *k = g->g;
	size_t len = strlen(text) + 1;
	*place = 0;
	if (len == 1)
		return true;
	uint32_t *at = mer_map_put(&g->texts, mer_hash(text, len));
	if (!at)
		return false;
	while (!*at && k->n_texts + len > k->cap_texts) {
		uint32_t cap = k->cap_texts ? 2 * k->cap_texts : 256;
		char *p = cap > k->cap_texts ? realloc(k->texts, cap) : NULL;
		if (!p)
			return false;
		if (!k->n_texts)
			p[k->n_texts++] = '\0';
		k->texts = p;
		k->cap_texts = cap;
	}
	if (!*at) {
		memcpy(k->texts + k->n_texts, text, len);
		*at = k->n_texts;
		k->n_texts += (uint32_t)len;
	}
	*place = *at;
	return true;
}

/* KERNEL_NONE: no memory. */
static uint32_t number_of(struct guest *g, const struct kernel_absence *a)
{
	struct kernel_guest *k = g->g;
	uint32_t *at = mer_map_put(&g->numbers, mer_hash(a, sizeof(*a)));
	if (!at || (!*at && !mer_grow32(&k->absences, k->n, &k->cap, sizeof(*k->absences))))
		return KERNEL_NONE;
	if (!*at) {
		k->absences[k->n] = *a;
		*at = ++k->n;
	}
	return *at - 1;
}

static struct kernel_absence no_absence(enum kernel_vcpu_state state)
{
	return (struct kernel_absence){ .state = (uint8_t)state,
		.exit = KERNEL_NONE,
		.by_tid = -1,
		.guest_tid = -1,
		.thread = KERNEL_NONE };
}

/* The thread is a vCPU: what is said of it where no one task in it had most of a time. */
static bool set_thread(struct guest *g, struct kernel_absence *a)
{
	struct kernel_absence thread = *a;
	thread.guest_tid = -1;
	thread.guest_comm = 0;
	thread.thread = KERNEL_NONE;
	a->thread = number_of(g, &thread);
	return a->thread != KERNEL_NONE;
}

/* The same reason, of the hypervisor's own hypervisor, as an absence of its guest. */
static uint32_t take_over(struct guest *to, const struct guest *from, uint32_t absence)
{
	const struct kernel_guest *k = from->g;
	struct kernel_absence a = k->absences[absence];
	a.words = 0;
	a.neighbour = 0;
	bool ok = text_of(to, kernel_guest_text(k, a.host), &a.host) &&
		  text_of(to, kernel_guest_text(k, a.by_comm), &a.by_comm) &&
		  text_of(to, kernel_guest_text(k, a.guest), &a.guest) &&
		  text_of(to, kernel_guest_text(k, a.guest_comm), &a.guest_comm) &&
		  (a.thread == KERNEL_NONE || set_thread(to, &a));
	return ok ? number_of(to, &a) : KERNEL_NONE;
}

/* ---- edges ---- */

static int add_edge(struct finder *f, struct lane *l, int64_t time, uint16_t cpu, uint32_t absence)
{
	struct kernel_edge *last = l->n ? &l->edges[l->n - 1] : NULL;
	if (last && last->time >= time) { /* nothing lasted no time */
		last->absence = absence;
		if (l->n > 1 && l->edges[l->n - 2].absence == absence)
			l->n--;
		return 0;
	}
	if (last ? last->absence == absence : absence == KERNEL_NOT_KNOWN)
		return 0;
	if (!mer_spill_grow32(f->e->spill, &l->edges, l->n, &l->cap, sizeof(*l->edges)))
		return mer_fail_nomem(f->err);
	l->edges[l->n++] = (struct kernel_edge){ time, absence, cpu };
	return 0;
}

struct stay { /* of a vCPU, as it is looked at */
	int64_t begin, end;
	uint32_t hypervisor;
	const struct kernel_vcpu_stay *s;
	uint16_t cpu; /* of the guest */
};

static int add_absence(struct finder *f, struct guest *g, const struct stay *x, int64_t at,
	const struct kernel_absence *a)
{
	uint32_t number = number_of(g, a);
	return number == KERNEL_NONE ? mer_fail_nomem(f->err)
				     : add_edge(f, &g->lanes[x->cpu], at, x->cpu, number);
}

/* ---- who had the CPU instead ---- */

static int runs_of(struct finder *f, uint32_t host, const struct kernel_runs **runs)
{
	struct guest *g = &f->guests[host];
	int rc = g->has_runs ? 0 : kernel_runs_read(f->e, host, f->cancel, &g->runs, f->err);
	g->has_runs = true;
	*runs = &g->runs;
	return rc;
}

/* Another vCPU had the CPU: what its guest did in it, piece by piece. */
static int add_others_guest(struct finder *f, struct guest *g, const struct stay *x,
	struct kernel_absence a, const struct guest_cpu *other)
{
	const struct kernel_runs *runs;
	int rc = runs_of(f, other->guest, &runs);
	if (rc)
		return rc;
	if (!text_of(g, f->e->hosts[other->guest].name, &a.guest) || !set_thread(g, &a))
		return mer_fail_nomem(f->err);
	for (int64_t t = x->begin; t < x->end && rc == 0;) {
		struct kernel_run run;
		int64_t until = kernel_run_at(runs, other->cpu, t, &run);
		a.guest_tid = run.tid;
		if (!text_of(g, run.comm, &a.guest_comm))
			return mer_fail_nomem(f->err);
		rc = add_absence(f, g, x, t, &a);
		t = until;
	}
	return rc;
}

static int add_preempted(struct finder *f, struct guest *g, const struct stay *x)
{
	struct kernel_absence a = no_absence(KERNEL_VCPU_PREEMPTED);
	const struct kernel_vcpus *v = &f->vcpus[x->hypervisor];
	const struct guest_cpu *other = NULL;
	if (!text_of(g, f->e->hosts[x->hypervisor].name, &a.host))
		return mer_fail_nomem(f->err);
	if (x->s->by != KERNEL_NONE) {
		const struct kernel_runner *by = &v->runners[x->s->by];
		a.by_tid = by->tid;
		if (!text_of(g, by->comm, &a.by_comm))
			return mer_fail_nomem(f->err);
		const uint32_t *at =
			mer_map_get(&f->vcpu_of, (uint64_t)x->hypervisor << 32 | (uint32_t)by->tid);
		other = at && *at ? &f->cpus[*at - 1] : NULL;
	}
	return other ? add_others_guest(f, g, x, a, other) : add_absence(f, g, x, x->begin, &a);
}

static struct kernel_vcpu *find_vcpu(const struct kernel_vcpus *v, uint32_t tid)
{
	struct kernel_vcpu *found = NULL;
	for (uint32_t i = 0; i < v->n && !found; i++)
		if ((uint32_t)v->vcpus[i].tid == tid)
			found = &v->vcpus[i];
	return found;
}

/* It spins for a lock, whose holder may be on a CPU of the guest that others have taken. */
static int find_sibling(
	struct finder *f, struct guest *g, const struct stay *x, struct kernel_absence *a)
{
	const struct kernel_vcpus *v = &f->vcpus[x->hypervisor];
	int64_t since = INT64_MAX;
	uint32_t by = KERNEL_NONE, has_it;
	for (uint32_t i = 0; i < g->vm->n_vcpus; i++) {
		const struct sync_vcpu *c = &g->vm->vcpus[i];
		const struct kernel_vcpu *s = g->vcpus[i];
		int64_t here = s && c->id != x->cpu ? kernel_preempted_since(s, x->begin, &has_it)
						    : INT64_MAX;
		if (here >= since)
			continue;
		since = here;
		by = has_it;
		a->sibling = (uint16_t)(c->id + 1);
	}
	if (by == KERNEL_NONE)
		return 0;
	a->by_tid = v->runners[by].tid;
	return text_of(g, v->runners[by].comm, &a->by_comm) ? 0 : mer_fail_nomem(f->err);
}

static int add_stay(struct finder *f, struct guest *g, const struct stay *x)
{
	enum kernel_vcpu_state state = (enum kernel_vcpu_state)x->s->state;
	struct kernel_absence a = no_absence(state);
	switch (state) {
	case KERNEL_VCPU_UNKNOWN:
		return add_edge(f, &g->lanes[x->cpu], x->begin, x->cpu, KERNEL_NOT_KNOWN);
	case KERNEL_VCPU_GUEST:
		return add_edge(f, &g->lanes[x->cpu], x->begin, x->cpu, KERNEL_NONE);
	case KERNEL_VCPU_PREEMPTED:
	case KERNEL_VCPU_RUNNABLE: return add_preempted(f, g, x);
	default: break;
	}
	a.exit = x->s->exit;
	if (state == KERNEL_VCPU_HYPERVISOR && kernel_exit_is_pause(a.exit)) {
		int rc = find_sibling(f, g, x, &a);
		if (rc)
			return rc;
	}
	if (!text_of(g, f->e->hosts[x->hypervisor].name, &a.host))
		return mer_fail_nomem(f->err);
	return add_absence(f, g, x, x->begin, &a);
}

/* ---- guests of guests ---- */

static bool is_on_cpu(enum kernel_vcpu_state s)
{
	return s == KERNEL_VCPU_GUEST || s == KERNEL_VCPU_HYPERVISOR || s == KERNEL_VCPU_USER;
}

/* The stay of a vCPU on, or in the queue of, a CPU of its hypervisor that may be away itself. */
static int add_through(struct finder *f, struct guest *g, struct stay x)
{
	struct guest *h = &f->guests[x.hypervisor];
	int rc = 0;
	bool waits = kernel_vcpu_waits((enum kernel_vcpu_state)x.s->state);
	bool depends = waits || is_on_cpu((enum kernel_vcpu_state)x.s->state);
	if (!h->g || !depends || x.s->cpu >= h->n_lanes)
		return add_stay(f, g, &x);
	const struct lane *l = &h->lanes[x.s->cpu];
	int64_t end = x.end;
	MER_LOWER_BOUND(after, 0, l->n, at, l->edges[at].time <= x.begin);
	for (size_t i = after; x.begin < end && rc == 0; i++) {
		uint32_t absence = i ? l->edges[i - 1].absence : KERNEL_NOT_KNOWN;
		x.end = i < l->n && l->edges[i].time < end ? l->edges[i].time : end;
		if (absence >= KERNEL_NOT_KNOWN ||
			(waits && h->g->absences[absence].state != KERNEL_VCPU_PREEMPTED)) {
			rc = add_stay(f, g, &x);
		} else {
			uint32_t number = take_over(g, h, absence);
			rc = number == KERNEL_NONE
				     ? mer_fail_nomem(f->err)
				     : add_edge(f, &g->lanes[x.cpu], x.begin, x.cpu, number);
		}
		x.begin = x.end;
	}
	return rc;
}

/* ---- words ---- */

static void put_exit(const struct kernel_absence *a, struct mer_str *out)
{
	const char *name = kernel_exit_name(a->exit);
	if (a->state == KERNEL_VCPU_USER)
		mer_str_puts(out, a->exit == KERNEL_NONE ? "VM process" : "VM process, ");
	else if (a->exit == KERNEL_NONE)
		mer_str_puts(out, "no exit");
	if (a->exit == KERNEL_NONE)
		return;
	if (name)
		mer_str_puts(out, name);
	else
		mer_str_printf(out, "exit 0x%x", (unsigned)(a->exit & UINT16_MAX));
}

static void put_words(
	const struct kernel_guest *g, const struct kernel_absence *a, struct mer_str *out)
{
	if (a->state != KERNEL_VCPU_PREEMPTED) {
		if (a->sibling)
			mer_str_printf(out, "spins while CPU %u is preempted", a->sibling - 1u);
		if (a->sibling && a->by_tid > 0)
			mer_str_printf(out, " by %s/%d on %s", kernel_guest_text(g, a->by_comm),
				(int)a->by_tid, kernel_guest_text(g, a->host));
		mer_str_puts(out, a->sibling ? " (" : "");
		put_exit(a, out);
		mer_str_puts(out, a->sibling ? ")" : "");
		return;
	}
	/* What matters first: tables shorten the rest. */
	const char *guest = a->guest ? kernel_guest_text(g, a->guest) : NULL;
	if (guest && a->guest_tid > 0)
		mer_str_printf(out, "%s/%d on %s (vCPU ", kernel_guest_text(g, a->guest_comm),
			(int)a->guest_tid, guest);
	else if (guest)
		mer_str_printf(out, "%s%s (vCPU ", guest, a->guest_tid == 0 ? ", idle" : "");
	if (a->by_tid < 0)
		mer_str_puts(out, "no task");
	else
		mer_str_printf(out, "%s/%d", kernel_guest_text(g, a->by_comm), (int)a->by_tid);
	mer_str_printf(out, " on %s%s", kernel_guest_text(g, a->host), guest ? ")" : "");
}

/* All vCPUs of a VM are one neighbour, and so is a task under all its names: the last one is in
 * `names`. */
static void put_neighbour(const struct kernel_guest *g, struct kernel_absence a,
	const struct mer_map *names, struct mer_str *out)
{
	const uint32_t *name = mer_map_get(names, (uint64_t)a.host << 32 | (uint32_t)a.by_tid);
	if (a.state != KERNEL_VCPU_PREEMPTED)
		return;
	if (name)
		a.by_comm = *name;
	if (a.guest)
		mer_str_printf(out, "%s on %s", kernel_guest_text(g, a.guest),
			kernel_guest_text(g, a.host));
	else
		put_words(g, &a, out);
}

/* When each absence last began, on whichever vCPU; malloc'ed. */
static int64_t *last_begins(const struct guest *g)
{
	int64_t *last = malloc(((size_t)g->g->n + 1) * sizeof(*last));
	for (uint32_t i = 0; last && i < g->g->n; i++)
		last[i] = INT64_MIN;
	for (size_t l = 0; last && l < g->n_lanes; l++)
		for (size_t i = 0; i < g->lanes[l].n; i++) {
			const struct kernel_edge *e = &g->lanes[l].edges[i];
			if (e->absence < g->g->n && e->time > last[e->absence])
				last[e->absence] = e->time;
		}
	return last;
}

static bool note_names(const struct guest *g, struct mer_map *names)
{
	int64_t *last = last_begins(g);
	struct mer_map newest = { 0 }; /* as names -> number of the absence, plus 1 */
	bool ok = last != NULL;
	for (uint32_t i = 0; i < g->g->n && ok; i++) {
		const struct kernel_absence *a = &g->g->absences[i];
		uint64_t key = (uint64_t)a->host << 32 | (uint32_t)a->by_tid;
		uint32_t *name = mer_map_put(names, key), *at = mer_map_put(&newest, key);
		ok = name && at;
		if (!ok || (*at && last[*at - 1] > last[i]))
			continue;
		*name = a->by_comm;
		*at = i + 1;
	}
	mer_map_fini(&newest);
	free(last);
	return ok;
}

static bool put_text(struct guest *g, struct mer_str *words, uint32_t *place)
{
	bool ok = !words->failed && text_of(g, words->data ? words->data : "", place);
	mer_str_clear(words);
	return ok;
}

static int put_all_words(struct finder *f, struct guest *g)
{
	struct mer_str words = { 0 };
	struct mer_map names = { 0 };
	bool ok = note_names(g, &names);
	for (uint32_t i = 0; i < g->g->n && ok; i++) {
		uint32_t place = 0, neighbour = 0, task = 0;
		put_words(g->g, &g->g->absences[i], &words);
		ok = put_text(g, &words, &place);
		put_neighbour(g->g, g->g->absences[i], &names, &words);
		ok = ok && put_text(g, &words, &neighbour);
		if (ok && g->g->absences[i].guest_tid > 0) {
			mer_str_printf(&words, "%s/%d",
				kernel_guest_text(g->g, g->g->absences[i].guest_comm),
				(int)g->g->absences[i].guest_tid);
			ok = put_text(g, &words, &task);
		}
		g->g->absences[i].task = task;
		g->g->absences[i].words = place;
		g->g->absences[i].neighbour = neighbour;
	}
	mer_str_fini(&words);
	mer_map_fini(&names);
	return ok ? 0 : mer_fail_nomem(f->err);
}

/* ---- a guest ---- */

static int add_vcpu(struct finder *f, struct guest *g, const struct sync_vcpu *c)
{
	struct kernel_vcpu *v = g->vcpus[c - g->vm->vcpus];
	int rc = 0;
	if (!v || c->id >= g->n_lanes)
		return 0;
	v->guest = g->vm->guest;
	v->guest_cpu = (uint16_t)c->id;
	struct stay x = { .hypervisor = g->vm->hypervisor, .cpu = (uint16_t)c->id };
	for (uint32_t i = 0; i < v->n_stays && rc == 0; i++) {
		x.s = &v->stays[i];
		x.begin = x.s->begin;
		x.end = kernel_stay_end(v, i);
		rc = add_through(f, g, x);
	}
	return rc ? rc : add_edge(f, &g->lanes[c->id], v->end, (uint16_t)c->id, KERNEL_NOT_KNOWN);
}

static int compare_edges(const void *a, const void *b)
{
	const struct kernel_edge *p = a, *q = b;
	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return (p->cpu > q->cpu) - (p->cpu < q->cpu);
}

static int note_known(struct finder *f, struct kernel_guest *k, const struct lane *l)
{
	bool is_known = false;
	for (uint32_t i = 0; i < l->n; i++) {
		bool is_now = l->edges[i].absence != KERNEL_NOT_KNOWN;
		if (is_now == is_known)
			continue;
		is_known = is_now;
		if (!mer_grow32(&k->known, k->n_known, &k->cap_known, sizeof(*k->known)))
			return mer_fail_nomem(f->err);
		k->known[k->n_known++] = l->edges[i];
	}
	return 0;
}

static int join_lanes(struct finder *f, struct guest *g)
{
	struct kernel_guest *k = g->g;
	uint64_t n = 0;
	for (uint32_t i = 0; i < g->n_lanes; i++)
		n += g->lanes[i].n;
	if (n >= KERNEL_NOT_KNOWN)
		return mer_fail(f->err, MER_ERR_LIMIT,
			"more than 2^32 entries into one guest: look at a shorter time");
	k->edges = mer_spill_array(f->e->spill, n + 1, sizeof(*k->edges));
	if (!k->edges)
		return mer_fail_nomem(f->err);
	for (uint32_t i = 0; i < g->n_lanes; i++) {
		int rc = note_known(f, k, &g->lanes[i]);
		for (uint32_t e = 0; e < g->lanes[i].n && rc == 0; e++)
			if (!kernel_guest_add_away(k, f->e->spill, &g->lanes[i].edges[e]))
				rc = mer_fail_nomem(f->err);
		if (rc)
			return rc;
		if (!g->lanes[i].n)
			continue;
		memcpy(k->edges + k->n_edges, g->lanes[i].edges, g->lanes[i].n * sizeof(*k->edges));
		k->n_edges += g->lanes[i].n;
	}
	k->n_cpus = (uint16_t)g->n_lanes;
	return mer_sort(f->e->spill, k->edges, k->n_edges, sizeof(*k->edges), compare_edges)
		       ? 0
		       : mer_fail_nomem(f->err);
}

/* Its hypervisor first, if that is a guest, too. */
static int find_guest(struct finder *f, uint32_t host)
{
	struct guest *g = &f->guests[host];
	if (!g->g || g->is_done || g->is_under_way)
		return 0;
	g->is_under_way = true; /* nobody can be a guest of itself: what says so is left alone */
	int rc = find_guest(f, g->vm->hypervisor);
	g->lanes = rc ? NULL : calloc((size_t)g->n_lanes + 1, sizeof(*g->lanes));
	g->vcpus = rc ? NULL : calloc((size_t)g->vm->n_vcpus + 1, sizeof(struct kernel_vcpu *));
	if (!g->lanes || !g->vcpus)
		return rc ? rc : mer_fail_nomem(f->err);
	for (uint32_t i = 0; i < g->vm->n_vcpus; i++)
		g->vcpus[i] = find_vcpu(&f->vcpus[g->vm->hypervisor], g->vm->vcpus[i].tid);
	for (uint32_t i = 0; i < g->vm->n_vcpus && rc == 0; i++)
		rc = add_vcpu(f, g, &g->vm->vcpus[i]);
	g->is_done = true;
	if (rc == 0)
		rc = put_all_words(f, g);
	return rc ? rc : join_lanes(f, g);
}

/* ---- all of them ---- */

static int begin_guest(struct finder *f, const struct sync_vm *vm, struct kernel_guest **to)
{
	struct guest *g = &f->guests[vm->guest];
	uint32_t n = 0;
	for (uint32_t i = 0; i < vm->n_vcpus; i++) {
		const struct sync_vcpu *c = &vm->vcpus[i];
		uint32_t *at =
			mer_map_put(&f->vcpu_of, (uint64_t)vm->hypervisor << 32 | (uint32_t)c->tid);
		if (c->id >= UINT16_MAX)
			continue;
		if (!at || !mer_grow32(&f->cpus, f->n_cpus, &f->cap_cpus, sizeof(*f->cpus)))
			return mer_fail_nomem(f->err);
		f->cpus[f->n_cpus] = (struct guest_cpu){ vm->guest, (uint16_t)c->id };
		*at = ++f->n_cpus;
		n = c->id + 1 > n ? c->id + 1 : n;
	}
	if (g->g || !n)
		return 0;
	g->g = *to = calloc(1, sizeof(*g->g));
	g->vm = vm;
	g->n_lanes = n;
	return g->g ? 0 : mer_fail_nomem(f->err);
}

static void fini(struct finder *f)
{
	for (uint32_t i = 0; f->guests && i < f->e->n_hosts; i++) {
		struct guest *g = &f->guests[i];
		for (uint32_t k = 0; g->lanes && k < g->n_lanes; k++)
			mer_spill_release(g->lanes[k].edges);
		free(g->lanes);
		free(g->vcpus);
		mer_map_fini(&g->numbers);
		mer_map_fini(&g->texts);
		kernel_runs_fini(&g->runs);
	}
	free(f->guests);
	free(f->cpus);
	mer_map_fini(&f->vcpu_of);
}

int kernel_guests_find(struct mer_experiment *e, struct kernel_vcpus *vcpus,
	const struct sync_result *r, struct mer_cancel *cancel, struct kernel_guest **guests,
	struct mer_err *err)
{
	struct finder f = { .e = e, .vcpus = vcpus, .r = r, .cancel = cancel, .err = err };
	f.guests = calloc((size_t)e->n_hosts + 1, sizeof(*f.guests));
	int rc = f.guests ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; r && i < r->n_vms && rc == 0; i++)
		if (r->vms[i].guest < e->n_hosts && r->vms[i].hypervisor < e->n_hosts)
			rc = begin_guest(&f, &r->vms[i], &guests[r->vms[i].guest]);
	for (uint32_t i = 0; i < e->n_hosts && rc == 0; i++)
		rc = find_guest(&f, i);
	fini(&f);
	return rc;
}
