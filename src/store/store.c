/* Reads a world written by save.c. Tables are used directly from the mapped file; indexes in them
 * are checked against the lengths of their tables, so that an inconsistent file is rejected. */
#include "store/store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "kernel/files/files.h"
#include "store/columns.h"
#include "store/facts.h"
#include "store/findings.h"
#include "store/found_requests.h"
#include "store/guests.h"
#include "store/heads.h"
#include "store/made_again.h"
#include "store/parts.h"
#include "store/parts_packets.h"
#include "store/receivers.h"
#include "store/rows.h"
#include "store/save.h"
#include "store/spans.h"
#include "store/types.h"
#include "store/waits.h"
#include "sync/result.h"

struct store_host {
	/* first member, so that a pointer to it is one to the struct */
	struct kernel_span_source source;
	struct store *store;
	const struct store_file *file; /* that has it */
	struct kernel_host *h;	       /* in the world */
	const struct store_host_head *head;
	struct store_spans spans;
	struct store_rows requests;
};

struct store {
	struct store_file *files; /* one, or several parts */
	size_t n_files;
	struct store_parts parts;     /* zeroed: it is one file of all hosts */
	uint32_t *groups;	      /* of parts, by host: kernel_world.clock_groups */
	struct store_packets packets; /* of parts: made when they are first needed */
	struct kernel_world world;
	struct store_host *hosts;
	struct store_rows bridges;
	atomic_bool is_damaged, lacks; /* atomic: several threads read facts */
	struct store_mending mending;  /* read NULL: there is none, or it was called */
	const struct kernel_world *sound;
	/* Guards mending and sound: each host may be accessed by its own thread. */
	pthread_mutex_t mending_lock;
};

/* The mapping is read-only, but the model's tables are not const. */
static void *writable(const void *p)
{
	return (void *)(uintptr_t)p;
}

static int refuse(struct mer_err *err, const char *what)
{
	return mer_fail(err, MER_ERR_INPUT, "%s that cannot be", what);
}

/* ---- limits of indexes ---- */

static bool is_of(uint32_t number, uint32_t n)
{
	return number < n || number == KERNEL_NONE;
}

static bool tasks_fit(const struct kernel_host *h)
{
	bool ok = true;
	for (uint32_t i = 0; i < h->n_tasks; i++) {
		const struct kernel_task *t = &h->tasks[i];
		ok &= is_of(t->parent, h->n_tasks) && is_of(t->last, h->n_spans) &&
		      is_of(t->name, h->n_renames);
	}
	for (uint32_t i = 0; i < h->n_renames; i++)
		ok &= h->renames[i].name < h->names.n && is_of(h->renames[i].before, i);
	return ok;
}

static bool calls_fit(const struct kernel_host *h)
{
	bool ok = true;
	for (uint32_t i = 0; i < h->n_calls; i++) {
		const struct kernel_call *c = &h->calls[i];
		ok &= is_of(c->name, h->names.n) && is_of(c->object, h->names.n) &&
		      c->kind < KERNEL_N_OBJECT_KINDS && c->id <= kernel_n_call_rows;
	}
	return ok;
}

/* ---- reading ---- */

static int get(const struct store_file *f, uint32_t type, uint32_t host, void *array, uint32_t *n,
	size_t bytes_each, struct mer_err *err)
{
	uint64_t count = 0;
	void *p = writable(store_find(f, type, host, 0, bytes_each, &count));
	if (!p || count >= KERNEL_NONE)
		return refuse(err, "tables");
	memcpy(array, &p, sizeof(p)); /* a pointer of any type */
	*n = (uint32_t)count;
	return 0;
}

/* Values must not exceed `most`. There must be a free slot, so that a search in the map ends. */
static int get_map(const struct store_file *f, uint32_t host, uint32_t number, uint64_t most,
	struct mer_map *m, struct mer_err *err)
{
	uint64_t cap = 0;
	const struct mer_map_slot *slots =
		store_find(f, STORE_MAP, host, number, sizeof(*slots), &cap);
	bool ok = slots && (cap & (cap - 1)) == 0;
	*m = (struct mer_map){ 0 };
	for (uint64_t i = 0; ok && i < cap; i++) {
		m->n += slots[i].used != 0;
		ok = slots[i].value <= most;
	}
	if (!ok || (cap && m->n >= cap))
		return refuse(err, "a table of names");
	m->slots = cap ? writable(slots) : NULL;
	m->cap = cap;
	return 0;
}

