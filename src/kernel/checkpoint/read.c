#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "kernel/checkpoint/keep.h"

struct kernel_checkpoints {
	struct mer_file file;
	const struct mer_experiment *e;
	uint32_t kind;
	struct checkpoint_toc toc;
};

/* The part as an archive; it fails at once where it lies outside of the file. */
static void open_part(
	const struct kernel_checkpoints *c, struct checkpoint_part part, struct archive *a)
{
	bool fits = part.at <= c->file.size && part.bytes <= c->file.size - part.at;
	archive_open(a, fits ? c->file.data + part.at : NULL, fits ? (size_t)part.bytes : 0);
	a->failed = !fits;
}

static bool read_header(struct kernel_checkpoints *c, const struct kernel_checkpoint_key *key)
{
	struct checkpoint_header h;
	struct archive a;
	if (c->file.size < sizeof(h))
		return false;
	memcpy(&h, c->file.data, sizeof(h));
	if (memcmp(h.magic, CHECKPOINT_MAGIC, sizeof(h.magic)) != 0 ||
		h.version != CHECKPOINT_VERSION || h.kind >= KERNEL_N_KEPT ||
		h.key[0] != key->of[0] || h.key[1] != key->of[1] || h.bytes != c->file.size ||
		h.hash != mer_hash(c->file.data + sizeof(h), c->file.size - sizeof(h)))
		return false;
	c->kind = h.kind;
	open_part(c, (struct checkpoint_part){ h.toc, h.toc_bytes }, &a);
	checkpoint_visit_toc(&a, &c->toc, c->e);
	return !a.failed && c->toc.n_packets <= INT32_MAX;
}

struct kernel_checkpoints *kernel_checkpoints_open(
	const char *path, const struct kernel_checkpoint_key *key, const struct mer_experiment *e)
{
	struct kernel_checkpoints *c = calloc(1, sizeof(*c));
	struct mer_err err;
	if (!c)
		return NULL;
	c->e = e;
	if (mer_file_open(&c->file, path, &err) == 0 && read_header(c, key))
		return c;
	kernel_checkpoints_free(c);
	return NULL;
}

void kernel_checkpoints_free(struct kernel_checkpoints *c)
{
	if (!c)
		return;
	checkpoint_toc_fini(&c->toc);
	mer_file_close(&c->file);
	free(c);
}

uint32_t kernel_checkpoints_kind(const struct kernel_checkpoints *c)
{
	return c->kind;
}

uint32_t kernel_checkpoints_before(const struct kernel_checkpoints *c, int64_t time)
{
	uint32_t after = 0;
	while (after < c->toc.n_states && c->toc.times[after] <= time)
		after++;
	return after ? after - 1 : KERNEL_NONE;
}

/* The first one at this time or later; KERNEL_NONE: none. */
static uint32_t kernel_checkpoints_after(const struct kernel_checkpoints *c, int64_t time)
{
	uint32_t i = 0;
	while (i < c->toc.n_states && c->toc.times[i] < time)
		i++;
	return i < c->toc.n_states ? i : KERNEL_NONE;
}

static int64_t kernel_checkpoints_time(const struct kernel_checkpoints *c, uint32_t state)
{
	return c->toc.times[state];
}

/* ---- what is known of a host at the end ---- */

static void free_whole(struct checkpoint_whole *x)
{
	kernel_losses_fini(&x->losses);
	free(x->tasks);
	free(x->renames);
	free(x->calls);
	free(x->late);
	for (size_t i = 0; i < sizeof(x->maps) / sizeof(*x->maps); i++)
		mer_map_fini(&x->maps[i]);
}

static void skip_names(struct archive *a, struct checkpoint_whole *x)
{
	x->names = a->at;
	for (uint32_t i = 0; i < x->n_names && !a->failed; i++) {
		uint32_t len = 0;
		archive_u32(a, &len);
		archive_data(a, NULL, len);
	}
	x->names_bytes = (size_t)(a->at - x->names);
}

