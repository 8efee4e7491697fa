/* Finds periods: matching events are picked from slices of the merged reading, on several threads,
 * and then processed in time order on one thread.
 *
 *   slice ──→ picks (matching events, their part of the key, task) ──→ open periods ──→ periods
 *
 * The task on a CPU is that of the last context switch there: in the slice, or else before it.
 * Losses (kernel/losses.h) make it unknown. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/period_rule.h"
#include "kernel/layouts.h"
#include "kernel/oncpu.h"
#include "trace/slices.h"

enum { COMM_BYTES = 20, MAX_KEY_BYTES = 1 << 28 };

struct runs { /* the task on a CPU */
	struct kernel_on_cpu on;
	uint32_t comm_len;
	char comm[COMM_BYTES]; /* comm_len 0: not known */
	uint32_t host;
	uint16_t cpu;
};

struct cpus {		    /* by host and CPU, zeroed: empty */
	struct mer_map map; /* host << 32 | cpu -> number, plus 1 */
	struct runs *rows;
	size_t n, cap;
};

struct pick { /* a matching event */
	int64_t ts;
	struct runs who; /* as known from the slice; host and cpu are always set */
	int32_t own_tid; /* from the event itself; -1: it has none */
	uint64_t key_at; /* fields of its key, in the slot's keys */
	uint32_t key_len;
	uint8_t side;
	bool has_fields, has_cpu;
};

struct slot {
	struct cpus cpus;
	struct pick *picks;
	size_t n, cap;
	struct mer_str keys;
	uint64_t seen_bytes;
};

struct open_period {
	int64_t begin; /* INT64_MIN: none is open */
	struct analysis_period_at from;
};

struct lost { /* of a host */
	struct kernel_losses losses;
	struct kernel_holes holes;
};

struct finder {
	struct mer_experiment *e;
	struct period_reading reading;
	struct analysis_periods *p;
	struct slot *slots;
	size_t n_slots;
	struct cpus cpus;	  /* at the end of the last slice that was taken */
	struct lost *lost;	  /* by host; NULL: tasks are not wanted */
	struct open_period *open; /* by key */
	size_t cap_open, n_open, cap_all;
	uint64_t key_bytes;
	struct mer_str key;
	_Atomic uint64_t *done_bytes;
};

/* NULL: no memory. */
static struct runs *cpu_at(struct cpus *c, uint32_t host, uint16_t cpu)
{
	uint32_t *at = mer_map_put(&c->map, (uint64_t)host << 32 | cpu);
	if (at && *at)
		return &c->rows[*at - 1];
	struct runs *r = at ? mer_grow_at(&c->rows, &c->cap, c->n, sizeof(*r)) : NULL;
	if (!r)
		return NULL;
	*r = (struct runs){ .host = host, .cpu = cpu };
	kernel_on_cpu_init(&r->on, KERNEL_TID_UNKNOWN);
	*at = (uint32_t)++c->n;
	return r;
}

static void set_comm(struct runs *r, const char *text, size_t len)
{
	r->comm_len = (uint32_t)(len < COMM_BYTES ? len : COMM_BYTES);
	memcpy(r->comm, text, r->comm_len);
}

/* ---- picking, on any thread ---- */

static void begin_slice(void *ctx, size_t slot)
{
	struct slot *s = &((struct finder *)ctx)->slots[slot];
	for (size_t i = 0; i < s->cpus.n; i++) {
		kernel_on_cpu_init(&s->cpus.rows[i].on, KERNEL_TID_UNKNOWN);
		s->cpus.rows[i].comm_len = 0;
	}
	s->n = 0;
	s->seen_bytes = 0;
	mer_str_clear(&s->keys);
}

/* The CPU of the event; false: not known. */
static bool find_cpu(const struct finder *f, const struct mer_cursor *c, const struct mer_event *ev,
	uint16_t *cpu)
{
	int64_t v = f->e->streams[ev->stream].cpu;
	if (v < 0 && !period_known_int(&f->reading, c, ev, PERIOD_OWN_CPU, &v))
		return false;
	*cpu = (uint16_t)v;
	return v >= 0 && v < KERNEL_MAX_CPUS;
}