static int get_names(
	const struct store_file *f, uint32_t host, struct mer_intern *names, struct mer_err *err)
{
	uint64_t n = 0, bytes = 0, begin = 0;
	const uint64_t *ends = store_find(f, STORE_TEXT_ENDS, host, 0, sizeof(*ends), &n);
	const char *texts = store_find(f, STORE_TEXTS, host, 0, 1, &bytes);
	if (!ends || !texts || n >= MER_INTERN_NONE)
		return refuse(err, "names");
	names->texts = malloc((n + 1) * sizeof(*names->texts));
	if (!names->texts)
		return mer_fail_nomem(err);
	for (uint64_t i = 0; i < n; i++) {
		if (ends[i] < begin || ends[i] >= bytes || ends[i] - begin > UINT32_MAX ||
			texts[ends[i]] != '\0')
			return refuse(err, "names");
		names->texts[i] =
			(struct mer_intern_text){ texts + begin, (uint32_t)(ends[i] - begin), 0 };
		begin = ends[i] + 1;
	}
	names->n = names->cap = (uint32_t)n;
	return 0;
}

static int get_head(struct store *s, uint32_t host, struct mer_err *err)
{
	struct kernel_host *h = s->hosts[host].h;
	uint64_t n = 0;
	const struct store_host_head *head =
		store_find(s->hosts[host].file, STORE_HOST, host, 0, sizeof(*head), &n);
	if (!head || n != 1 || head->n_spans >= KERNEL_NONE || head->n_requests >= KERNEL_NONE)
		return refuse(err, "a host");
	s->hosts[host].head = head;
	h->begin = head->begin;
	h->end = head->end;
	h->n_events = head->n_events;
	h->n_odd = head->n_odd;
	h->n_calls_left_out = head->n_calls_left_out;
	h->n_spans = head->n_spans;
	h->n_requests = head->n_requests;
	h->has_wakeups = head->flags & STORE_HAS_WAKEUPS;
	h->has_interrupts = head->flags & STORE_HAS_INTERRUPTS;
	return 0;
}

static int get_tables(struct store *s, uint32_t i, struct mer_err *err)
{
	const struct store_file *f = s->hosts[i].file;
	struct kernel_host *h = s->hosts[i].h;
	int rc = get_names(f, i, &h->names, err);
	if (rc == 0)
		rc = get(f, STORE_TASKS, i, &h->tasks, &h->n_tasks, sizeof(*h->tasks), err);
	if (rc == 0)
		rc = get(f, STORE_RENAMES, i, &h->renames, &h->n_renames, sizeof(*h->renames), err);
	if (rc == 0)
		rc = get(f, STORE_CALLS, i, &h->calls, &h->n_calls, sizeof(*h->calls), err);
	if (rc == 0)
		rc = get_map(f, i, STORE_MAP_DEVICES, h->names.n, &h->devices, err);
	if (rc == 0)
		rc = get_map(f, i, STORE_MAP_IRQS, h->names.n, &h->irq_names, err);
	if (rc == 0)
		rc = get_map(f, i, STORE_MAP_PACKAGES, UINT32_MAX, &h->packages, err);
	if (rc == 0)
		rc = get_map(f, i, STORE_MAP_CPUS, UINT32_MAX, &h->cpus, err);
	if (rc == 0)
		rc = get_map(f, i, STORE_MAP_FIRST_PIECES, h->n_spans, &h->first_pieces, err);
	if (rc == 0)
		rc = store_get_guest(f, i, s->world.hosts, s->world.n_hosts, err);
	if (rc == 0 && (!tasks_fit(h) || !calls_fit(h)))
		rc = refuse(err, "tables");
	return rc;
}

/* ---- what is damaged ---- */