static void read_renames(struct archive *a, struct checkpoint_whole *x)
{
	int64_t before = x->h_begin;
	for (uint32_t i = 0; i < x->n_renames && !a->failed; i++) {
		struct kernel_name *r = &x->renames[i];
		a->limits[ARCHIVE_RENAME] = i; /* only to earlier ones: they end */
		archive_time(a, &r->begin, before);
		archive_ref(a, ARCHIVE_NAME, &r->name);
		archive_ref(a, ARCHIVE_RENAME, &r->before);
		a->failed |= r->name == KERNEL_NONE;
		before = r->begin;
	}
	a->limits[ARCHIVE_RENAME] = x->n_renames;
}

static void read_calls(struct archive *a, struct checkpoint_whole *x)
{
	for (uint32_t i = 0; i < x->n_calls && !a->failed; i++) {
		struct kernel_call *k = &x->calls[i];
		archive_ref(a, ARCHIVE_NAME, &k->name);
		archive_ref(a, ARCHIVE_NAME, &k->object);
		archive_i32(a, &k->fd);
		archive_u8(a, &k->kind, KERNEL_N_OBJECT_KINDS);
		archive_u8(a, &k->end, 2);
	}
}

static void read_late(struct archive *a, struct checkpoint_whole *x)
{
	int64_t before = x->h_begin;
	archive_count(a, &x->n_late, 5);
	x->late = calloc((size_t)x->n_late + 1, sizeof(*x->late));
	a->failed |= !x->late;
	for (uint32_t i = 0; i < x->n_late && !a->failed; i++) {
		checkpoint_visit_late(a, &x->late[i], before);
		a->failed |= x->late[i].task == KERNEL_NONE;
		before = x->late[i].time;
	}
}

static void read_map(struct archive *a, struct mer_map *map, uint32_t limit)
{
	uint32_t n;
	archive_count(a, &n, 2);
	for (uint32_t i = 0; i < n && !a->failed; i++) {
		uint64_t key = 0;
		uint32_t value = 0, *at;
		archive_u64(a, &key);
		archive_u32(a, &value);
		at = a->failed || value > limit ? NULL : mer_map_put(map, key);
		if (at)
			*at = value;
		a->failed |= !at;
	}
}

static bool begin_whole(struct archive *a, struct checkpoint_whole *x)
{
	uint64_t left = (uint64_t)(a->end - a->at);
	if (a->failed || x->n_names > left || x->n_renames > left / 3 || x->n_calls > left / 5 ||
		x->n_tasks > left / 13)
		return false;
	x->renames = calloc((size_t)x->n_renames + 1, sizeof(*x->renames));
	x->calls = calloc((size_t)x->n_calls + 1, sizeof(*x->calls));
	x->tasks = calloc((size_t)x->n_tasks + 1, sizeof(*x->tasks));
	return x->renames && x->calls && x->tasks;
}

static bool read_whole(
	const struct kernel_checkpoints *c, uint32_t host, struct checkpoint_whole *x)
{
	struct archive a;
	*x = (struct checkpoint_whole){ 0 };
	open_part(c, c->toc.hosts[host], &a);
	archive_i64(&a, &x->begin);
	archive_i64(&a, &x->end);
	archive_i64(&a, &x->h_begin);
	archive_i64(&a, &x->h_end);
	archive_u64(&a, &x->n_events);
	archive_u64(&a, &x->n_odd);
	archive_u64(&a, &x->n_calls_left_out);
	checkpoint_visit_losses(&a, &x->losses);
	archive_u32(&a, &x->n_names);
	archive_u32(&a, &x->n_renames);
	archive_u32(&a, &x->n_calls);
	archive_u32(&a, &x->n_tasks);
	if (!begin_whole(&a, x))
		return false;
	a.limits[ARCHIVE_NAME] = x->n_names;
	a.limits[ARCHIVE_TASK] = x->n_tasks;
	a.limits[ARCHIVE_CALL] = x->n_calls;
	skip_names(&a, x);
	read_renames(&a, x);
	read_calls(&a, x);
	for (uint32_t i = 0; i < x->n_tasks && !a.failed; i++)
		checkpoint_visit_task(&a, &x->tasks[i], x->h_begin);
	read_late(&a, x);
	read_map(&a, &x->maps[0], x->n_names);
	read_map(&a, &x->maps[1], x->n_names);
	read_map(&a, &x->maps[2], UINT32_MAX);
	read_map(&a, &x->maps[3], UINT32_MAX);
	x->ends = a;
	return !a.failed;
}