static int see_switch(struct finder *f, struct slot *s, const struct mer_cursor *c,
	const struct mer_event *ev, uint32_t host, uint16_t cpu, struct mer_err *err)
{
	const char *comm;
	size_t len;
	int64_t tid;
	struct runs *r = cpu_at(&s->cpus, host, cpu);
	if (!r)
		return mer_fail_nomem(err);
	if (!period_known_int(&f->reading, c, ev, PERIOD_NEXT_TID, &tid))
		tid = KERNEL_TID_UNKNOWN;
	kernel_on_cpu_switch(&r->on, ev->ts, (int32_t)tid);
	r->comm_len = 0;
	if (period_known_text(&f->reading, c, ev, PERIOD_NEXT_COMM, &comm, &len))
		set_comm(r, comm, len);
	return 0;
}

/* Finds the task on the CPU, as far as the slice and the event itself show it. */
static void find_who(struct finder *f, struct slot *s, const struct mer_cursor *c,
	const struct mer_event *ev, struct pick *k)
{
	const char *comm;
	size_t len;
	int64_t tid;
	uint64_t place = (uint64_t)k->who.host << 32 | k->who.cpu;
	uint32_t *at = k->has_cpu ? mer_map_get(&s->cpus.map, place) : NULL;
	if (at && *at)
		k->who = s->cpus.rows[*at - 1];
	if (!period_known_int(&f->reading, c, ev, PERIOD_OWN_TID, &tid))
		return;
	k->own_tid = (int32_t)tid;
	if (period_known_text(&f->reading, c, ev, PERIOD_OWN_COMM, &comm, &len)) {
		k->who.on.since = INT64_MAX; /* nothing is more certain than that */
		k->who.on.tid = k->own_tid;
		set_comm(&k->who, comm, len);
	}
}

static int pick(struct finder *f, struct slot *s, const struct mer_cursor *c,
	const struct mer_event *ev, enum period_side side, struct mer_err *err)
{
	struct pick *k = mer_grow_at(&s->picks, &s->cap, s->n, sizeof(*k));
	if (!k)
		return mer_fail_nomem(err);
	*k = (struct pick){ .ts = ev->ts,
		.side = (uint8_t)side,
		.key_at = s->keys.len,
		.own_tid = -1,
		.who.host = f->e->traces[f->e->streams[ev->stream].trace].host };
	kernel_on_cpu_init(&k->who.on, KERNEL_TID_UNKNOWN);
	k->has_cpu = find_cpu(f, c, ev, &k->who.cpu);
	if (f->lost)
		find_who(f, s, c, ev, k);
	k->has_fields = period_put_fields(&f->reading, c, ev, side, &s->keys);
	k->key_len = (uint32_t)(s->keys.len - k->key_at);
	s->n++;
	return s->keys.failed ? mer_fail_nomem(err) : 0;
}

static int read_batch(void *ctx, size_t slot, const struct mer_cursor *c,
	const struct mer_event *ev, size_t n, struct mer_err *err)
{
	struct finder *f = ctx;
	struct slot *s = &f->slots[slot];
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		uint16_t cpu;
		if (ev[i].ts == MER_NO_TIME)
			continue;
		const uint64_t *context = trace_cursor_context(c, &ev[i]);
		/* An event that matches both ends one period, and begins the next. */
		if (trace_filter_match(f->reading.bound[PERIOD_END], context, &ev[i]))
			rc = pick(f, s, c, &ev[i], PERIOD_END, err);
		if (rc == 0 && trace_filter_match(f->reading.bound[PERIOD_BEGIN], context, &ev[i]))
			rc = pick(f, s, c, &ev[i], PERIOD_BEGIN, err);
		if (rc == 0 && f->reading.classes[ev[i].plan->id]->is_switch &&
			find_cpu(f, c, &ev[i], &cpu))
			rc = see_switch(f, s, c, &ev[i],
				f->e->traces[f->e->streams[ev[i].stream].trace].host, cpu, err);
	}
	if (f->done_bytes) {
		uint64_t bytes = trace_cursor_bytes(c);
		if (bytes > s->seen_bytes)
			atomic_fetch_add_explicit(
				f->done_bytes, bytes - s->seen_bytes, memory_order_relaxed);
		s->seen_bytes = bytes;
	}
	return rc;
}