static bool is_same(const struct kernel_world *a, const struct kernel_world *b)
{
	bool ok = a->n_hosts == b->n_hosts && a->n_bridges == b->n_bridges;
	for (uint32_t i = 0; ok && i < a->n_hosts; i++) {
		const struct kernel_host *p = &a->hosts[i], *q = &b->hosts[i];
		ok = p->n_spans == q->n_spans && p->n_tasks == q->n_tasks &&
		     p->n_calls == q->n_calls && p->n_requests == q->n_requests;
	}
	return ok;
}

/* The world built anew from the traces, without damage; NULL: there is none. */
static const struct kernel_world *find_sound(struct store *s)
{
	s->is_damaged = true;
	pthread_mutex_lock(&s->mending_lock);
	if (s->mending.read) {
		const struct kernel_world *w = s->mending.read(s->mending.ctx);
		s->mending.read = NULL;
		s->sound = w && is_same(w, &s->world) ? w : NULL;
	}
	const struct kernel_world *sound = s->sound;
	pthread_mutex_unlock(&s->mending_lock);
	if (!sound)
		s->lacks = true;
	return sound;
}

void store_mend_with(struct store *s, const struct store_mending *how)
{
	s->mending = how && !s->sound ? *how : (struct store_mending){ 0 };
}

bool store_lacks(const struct store *s)
{
	return s->lacks;
}

/* ---- spans ---- */

static struct store_host *own_of(const struct kernel_host *h)
{
	return (struct store_host *)(uintptr_t)h->source;
}

static void mend_spans(struct store_host *of, uint32_t first, struct kernel_span *spans)
{
	const struct kernel_world *w = find_sound(of->store);
	for (uint32_t i = 0; w && i < KERNEL_CHUNK && first + i < of->h->n_spans; i++)
		spans[i] = *kernel_span(&w->hosts[of->h - of->store->world.hosts], first + i);
}

/* The file's numbers of packets become the world's; they were compared with how many it has. */
static void find_packets(const struct store_host *of, struct kernel_span *spans)
{
	uint32_t host = (uint32_t)(of->h - of->store->world.hosts);
	for (uint32_t i = 0; of->store->parts.n && i < KERNEL_CHUNK; i++)
		if (spans[i].cause == KERNEL_NETWORK && spans[i].source != KERNEL_NONE)
			(void)store_parts_packet(&of->store->parts, host, &spans[i].source, 0);
}

static struct kernel_span *load(const struct kernel_host *h, uint32_t chunk)
{
	/* Used when there is no memory to decode a block: unknown spans, as for damaged ones. */
	static struct kernel_span nothing[KERNEL_CHUNK];
	struct store_host *own = own_of(h);
	struct kernel_span spans[KERNEL_CHUNK] = { 0 }, *kept;
	if (chunk >= own->spans.n_blocks)
		return nothing;
	if (!store_spans_read(&own->spans, chunk, spans))
		mend_spans(own, chunk << KERNEL_CHUNK_BITS, spans);
	find_packets(own, spans);
	kept = kernel_span_log_put(&own->h->log, chunk, spans);
	own->store->lacks |= !kept;
	return kept ? kept : nothing;
}

static uint32_t near(const struct kernel_host *h, uint32_t task, int64_t time)
{
	return store_spans_near(&own_of(h)->spans, task, time);
}

static void between(
	const struct kernel_host *h, int64_t begin, int64_t end, uint32_t *from, uint32_t *to)
{
	uint32_t first, behind;
	store_spans_between(&own_of(h)->spans, begin, end, &first, &behind);
	*from = first << KERNEL_CHUNK_BITS;
	*to = (uint64_t)behind << KERNEL_CHUNK_BITS > h->n_spans ? h->n_spans
								 : behind << KERNEL_CHUNK_BITS;
}

static void load_request(const struct kernel_host *h, uint32_t request)
{
	struct store_host *of = own_of(h);
	uint32_t first, n;
	if (store_rows_load(&of->requests, request, &first, &n))
		return;
	const struct kernel_world *w = find_sound(of->store);
	for (uint32_t i = first; w && i < first + n; i++)
		h->requests[i] = *kernel_request_at(&w->hosts[of->h - of->store->world.hosts], i);
}