/* All of them, so that they have the numbers that they had. */
static bool put_names(struct kernel_host *h, const struct checkpoint_whole *x)
{
	struct archive a;
	archive_open(&a, x->names, x->names_bytes);
	for (uint32_t i = 0; i < x->n_names; i++) {
		uint32_t len = 0;
		archive_u32(&a, &len);
		const uint8_t *text = archive_data(&a, NULL, len);
		if (!text || mer_intern_add(&h->names, (const char *)text, len) != i)
			return false;
	}
	for (uint32_t i = 0; i < x->n_calls; i++)
		if (kernel_add_call(h, &x->calls[i]) != i)
			return false;
	return true;
}

/* ---- how a world begins ---- */

struct resume_host {
	struct checkpoint_whole whole;
	struct archive state;
	struct model_counts counts;
	uint32_t *packets; /* that it refers to; then as numbers of the world */
	struct model_sender *senders;
	uint32_t n_senders, cap_senders;
};

struct kernel_resume {
	const struct kernel_checkpoints *c;
	uint32_t state;
	struct resume_host *hosts;
	uint32_t n_hosts;
};

struct chosen_packets { /* of the world that begins */
	uint32_t *item; /* numbers in the whole recording; rising once sorted */
	uint32_t n, cap;
	struct mer_map seen; /* number -> number in the world, plus 1 */
	struct checkpoint_packet block[CHECKPOINT_BLOCK];
	uint32_t in_block;   /* plus 1 */
	uint32_t *endpoints; /* malloc'ed */
};

static bool choose_packet(struct chosen_packets *p, uint32_t number)
{
	uint32_t *at = mer_map_put(&p->seen, number);
	if (!at)
		return false;
	if (*at)
		return true;
	*at = 1;
	if (!mer_grow32(&p->item, p->n, &p->cap, sizeof(*p->item)))
		return false;
	p->item[p->n++] = number;
	return true;
}

static bool read_block(const struct kernel_checkpoints *c, struct chosen_packets *p, uint32_t block)
{
	struct archive a;
	const struct checkpoint_block *b = &c->toc.blocks[block];
	if (p->in_block == block + 1)
		return true;
	p->in_block = 0;
	open_part(c, b->part, &a);
	int64_t before = b->sent;
	uint32_t first = block * CHECKPOINT_BLOCK;
	for (uint32_t i = 0; i < CHECKPOINT_BLOCK && first + i < c->toc.n_packets; i++) {
		struct checkpoint_packet *x = &p->block[i];
		*x = (struct checkpoint_packet){ .p = { .from.span = KERNEL_NONE,
							 .to.span = KERNEL_NONE } };
		checkpoint_visit_packet(&a, x, first + i, before, c->e);
		if (a.failed || x->source >= c->toc.n_endpoints ||
			x->destination >= c->toc.n_endpoints || x->p.from.host >= c->toc.n_hosts ||
			x->p.to.host >= c->toc.n_hosts || x->p.from.time < before ||
			x->p.to.time < x->p.from.time)
			return false;
		x->p.from.endpoint = p->endpoints[x->source];
		x->p.to.endpoint = p->endpoints[x->destination];
		before = x->p.from.time;
	}
	p->in_block = block + 1;
	return true;
}