/* ---- taking, in order ---- */

/* Processes the losses up to that time. */
static int pass_losses(struct finder *f, uint32_t host, int64_t time, struct mer_err *err)
{
	struct kernel_hole_edge edge;
	while (kernel_holes_pass(&f->lost[host].holes, time, &edge)) {
		struct runs *r = cpu_at(&f->cpus, host, edge.loss->cpu);
		if (!r)
			return mer_fail_nomem(err);
		int64_t since = r->on.since;
		kernel_on_cpu_edge(&r->on, &edge);
		if (r->on.since != since)
			r->comm_len = 0;
	}
	return 0;
}

/* Completes the task, if the slice did not show it, or if events were lost since. */
static int complete_who(struct finder *f, struct pick *k, struct mer_err *err)
{
	if (f->lost && k->has_cpu) {
		int rc = pass_losses(f, k->who.host, k->ts, err);
		struct runs *r = rc ? NULL : cpu_at(&f->cpus, k->who.host, k->who.cpu);
		if (!r)
			return rc ? rc : mer_fail_nomem(err);
		bool is_certain = k->who.on.since == INT64_MAX; /* it is from the event itself */
		if (r->on.since > k->who.on.since || k->who.on.since == INT64_MIN)
			k->who = *r;
		if (r->on.n_holes && !is_certain) {
			k->who.on.tid = KERNEL_TID_UNKNOWN;
			k->who.comm_len = 0;
		}
	}
	if (k->own_tid >= 0 && k->own_tid != k->who.on.tid) {
		k->who.on.tid = k->own_tid;
		k->who.comm_len = 0;
	}
	return 0;
}

/* Makes the key of a pick, in f->key. False: it has none. */
static bool make_key(struct finder *f, const struct slot *s, const struct pick *k)
{
	const struct analysis_period_rule *rule = f->reading.rule;
	const char *fields = k->key_len ? s->keys.data + k->key_at : NULL;
	mer_str_clear(&f->key);
	if (!k->has_fields)
		return false;
	for (unsigned i = 0; i < rule->n_parts; i++) {
		const struct runs *w = &k->who;
		switch (rule->parts[k->side][i].what) {
		case PERIOD_HOST: period_put_host(&f->key, w->host); break;
		case PERIOD_CPU:
			if (!k->has_cpu)
				return false;
			period_put_number(&f->key, false, w->cpu);
			break;
		case PERIOD_TID:
			if (w->on.tid < 0)
				return false;
			period_put_number(&f->key, false, (uint64_t)w->on.tid);
			break;
		case PERIOD_COMM:
			if (!w->comm_len)
				return false;
			period_put_text(&f->key, w->comm, w->comm_len);
			break;
		case PERIOD_FIELD: {
			size_t size = period_part_size(fields);
			mer_str_add(&f->key, fields, size);
			fields += size;
			break;
		}
		}
	}
	return f->key.len <= ANALYSIS_MAX_PERIOD_KEY;
}

static int describe(
	struct finder *f, const struct pick *k, struct analysis_period_at *at, struct mer_err *err)
{
	*at = (struct analysis_period_at){ .host = k->who.host,
		.tid = k->who.on.tid,
		.comm = MER_INTERN_NONE,
		.cpu = k->has_cpu ? k->who.cpu : KERNEL_NO_CPU };
	if (!k->who.comm_len)
		return 0;
	at->comm = mer_intern_add(&f->p->texts, k->who.comm, k->who.comm_len);
	return at->comm == MER_INTERN_NONE ? mer_fail_nomem(err) : 0;
}