static int open_requests(struct store *s, uint32_t i, struct mer_err *err)
{
	struct kernel_host *h = s->hosts[i].h;
	int rc = store_rows_open(&s->hosts[i].requests, s->hosts[i].file, STORE_REQUESTS, i,
		&store_request_rows, h, h->n_requests, s->world.spill, err);
	h->requests = s->hosts[i].requests.rows;
	return rc;
}

static int open_spans(struct store *s, uint32_t i, struct mer_err *err)
{
	struct kernel_host *h = s->hosts[i].h;
	struct store_spans *spans = &s->hosts[i].spans;
	*spans = (struct store_spans){ .n_spans = h->n_spans,
		.n_tasks = h->n_tasks,
		.n_calls = h->n_calls,
		.n_requests = h->n_requests,
		.n_bridges =
			s->parts.n ? store_parts_n_packets(&s->parts, i) : s->world.n_bridges };
	int rc = store_spans_open(spans, s->hosts[i].file, i, err);
	if (rc)
		return rc;
	s->hosts[i].store = s;
	s->hosts[i].source = (struct kernel_span_source){ load, near, between, load_request };
	h->source = &s->hosts[i].source;
	return kernel_span_log_add_absent(&h->log, spans->n_blocks) ? 0 : mer_fail_nomem(err);
}

/* ---- the whole ---- */

static int see(struct store *s, int rc)
{
	if (rc == MER_ERR_INPUT)
		s->is_damaged = true;
	return rc;
}

static int get_waits(void *ctx, const struct kernel_world *w, void *blocked, struct mer_err *err)
{
	struct store *s = ctx;
	return see(s, store_waits_get(&s->files[0], w->n_bridges == s->world.n_bridges ? 0 : 1, w,
			      blocked, err));
}

static int get_receivers(
	void *ctx, const struct kernel_world *w, uint32_t *tasks, struct mer_err *err)
{
	struct store *s = ctx;
	if (w->n_bridges != s->world.n_bridges)
		return mer_fail(err, MER_ERR_INPUT, "saved of other packets");
	return see(s, store_get_receivers(&s->files[0], w, tasks, err));
}

static void load_bridge(void *ctx, uint32_t bridge)
{
	struct store *s = ctx;
	uint32_t first, n;
	if (store_rows_load(&s->bridges, bridge, &first, &n))
		return;
	const struct kernel_world *w = find_sound(s);
	for (uint32_t i = first; w && i < first + n; i++)
		s->world.bridges[i] = *kernel_bridge_at(w, i);
}

static int get_world_head(struct store *s, const struct mer_experiment *e, struct mer_err *err)
{
	struct kernel_world *w = &s->world;
	for (size_t i = 0; i < s->n_files; i++) {
		uint64_t n = 0;
		const struct store_world_head *head =
			store_find(&s->files[i], STORE_WORLD, 0, 0, sizeof(*head), &n);
		uint32_t n_hosts = s->parts.n ? s->parts.views[i].n_hosts : e->n_hosts;
		if (!head || n != 1 || head->n_hosts != n_hosts ||
			(head->n_bridges && !head->n_hosts))
			return refuse(err, "hosts");
		/* Before there is room for them. */
		if (!store_rows_are_of(&s->files[i], STORE_BRIDGES, 0, head->n_bridges))
			return refuse(err, "tables");
		w->n_bridges = head->n_bridges; /* of parts: until they are joined */
		w->n_unsynchronized = head->n_unsynchronized;
		w->n_inversions = head->n_inversions;
	}
	return 0;
}

static int get_bridges(struct store *s, struct mer_err *err)
{
	struct kernel_world *w = &s->world;
	if (s->parts.n)
		return store_parts_bridges(&s->parts, w, err);
	w->saved = (struct kernel_saved){ s, load_bridge, get_waits, get_receivers };
	int rc = store_rows_open(&s->bridges, &s->files[0], STORE_BRIDGES, 0, &store_bridge_rows, w,
		w->n_bridges, w->spill, err);
	w->bridges = s->bridges.rows;
	return rc;
}