static const struct checkpoint_packet *packet_at(
	const struct kernel_checkpoints *c, struct chosen_packets *p, uint32_t number)
{
	if (!read_block(c, p, number / CHECKPOINT_BLOCK))
		return NULL;
	return &p->block[number % CHECKPOINT_BLOCK];
}

/* Those that were under way at some time between the two, and a bit before. */
static bool choose_between(
	const struct kernel_checkpoints *c, struct chosen_packets *p, int64_t since, int64_t until)
{
	for (uint32_t b = 0; b < c->toc.n_blocks; b++) {
		if (c->toc.blocks[b].received < since || c->toc.blocks[b].sent > until)
			continue;
		if (!read_block(c, p, b))
			return false;
		uint32_t first = b * CHECKPOINT_BLOCK;
		for (uint32_t i = 0; i < CHECKPOINT_BLOCK && first + i < c->toc.n_packets; i++)
			if (p->block[i].p.to.time >= since && p->block[i].p.from.time <= until &&
				!choose_packet(p, first + i))
				return false;
	}
	return true;
}

static int rising(const void *a, const void *b)
{
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
	return (p > q) - (p < q);
}

/* Those that earlier ones answer, too: until none is new. */
static bool choose_answered(
	const struct kernel_checkpoints *c, struct chosen_packets *p, int64_t now)
{
	for (uint32_t done = 0, n; done < p->n; done = n) {
		n = p->n;
		if (n > done)
			qsort(p->item + done, n - done, sizeof(*p->item), rising);
		for (uint32_t i = done; i < n; i++) {
			const struct checkpoint_packet *x = packet_at(c, p, p->item[i]);
			if (!x || (x->p.from.time < now && x->p.answers < c->toc.n_packets &&
					  !choose_packet(p, x->p.answers)))
				return false;
		}
	}
	if (p->n)
		qsort(p->item, p->n, sizeof(*p->item), rising);
	for (uint32_t i = 0; i < p->n; i++)
		*mer_map_get(&p->seen, p->item[i]) = i + 1;
	return true;
}

static uint32_t number_in_world(const struct chosen_packets *p, uint32_t number)
{
	const uint32_t *at = number == KERNEL_NONE ? NULL : mer_map_get(&p->seen, number);
	return at && *at ? *at - 1 : KERNEL_NONE;
}

static bool add_sender(struct resume_host *h, uint32_t packet, const struct checkpoint_packet *x)
{
	if (!mer_grow32(&h->senders, h->n_senders, &h->cap_senders, sizeof(*h->senders)))
		return false;
	h->senders[h->n_senders++] = (struct model_sender){ packet, x->sender_task, x->asked };
	return true;
}

/* What was sent before has a sender; what comes later gets it from the model. */
static bool put_packets(struct kernel_resume *r, struct chosen_packets *p, struct kernel_world *w)
{
	int64_t now = kernel_resume_time(r);
	w->bridges = mer_spill_array(w->spill, (size_t)p->n + 1, sizeof(*w->bridges));
	if (!w->bridges)
		return false;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct checkpoint_packet *x = packet_at(r->c, p, p->item[i]);
		if (!x)
			return false;
		struct kernel_bridge *to = &w->bridges[w->n_bridges++];
		*to = x->p;
		bool is_past = x->p.from.time < now && r->hosts[x->p.from.host].state.end;
		to->answers = is_past ? number_in_world(p, x->p.answers) : KERNEL_NONE;
		to->was_held = is_past && x->p.was_held;
		if (is_past && x->sender_task != KERNEL_NONE &&
			!add_sender(&r->hosts[x->p.from.host], i, x))
			return false;
	}
	for (uint32_t h = 0; h < r->n_hosts; h++)
		for (uint32_t i = 0; i < r->hosts[h].counts.packets; i++)
			r->hosts[h].packets[i] = number_in_world(p, r->hosts[h].packets[i]);
	return true;
}