static int open_period(struct finder *f, const struct pick *k, struct mer_err *err)
{
	struct mer_intern *keys = &f->p->keys;
	uint32_t before = keys->n,
		 key = mer_intern_add(keys, f->key.data ? f->key.data : "", f->key.len);
	struct open_period *o =
		key == MER_INTERN_NONE ? NULL
				       : mer_grow_at(&f->open, &f->cap_open, key, sizeof(*f->open));
	if (!o)
		return mer_fail_nomem(err);
	if (keys->n > before) {
		o->begin = INT64_MIN;
		f->key_bytes += f->key.len;
		if (keys->n > ANALYSIS_MAX_PERIOD_KEYS || f->key_bytes > MAX_KEY_BYTES)
			return mer_fail_remedy(err, MER_ERR_LIMIT, MER_REMEDY_PERIOD_KEY,
				"more than %d different keys, or more than %d MiB of keys; use fewer fields or a stricter BEGIN and END",
				(int)ANALYSIS_MAX_PERIOD_KEYS, MAX_KEY_BYTES >> 20);
	}
	if (o->begin != INT64_MIN) {
		f->p->n_again++;
		return 0;
	}
	if (++f->n_open > ANALYSIS_MAX_OPEN_PERIODS)
		return mer_fail_remedy(err, MER_ERR_LIMIT, MER_REMEDY_PERIOD_OPEN,
			"more than %d periods are open at a time: END does not occur, or the key has a field in which BEGIN and END differ",
			(int)ANALYSIS_MAX_OPEN_PERIODS);
	o->begin = k->ts;
	return describe(f, k, &o->from, err);
}

static int close_period(struct finder *f, const struct pick *k, struct mer_err *err)
{
	struct analysis_periods *p = f->p;
	uint32_t key = mer_intern_find(&p->keys, f->key.data ? f->key.data : "", f->key.len);
	struct open_period *o = key == MER_INTERN_NONE ? NULL : &f->open[key];
	if (!o || o->begin == INT64_MIN) {
		p->n_unbegun++;
		return 0;
	}
	/* If time goes backwards in the trace, the period has length 0. */
	struct analysis_whole_period x = { .begin = o->begin,
		.end = k->ts > o->begin ? k->ts : o->begin,
		.key = key,
		.from = o->from };
	int64_t ns;
	o->begin = INT64_MIN;
	f->n_open--;
	if (__builtin_sub_overflow(x.end, x.begin, &ns) || ns < f->reading.rule->min_ns ||
		ns > f->reading.rule->max_ns) {
		p->n_left_out++;
		return 0;
	}
	if (p->n == ANALYSIS_MAX_PERIODS)
		return mer_fail_remedy(err, MER_ERR_LIMIT, MER_REMEDY_PERIOD_MANY,
			"more than %d periods; use rarer events, or keep only long periods",
			(int)ANALYSIS_MAX_PERIODS);
	struct analysis_whole_period *to = mer_grow_at(&p->all, &f->cap_all, p->n, sizeof(*p->all));
	if (!to)
		return mer_fail_nomem(err);
	*to = x;
	p->n++;
	return describe(f, k, &to->to, err);
}

static int take_slice(void *ctx, size_t slot, struct mer_err *err)
{
	struct finder *f = ctx;
	struct slot *s = &f->slots[slot];
	int rc = 0;
	for (size_t i = 0; i < s->n && rc == 0; i++) {
		struct pick *k = &s->picks[i];
		f->p->n_fit[k->side]++;
		rc = complete_who(f, k, err);
		if (rc)
			break;
		if (!make_key(f, s, k))
			f->p->n_keyless++;
		else if (f->key.failed)
			rc = mer_fail_nomem(err);
		else
			rc = k->side == PERIOD_BEGIN ? open_period(f, k, err)
						     : close_period(f, k, err);
	}
	for (size_t i = 0; i < s->cpus.n && rc == 0; i++) {
		const struct runs *last = &s->cpus.rows[i];
		if (last->on.since == INT64_MIN)
			continue;
		struct runs *r = cpu_at(&f->cpus, last->host, last->cpu);
		if (!r)
			return mer_fail_nomem(err);
		if (r->on.since < last->on.since) {
			kernel_on_cpu_switch(&r->on, last->on.since, last->on.tid);
			r->comm_len = last->comm_len;
			memcpy(r->comm, last->comm, sizeof(r->comm));
		}
	}
	return rc;
}

/* ---- all of it ---- */