static int get_places(struct store *s, struct mer_err *err)
{
	struct kernel_world *w = &s->world;
	uint32_t n = 0;
	if (s->parts.n)
		return store_parts_places(&s->parts, w, err);
	int rc = get(&s->files[0], STORE_PLACES, 0, &w->places, &n, sizeof(*w->places), err);
	return rc ? rc : get_map(&s->files[0], 0, STORE_MAP_ENDPOINTS, n, &w->endpoints, err);
}

static int make_hosts(struct store *s, struct mer_experiment *e, struct mer_err *err)
{
	struct kernel_world *w = &s->world;
	w->e = e;
	w->spill = e->spill;
	w->hosts = calloc((size_t)e->n_hosts + 1, sizeof(*w->hosts));
	s->hosts = calloc((size_t)e->n_hosts + 1, sizeof(*s->hosts));
	if (!w->hosts || !s->hosts)
		return mer_fail_nomem(err);
	for (; w->n_hosts < e->n_hosts; w->n_hosts++) {
		struct store_host *own = &s->hosts[w->n_hosts];
		kernel_host_init_in(&w->hosts[w->n_hosts], w->spill, false);
		own->h = &w->hosts[w->n_hosts];
		own->file = s->parts.n ? s->parts.of[w->n_hosts] : &s->files[0];
	}
	return 0;
}

static int get_world(struct store *s, struct mer_experiment *e, struct mer_err *err)
{
	struct kernel_world *w = &s->world;
	int rc = get_world_head(s, e, err);
	if (rc == 0)
		rc = make_hosts(s, e, err);
	if (rc == 0)
		rc = get_places(s, err);
	for (uint32_t i = 0; i < w->n_hosts && rc == 0; i++)
		rc = get_head(s, i, err);
	if (rc == 0)
		rc = get_bridges(s, err);
	for (uint32_t i = 0; i < w->n_hosts && rc == 0; i++)
		rc = get_tables(s, i, err);
	for (uint32_t i = 0; i < w->n_hosts && rc == 0; i++)
		rc = open_spans(s, i, err);
	for (uint32_t i = 0; i < w->n_hosts && rc == 0; i++)
		rc = open_requests(s, i, err);
	return rc;
}

static int open_files(
	struct store *s, const struct store_part_file *files, size_t n, struct mer_err *err)
{
	int rc = 0;
	pthread_mutex_init(&s->mending_lock, NULL);
	s->files = calloc(n + 1, sizeof(*s->files));
	if (!s->files)
		return mer_fail_nomem(err);
	for (; rc == 0 && s->n_files < n; s->n_files += rc == 0)
		rc = store_file_open(
			&s->files[s->n_files], files[s->n_files].path, files[s->n_files].key, err);
	return rc;
}

/* What it has of the world; path: its name in messages. */
static int finish(struct store *s, int rc, const char *path, struct mer_experiment *e,
	struct store **opened, struct mer_err *err)
{
	struct mer_err why;
	if (rc == 0) {
		rc = get_world(s, e, &why);
		if (rc == MER_ERR_INPUT)
			mer_fail(err, rc, "%s: damaged: it has %s", path, why.text);
		else if (rc)
			mer_fail_nomem(err);
	}
	if (rc)
		store_close(s);
	else
		*opened = s;
	return rc;
}

int store_open(const char *path, const uint8_t key[STORE_KEY_BYTES], struct mer_experiment *e,
	struct store **opened, struct mer_err *err)
{
	struct store *s = calloc(1, sizeof(*s));
	struct store_part_file file = { .path = path };
	memcpy(file.key, key, sizeof(file.key));
	return s ? finish(s, open_files(s, &file, 1, err), path, e, opened, err)
		 : mer_fail_nomem(err);
}

static int find_groups(struct store *s, const struct mer_experiment *e, const struct sync_result *r,
	struct mer_err *err)
{
	s->groups = calloc((size_t)e->n_hosts + 1, sizeof(*s->groups));
	for (uint32_t h = 0; s->groups && h < e->n_hosts; h++)
		s->groups[h] = r ? r->hosts[h].group : h;
	return s->groups ? 0 : mer_fail_nomem(err);
}