/* What endpoints are, and stand for. */
static bool read_endpoints(
	const struct kernel_checkpoints *c, struct chosen_packets *p, struct kernel_world *w)
{
	struct archive a;
	uint32_t n_places = 0;
	open_part(c, c->toc.endpoints, &a);
	if (a.failed || c->toc.n_endpoints > (uint64_t)(a.end - a.at))
		return false;
	w->places = calloc((size_t)c->toc.n_endpoints + 1, sizeof(*w->places));
	p->endpoints = calloc((size_t)c->toc.n_endpoints + 1, sizeof(*p->endpoints));
	if (!w->places || !p->endpoints)
		return false;
	for (uint32_t i = 0; i < c->toc.n_endpoints && !a.failed; i++) {
		bool is_known;
		archive_u32(&a, &p->endpoints[i]);
		archive_bool(&a, &is_known);
		if (!is_known)
			continue;
		archive_u32(&a, &w->places[n_places].address);
		archive_u16(&a, &w->places[n_places].port);
		uint32_t *at = a.failed ? NULL : mer_map_put(&w->endpoints, p->endpoints[i]);
		if (!at)
			return false;
		*at = ++n_places;
	}
	return !a.failed;
}

static bool begin_host(
	struct kernel_resume *r, uint32_t host, struct chosen_packets *p, int64_t *since)
{
	struct resume_host *h = &r->hosts[host];
	const struct kernel_checkpoints *c = r->c;
	struct checkpoint_part part = { 0 };
	if (r->state != KERNEL_NONE)
		part = c->toc.states[(size_t)r->state * c->toc.n_hosts + host];
	if (!read_whole(c, host, &h->whole))
		return false;
	if (!part.bytes)
		return true;
	struct model_whole whole = { .n_tasks = h->whole.n_tasks,
		.n_renames = h->whole.n_renames,
		.n_packets = c->toc.n_packets };
	open_part(c, part, &h->state);
	if (!model_read_packets(&h->state, &whole, kernel_resume_time(r), &h->counts, &h->packets))
		return false;
	if (h->counts.packets_since < *since)
		*since = h->counts.packets_since;
	for (uint32_t i = 0; i < h->counts.packets; i++)
		if (!choose_packet(p, h->packets[i]))
			return false;
	return true;
}

static bool begin_resume(
	struct kernel_resume *r, struct chosen_packets *p, int64_t until, struct kernel_world *w)
{
	int64_t now = kernel_resume_time(r), since = now;
	if (!read_endpoints(r->c, p, w))
		return false;
	for (uint32_t i = 0; i < r->n_hosts; i++)
		if (!begin_host(r, i, p, &since))
			return false;
	w->n_unsynchronized = r->c->toc.n_unsynchronized;
	w->n_inversions = r->c->toc.n_inversions;
	return choose_between(r->c, p, since, until) && choose_answered(r->c, p, now) &&
	       put_packets(r, p, w);
}

static int damaged(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_INPUT,
		"what an earlier reading left in the cache folder is damaged; it is removed: run this again");
}

int kernel_resume_new(const struct kernel_checkpoints *c, uint32_t state, int64_t until,
	struct kernel_world *w, struct kernel_resume **resume, struct mer_err *err)
{
	struct kernel_resume *r = calloc(1, sizeof(*r));
	struct chosen_packets *p = calloc(1, sizeof(*p));
	bool ok = false;
	if (r && p) {
		r->c = c;
		r->state = state;
		r->n_hosts = c->toc.n_hosts;
		r->hosts = calloc((size_t)r->n_hosts + 1, sizeof(*r->hosts));
		ok = r->hosts && begin_resume(r, p, until, w);
	}
	if (p) {
		free(p->item);
		free(p->endpoints);
		mer_map_fini(&p->seen);
	}
	free(p);
	if (!ok) {
		kernel_resume_free(r);
		return damaged(err);
	}
	*resume = r;
	return 0;
}

void kernel_resume_free(struct kernel_resume *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; r->hosts && i < r->n_hosts; i++) {
		free_whole(&r->hosts[i].whole);
		free(r->hosts[i].packets);
		free(r->hosts[i].senders);
	}
	free(r->hosts);
	free(r);
}