static int find_losses(struct finder *f, struct mer_err *err)
{
	struct trace_reading *switches;
	f->lost = calloc((size_t)f->e->n_hosts + 1, sizeof(*f->lost));
	int rc = f->lost ? kernel_switch_reading_new(f->e, &switches, err) : mer_fail_nomem(err);
	if (rc)
		return rc;
	for (uint32_t h = 0; h < f->e->n_hosts && rc == 0; h++) {
		struct kernel_losses *l = &f->lost[h].losses;
		rc = kernel_losses_find(f->e, h, switches, l, err);
		kernel_holes_init(&f->lost[h].holes, l);
		for (uint32_t cpu = 0; cpu < l->n_cpus && rc == 0; cpu++) {
			struct runs *r = cpu_at(&f->cpus, h, (uint16_t)cpu);
			if (!r)
				rc = mer_fail_nomem(err);
			else
				kernel_on_cpu_init(&r->on, l->first_tid[cpu]);
		}
	}
	trace_reading_free(switches);
	return rc;
}

static int compare_periods(const void *a, const void *b)
{
	const struct analysis_whole_period *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	if (p->end != q->end)
		return p->end < q->end ? -1 : 1;
	return (p->key > q->key) - (p->key < q->key);
}

/* The analyzed time: the union of periods, including their ends. */
static int join(struct analysis_periods *p, struct mer_err *err)
{
	if (p->n == 0)
		return 0;
	qsort(p->all, p->n, sizeof(*p->all), compare_periods);
	p->parts = malloc(p->n * sizeof(*p->parts));
	if (!p->parts)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < p->n; i++) {
		int64_t begin = p->all[i].begin, end = p->all[i].end;
		end += end < INT64_MAX;
		struct analysis_period *last = p->n_parts ? &p->parts[p->n_parts - 1] : NULL;
		if (!last || begin > last->end)
			p->parts[p->n_parts++] = (struct analysis_period){ begin, end };
		else if (end > last->end)
			last->end = end;
	}
	return 0;
}

static void free_finder(struct finder *f)
{
	for (size_t i = 0; f->slots && i < f->n_slots; i++) {
		mer_map_fini(&f->slots[i].cpus.map);
		free(f->slots[i].cpus.rows);
		free(f->slots[i].picks);
		mer_str_fini(&f->slots[i].keys);
	}
	for (uint32_t h = 0; f->lost && h < f->e->n_hosts; h++)
		kernel_losses_fini(&f->lost[h].losses);
	period_reading_fini(&f->reading);
	mer_map_fini(&f->cpus.map);
	mer_str_fini(&f->key);
	free(f->cpus.rows);
	free(f->slots);
	free(f->lost);
	free(f->open);
}

int analysis_periods_find(struct mer_experiment *e, const struct analysis_period_rule *rule,
	unsigned n_threads, struct mer_cancel *cancel, _Atomic uint64_t *done_bytes,
	struct analysis_periods *p, struct mer_err *err)
{
	struct finder f = { .e = e, .p = p, .n_slots = n_threads + 2u, .done_bytes = done_bytes };
	*p = (struct analysis_periods){ .is_keyed = rule->n_parts > 0 };
	mer_arena_init(&p->arena);
	mer_intern_init(&p->texts, &p->arena);
	mer_intern_init(&p->keys, &p->arena);
	f.slots = calloc(f.n_slots, sizeof(*f.slots));
	int rc = period_reading_init(&f.reading, e, rule, err);
	if (rc == 0 && !f.slots)
		rc = mer_fail_nomem(err);
	if (rc == 0 && rule->needs_tasks)
		rc = find_losses(&f, err);
	struct trace_slices_job job = { .reading = f.reading.reading,
		.range = { INT64_MIN, INT64_MAX },
		.n_threads = n_threads,
		.n_slots = f.n_slots,
		.cancel = cancel,
		.ctx = &f,
		.begin = begin_slice,
		.batch = read_batch,
		.consume = take_slice };
	if (rc == 0)
		rc = trace_run_slices(e, &job, err);
	p->n_unended = f.n_open;
	if (rc == 0)
		rc = join(p, err);
	free_finder(&f);
	return rc;
}

void analysis_periods_fini(struct analysis_periods *p)
{
	mer_intern_fini(&p->texts);
	mer_intern_fini(&p->keys);
	mer_arena_fini(&p->arena);
	free(p->all);
	free(p->parts);
	*p = (struct analysis_periods){ 0 };
}