int store_open_parts(const struct store_part_file *files, size_t n, struct mer_experiment *e,
	const struct sync_result *r, struct store **opened, struct mer_err *err)
{
	struct store *s = calloc(1, sizeof(*s));
	if (!s)
		return mer_fail_nomem(err);
	int rc = open_files(s, files, n, err);
	if (rc == 0)
		rc = store_parts_find(&s->parts, s->files, files, n, e, err);
	if (rc == 0)
		rc = find_groups(s, e, r, err);
	if (rc == 0)
		rc = store_parts_absent(&s->parts, e, err);
	return finish(s, rc, n == 1 ? files[0].name : "full parts", e, opened, err);
}

/* Clears the pointers into the file, so that they are not freed. */
static void let_go(struct kernel_host *h)
{
	h->tasks = NULL;
	h->renames = NULL;
	h->calls = NULL;
	h->requests = NULL;
	h->devices = h->irq_names = h->packages = h->cpus = h->first_pieces = (struct mer_map){ 0 };
	kernel_host_fini(h);
}

void store_close(struct store *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->world.n_hosts; i++) {
		store_rows_close(&s->hosts[i].requests);
		let_go(&s->world.hosts[i]);
	}
	store_rows_close(&s->bridges);
	if (s->parts.n) {
		mer_spill_release(s->world.bridges);
		free(s->world.places);
		mer_map_fini(&s->world.endpoints);
	}
	store_packets_fini(&s->packets, s->world.n_hosts);
	store_parts_fini(&s->parts);
	free(s->groups);
	pthread_mutex_destroy(&s->mending_lock);
	free(s->world.hosts);
	free(s->hosts);
	for (size_t i = 0; i < s->n_files; i++)
		store_file_close(&s->files[i]);
	free(s->files);
	free(s);
}

bool store_has_facts(const struct store *s)
{
	return !s->parts.n || s->parts.has_facts;
}

struct kernel_world *store_world(struct store *s)
{
	return &s->world;
}

bool store_is_damaged(const struct store *s)
{
	bool is = s->is_damaged;
	for (uint32_t i = 0; i < s->world.n_hosts; i++)
		is |= s->hosts[i].spans.is_damaged; /* lanes and facts are read from spans, too */
	return is;
}

int store_lanes(struct store *s, uint32_t host, const struct store_lane *lanes, size_t n_lanes,
	const struct store_window *window, int64_t *times, struct mer_err *err)
{
	if (!store_has_facts(s))
		return mer_fail(err, MER_ERR_USAGE,
			"full parts without facts have no times of tasks and CPUs to draw");
	int rc = store_lanes_read(&s->hosts[host].spans, &s->world.hosts[host], host, lanes,
		n_lanes, window, times, err);
	if (rc == MER_ERR_INPUT)
		s->is_damaged = true;
	return rc;
}

/* ---- facts ---- */

/* The kind's number in the file. */
static uint32_t number_of(const struct fact_kind *kind)
{
	uint32_t number = 0;
	while (fact_kinds[number] && fact_kinds[number] != kind)
		number++;
	return number;
}

int store_counts(struct store *s, uint32_t host, const struct fact_kind *kind,
	const struct store_window *window, uint64_t *counts, uint64_t *bytes, struct mer_err *err)
{
	if (s->parts.n && (kind->maker->of_world || !s->parts.has_facts))
		return mer_fail(
			err, MER_ERR_USAGE, "full parts do not count '%s' over time", kind->id);
	return see(s, store_counts_read(s->hosts[host].file, host, number_of(kind), kind,
			      &s->world.hosts[host], window, counts, bytes, err));
}

/* Of parts: all of the host, as no range is worth an index. */
static int read_packets(
	struct store *s, uint32_t host, fact_taker *take, void *taker, struct mer_err *err)
{
	int rc = 0;
	pthread_mutex_lock(&s->mending_lock);
	if (!s->packets.of)
		rc = store_packets_join(
			&s->packets, &s->parts, number_of(&fact_packet), &s->world, err);
	if (rc)
		store_packets_fini(&s->packets, s->world.n_hosts);
	pthread_mutex_unlock(&s->mending_lock);
	for (size_t i = 0; rc == 0 && i < s->packets.n[host]; i += FACT_BATCH) {
		size_t n = s->packets.n[host] - i;
		rc = take(taker, &s->world.hosts[host], &s->packets.of[host][i],
			n < FACT_BATCH ? n : FACT_BATCH, err);
	}
	return rc;
}