int64_t kernel_resume_time(const struct kernel_resume *r)
{
	return r->state == KERNEL_NONE ? INT64_MIN : r->c->toc.times[r->state];
}

int kernel_resume_recorded(const struct kernel_resume *r, uint32_t host, int64_t *begin,
	int64_t *end, struct kernel_losses *losses, struct mer_err *err)
{
	struct checkpoint_whole *x = &r->hosts[host].whole;
	*begin = x->begin;
	*end = x->end;
	*losses = x->losses;
	x->losses = (struct kernel_losses){ 0 };
	return kernel_losses_order(losses, err);
}

const uint32_t *kernel_resume_first(const struct kernel_resume *r, uint32_t host)
{
	return r->state == KERNEL_NONE ? NULL
				       : r->c->toc.first[(size_t)r->state * r->n_hosts + host];
}

int64_t kernel_stop_next(const struct kernel_stop *stop, int64_t after)
{
	int64_t from = after < stop->before ? stop->before : after + 1;
	uint32_t state = kernel_checkpoints_after(stop->resume->c, from);
	return state == KERNEL_NONE ? INT64_MAX : kernel_checkpoints_time(stop->resume->c, state);
}

static int tell_span(
	const struct kernel_observer *o, struct kernel_model *m, const struct checkpoint_end *x)
{
	struct kernel_span *s = model_open(m, x->task);
	bool knows_by = x->by != KERNEL_NONE && x->by < m->h->n_tasks;
	if (!o->span || kernel_is_on_cpu(s->state))
		return 0;
	s->begin = x->begin;
	s->state = x->state;
	s->cause = x->cause;
	s->call = x->call;
	s->cpu = x->cpu;
	s->source = KERNEL_NONE;
	s->by = knows_by ? m->h->tasks[x->by].last : KERNEL_NONE;
	return o->span(o->ctx, m->h, m->h->tasks[x->task].last, x->end);
}

static int tell_call(const struct kernel_observer *o, const struct kernel_host *h,
	const struct checkpoint_end *x)
{
	struct kernel_call_end c = { .task = x->task,
		.call = x->call,
		.begin = x->begin,
		.end = x->end,
		.ret = x->ret,
		.kind = x->call_kind,
		.cpu = x->cpu };
	struct kernel_open_call open = { .task = x->task,
		.call = x->call,
		.begin = x->begin,
		.kind = x->call_kind,
		.cpu = x->cpu };
	memcpy(c.args, x->args, sizeof(c.args));
	memcpy(open.args, x->args, sizeof(open.args));
	if (x->kind == CHECKPOINT_CALL)
		return o->call ? o->call(o->ctx, h, &c) : 0;
	return o->open_call ? o->open_call(o->ctx, h, &open) : 0;
}

int kernel_stop_tell(const struct kernel_stop *stop, struct kernel_model *m, struct mer_err *err)
{
	const struct kernel_observer *o = m->in.observer;
	const struct checkpoint_whole *whole = &stop->resume->hosts[stop->host].whole;
	struct archive a = whole->ends;
	int rc = 0;
	m->h->end = whole->h_end;
	while (o && rc == 0) {
		struct checkpoint_end x = { 0 };
		checkpoint_visit_end(&a, &x);
		if (a.failed)
			return damaged(err);
		if (x.kind == CHECKPOINT_NO_END)
			break;
		if (x.begin >= stop->at || x.told < stop->at || x.task >= m->h->n_tasks)
			continue;
		if (x.kind == CHECKPOINT_OPEN_CALL)
			model_open(m, x.task)->state = x.state;
		rc = x.kind == CHECKPOINT_SPAN ? tell_span(o, m, &x) : tell_call(o, m->h, &x);
	}
	return rc;
}