static int read_facts(void *ctx, uint32_t host, const struct fact_kind *kind,
	const struct fact_range *range, fact_taker *take, void *taker, struct mer_err *err)
{
	struct store *s = ctx;
	if (kind->origin) {
		const struct analysis_source source = store_source(s);
		return store_make_again(
			&s->hosts[host].spans, &source, host, kind, range, take, taker, err);
	}
	if (s->parts.n && kind == &fact_packet)
		return see(s, read_packets(s, host, take, taker, err));
	return see(s, store_facts_read(s->hosts[host].file, host, number_of(kind), kind,
			      &s->world.hosts[host], STORE_NEEDS_ALL, range, take, taker, err));
}

struct analysis_source store_source(struct store *s)
{
	return (struct analysis_source){ .world = &s->world, .ctx = s, .read = read_facts };
}

/* ---- usage ---- */

static bool rises_to(const size_t *first, size_t n, size_t end)
{
	bool ok = first[0] == 0 && first[n] == end;
	for (size_t i = 0; i < n; i++)
		ok &= first[i] <= first[i + 1];
	return ok;
}

static int get_usage(struct store *s, uint32_t i, struct usage *u, struct mer_err *err)
{
	const struct store_host_head *head = s->hosts[i].head;
	size_t n = (size_t)s->world.hosts[i].n_tasks * USAGE_N_KINDS;
	struct usage_sums sums = { .n_tasks = s->world.hosts[i].n_tasks, .seen = head->seen };
	if (head->n_points > SIZE_MAX / 64)
		return refuse(err, "usage");
	sums.first = mer_spill_array(s->world.spill, n + 1, sizeof(*sums.first));
	sums.points = mer_spill_array(s->world.spill, head->n_points + 1, sizeof(*sums.points));
	int rc = sums.first && sums.points ? 0 : mer_fail_nomem(err);
	if (rc == 0 && (!store_get_columns(s->hosts[i].file, STORE_USAGE, i, 0, &store_sizes,
				sums.first, n + 1) ||
			       !store_get_columns(s->hosts[i].file, STORE_USAGE, i, 1,
				       &store_usage_points, sums.points, head->n_points) ||
			       !rises_to(sums.first, n, head->n_points)))
		rc = refuse(err, "usage");
	if (rc == 0) {
		usage_restore(u, i, &sums);
		return 0;
	}
	mer_spill_release(sums.first);
	mer_spill_release(sums.points);
	return rc;
}

int store_usage(struct store *s, struct usage **u, struct mer_err *err)
{
	int rc = usage_new(s->world.n_hosts, s->world.spill, u, err);
	for (uint32_t i = 0; i < s->world.n_hosts && rc == 0; i++)
		rc = get_usage(s, i, *u, err);
	return see(s, rc);
}

/* ---- requests ---- */

int store_requests(
	struct store *s, struct kernel_world **w, struct requests **r, struct mer_err *err)
{
	*w = malloc(sizeof(**w));
	if (!*w)
		return mer_fail_nomem(err);
	**w = s->world;
	(*w)->mpi = NULL; /* requests follow packets, whatever is known of ranks by now */
	int rc = see(s, s->parts.n ? store_parts_requests(&s->parts, *w, s->groups, r, err)
				   : store_get_found_requests(&s->files[0], *w, r, err));
	if (rc) {
		store_requests_world_free(*w);
		*w = NULL;
	}
	return rc;
}

void store_requests_world_free(struct kernel_world *w)
{
	if (w)
		store_drop_singles(w);
	free(w);
}

/* ---- what was found ---- */

void store_report(const struct store *s, struct mer_diags *diags)
{
	struct mer_arena arena;
	struct mer_diags found;
	mer_arena_init(&arena);
	mer_diags_init(&found, &arena);
	for (size_t i = 0; i < s->n_files; i++)
		(void)store_get_findings(&s->files[i], STORE_FINDINGS_OF_WORLD, &found);
	mer_diags_merge_new(diags, &found);
	mer_diags_fini(&found);
	mer_arena_fini(&arena);
}