int kernel_resume_host(
	const struct kernel_resume *r, uint32_t host, struct kernel_model *m, struct mer_err *err)
{
	struct resume_host *h = &r->hosts[host];
	struct model_whole whole = { .tasks = h->whole.tasks,
		.renames = h->whole.renames,
		.n_tasks = h->whole.n_tasks,
		.n_renames = h->whole.n_renames,
		.n_names = h->whole.n_names,
		.n_calls = h->whole.n_calls };
	struct model_restore in = { .whole = &whole,
		.counts = &h->counts,
		.now = kernel_resume_time(r),
		.packets = h->packets,
		.senders = h->senders,
		.n_senders = h->n_senders };
	/* Also of a host that begins later: what is learned at the end of the part has calls by
	 * these numbers. */
	if (!put_names(m->h, &h->whole))
		return damaged(err);
	if (!h->state.end)
		return 0;
	m->h->begin = h->whole.h_begin;
	m->h->end = h->whole.h_begin;
	return model_restore(&h->state, m, &in) ? 0 : damaged(err);
}

/* ---- at the end ---- */

/* A task that came later: that it will be is all that is known of it here. */
static int add_later(struct kernel_host *h, const struct kernel_task *t, struct mer_err *err)
{
	uint32_t task = kernel_add_task(h, t->tid, t->begin);
	struct kernel_span s = { .begin = t->begin,
		.task = task,
		.call = KERNEL_NONE,
		.by = KERNEL_NONE,
		.source = KERNEL_NONE,
		.cpu = KERNEL_NO_CPU,
		.state = KERNEL_UNKNOWN };
	return task == KERNEL_NONE || kernel_add_span(h, &s) == KERNEL_NONE ? mer_fail_nomem(err)
									    : 0;
}

static bool put_map(struct mer_map *to, struct mer_map *from)
{
	mer_map_fini(to);
	*to = *from;
	*from = (struct mer_map){ 0 };
	return true;
}

void kernel_resume_learn(
	const struct kernel_resume *r, uint32_t host, struct kernel_model *m, int64_t until)
{
	const struct checkpoint_whole *x = &r->hosts[host].whole;
	for (uint32_t i = 0; i < x->n_late; i++) {
		const struct kernel_late *late = &x->late[i];
		if (late->time < until || late->task >= m->h->n_tasks)
			continue;
		struct live *l = &m->live[late->task];
		if (late->kind == KERNEL_LATE_DOUBT && late->since < until)
			model_not_final(m, late->task, late->since);
		else if (late->kind == KERNEL_LATE_MODE)
			model_learn_mode(m, late->task, late->call);
		else if (late->kind == KERNEL_LATE_NO_MODE)
			l->knows_mode = true; /* what comes later is about later spans */
	}
}

int kernel_resume_finish(
	const struct kernel_resume *r, uint32_t host, struct kernel_host *h, struct mer_err *err)
{
	struct checkpoint_whole *x = &r->hosts[host].whole;
	int rc = 0;
	if (h->n_tasks > x->n_tasks || h->n_renames > x->n_renames)
		return damaged(err);
	while (rc == 0 && h->n_tasks < x->n_tasks)
		rc = add_later(h, &x->tasks[h->n_tasks], err);
	for (uint32_t i = 0; rc == 0 && i < h->n_tasks; i++) {
		uint32_t last = h->tasks[i].last;
		h->tasks[i] = x->tasks[i];
		h->tasks[i].last = last;
	}
	struct model_whole whole = { .renames = x->renames };
	h->n_renames = 0;
	if (rc == 0 && !model_add_renames(h, &whole, x->n_renames))
		rc = mer_fail_nomem(err);
	put_map(&h->devices, &x->maps[0]);
	put_map(&h->irq_names, &x->maps[1]);
	put_map(&h->packages, &x->maps[2]);
	put_map(&h->cpus, &x->maps[3]);
	h->begin = x->h_begin;
	h->end = x->h_end;
	h->n_events = x->n_events;
	h->n_odd = x->n_odd;
	h->n_calls_left_out = x->n_calls_left_out;
	return rc;
}
