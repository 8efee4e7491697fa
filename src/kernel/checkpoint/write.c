#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "kernel/checkpoint/keep.h"
#include "trace/cursor.h"

uint32_t kernel_checkpoint_kind(const struct kernel_world_options *o, bool has_messages)
{
	uint32_t wants = o->observers ? o->observers[0].wants : 0;
	return (has_messages ? KERNEL_KEPT_PACKETS : 0) | (o->forget ? 0 : KERNEL_KEPT_SPANS) |
	       (wants & KERNEL_WANT_RAISES ? KERNEL_KEPT_RAISES : 0) |
	       (wants & KERNEL_WANT_MERGES ? KERNEL_KEPT_MERGES : 0) |
	       (wants & KERNEL_WANT_PACKETS ? KERNEL_KEPT_DEVICES : 0);
}

bool kernel_checkpoint_serves(uint32_t then, uint32_t now)
{
	return (now & ~then) == 0 &&
	       ((then ^ now) & (KERNEL_KEPT_MERGES | KERNEL_KEPT_DEVICES)) == 0;
}

/* ---- when ---- */

struct sample { /* bytes of packets, spread over their time */
	int64_t time;
	uint64_t bytes;
};

static int by_time(const void *a, const void *b)
{
	const struct sample *p = a, *q = b;
	return p->time < q->time ? -1 : p->time > q->time;
}

static size_t take_samples(const struct mer_experiment *e, struct sample *samples, uint64_t *bytes)
{
	enum { PIECES = 8 };
	size_t n = 0;
	for (uint32_t i = 0; i < e->n_streams; i++)
		for (uint32_t k = 0; k < e->data[i].n_packets; k++) {
			const struct ctf_packet *p = &e->data[i].packets[k];
			int64_t begin = trace_packet_begin(e, p), end = trace_packet_end(e, p);
			uint64_t size = p->size_bits / 8;
			*bytes += size;
			if (begin == MER_NO_TIME)
				continue;
			/* Headers begin long before the first event, and end after the last. */
			begin = begin > e->begin ? begin : e->begin;
			end = end == MER_NO_TIME || end < begin ? begin
			      : end < e->end			? end
								: e->end;
			for (int j = 0; samples && j < PIECES; j++)
				samples[n + (size_t)j] =
					(struct sample){ begin + (end - begin) / PIECES * j,
						size / PIECES };
			n += PIECES;
		}
	return n;
}

/* Moments with about the same number of bytes between them. */
static bool find_times(struct kernel_keeper *k, uint32_t n_states)
{
	uint64_t all = 0, seen = 0;
	size_t n = take_samples(k->e, NULL, &all);
	struct sample *samples = calloc(n + 1, sizeof(*samples));
	k->times = calloc((size_t)n_states + 1, sizeof(*k->times));
	if (!samples || !k->times) {
		free(samples);
		return false;
	}
	all = 0;
	take_samples(k->e, samples, &all);
	qsort(samples, n, sizeof(*samples), by_time);
	for (size_t i = 0; i < n && k->n_states < n_states; i++) {
		int64_t t = samples[i].time;
		uint64_t want = (uint64_t)((double)all * (k->n_states + 1) / (n_states + 1));
		seen += samples[i].bytes;
		if (seen >= want && t > k->e->begin && t < k->e->end &&
			(k->n_states == 0 || t > k->times[k->n_states - 1]))
			k->times[k->n_states++] = t;
	}
	free(samples);
	return true;
}

/* ---- collecting ---- */

int kernel_keeper_new(struct mer_experiment *e, uint32_t n_states, struct kernel_keeper **keeper,
	struct mer_err *err)
{
	enum { SHARE = 32, LEAST = 2 << 20, MOST = 16 << 20 }; /* all hosts together */
	struct kernel_keeper *k = calloc(1, sizeof(*k));
	if (!k)
		return mer_fail_nomem(err);
	k->e = e;
	k->max_bytes = e->bytes / SHARE < LEAST	 ? LEAST
		       : e->bytes / SHARE > MOST ? MOST
						 : e->bytes / SHARE;
	if (!find_times(k, n_states < KERNEL_CHECKPOINTS ? n_states : KERNEL_CHECKPOINTS)) {
		kernel_keeper_free(k);
		return mer_fail_nomem(err);
	}
	*keeper = k;
	return 0;
}

static void free_states(struct kernel_keep *h, uint32_t n)
{
	for (uint32_t i = 0; h->states && i < n; i++) {
		free(h->states[i].bytes);
		free(h->states[i].first);
	}
	free(h->states);
	free(h->first);
	free(h->left);
	free(h->late);
	archive_fini(&h->ends);
	archive_fini(&h->losses);
	model_saver_fini(&h->saver);
}

void kernel_keeper_free(struct kernel_keeper *k)
{
	if (!k)
		return;
	for (uint32_t i = 0; k->hosts && i < k->n_hosts; i++)
		free_states(&k->hosts[i], k->n_states);
	free(k->hosts);
	free(k->senders);
	free(k->times);
	free(k);
}

int kernel_keeper_begin(
	struct kernel_keeper *k, const struct kernel_world *w, uint32_t kind, struct mer_err *err)
{
	k->w = w;
	k->kind = kind;
	k->n_hosts = w->n_hosts;
	k->max_bytes /= w->n_hosts ? w->n_hosts : 1;
	k->hosts = calloc((size_t)w->n_hosts + 1, sizeof(*k->hosts));
	k->senders = calloc((size_t)w->n_bridges + 1, sizeof(*k->senders));
	if (!k->hosts || !k->senders)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < w->n_bridges; i++)
		k->senders[i].task = KERNEL_NONE;
	for (uint32_t i = 0; i < w->n_hosts; i++) {
		struct kernel_keep *h = &k->hosts[i];
		h->keeper = k;
		h->every = 1;
		h->ends.mode = ARCHIVE_WRITE;
		checkpoint_streams(k->e, i, &h->first_stream, &h->n_streams);
		h->states = calloc((size_t)k->n_states + 1, sizeof(*h->states));
		h->first = calloc((size_t)h->n_streams + 1, sizeof(*h->first));
		h->left = calloc((size_t)h->n_streams + 1, sizeof(*h->left));
		if (!h->states || !h->first || !h->left)
			return mer_fail_nomem(err);
	}
	return 0;
}

uint32_t kernel_keeper_kind(const struct kernel_keeper *k)
{
	return k->kind;
}

struct kernel_keep *kernel_keeper_host(struct kernel_keeper *k, uint32_t host)
{
	return k ? &k->hosts[host] : NULL;
}

void kernel_keeper_recorded(
	struct kernel_keep *k, int64_t begin, int64_t end, const struct kernel_losses *losses)
{
	k->begin = begin;
	k->end = end;
	struct kernel_losses copy = *losses;
	k->losses.mode = ARCHIVE_WRITE;
	checkpoint_visit_losses(&k->losses, &copy);
}

int64_t kernel_keep_next(const struct kernel_keep *k)
{
	return k->failed || k->next == k->keeper->n_states ? INT64_MAX : k->keeper->times[k->next];
}

/* Of a state's length before it: what is read again for nothing. */
enum { NEAR_PART = 16 };

void kernel_keep_packets(struct kernel_keep *k, const uint32_t *packets, int64_t ts)
{
	const struct kernel_keeper *all = k->keeper;
	if (k->is_near || k->next == all->n_states)
		return;
	int64_t before = k->next ? all->times[k->next - 1] : all->e->begin;
	int64_t at = all->times[k->next];
	if (ts != INT64_MIN && ts >= at - (at - before) / NEAR_PART)
		k->is_near = true;
	else if (ts != INT64_MIN && k->left[0] != UINT32_MAX)
		return; /* there is one for this state, if an earlier one */
	memcpy(k->first, packets, k->n_streams * sizeof(*k->first));
	k->left[0] = 0;
}

/* Too many bytes: every other state is left out. */
static void thin_out(struct kernel_keep *k)
{
	while (k->bytes > k->keeper->max_bytes && k->every < KERNEL_CHECKPOINTS) {
		k->every *= 2;
		for (uint32_t i = 0; i < k->keeper->n_states; i++) {
			if (i % k->every == 0 || !k->states[i].bytes)
				continue;
			k->bytes -= k->states[i].n;
			free(k->states[i].bytes);
			free(k->states[i].first);
			k->states[i] = (struct kept_state){ 0 };
		}
	}
}

static void keep_one(struct kernel_keep *k, struct kernel_model *m, uint32_t state)
{
	struct archive a = { 0 };
	struct kept_state *s = &k->states[state];
	size_t bytes = k->n_streams * sizeof(*s->first);
	s->first = malloc(bytes + 1);
	if (!s->first || !model_save(&k->saver, m, k->keeper->times[state], &a)) {
		k->failed = true;
	} else {
		memcpy(s->first, k->first, bytes);
		s->bytes = realloc(a.bytes, a.n);
		s->bytes = s->bytes ? s->bytes : a.bytes;
		s->n = a.n;
		a.bytes = NULL;
		k->bytes += s->n;
	}
	archive_fini(&a);
}

void kernel_keep_state(struct kernel_keep *k, struct kernel_model *m, int64_t ts)
{
	while (kernel_keep_next(k) <= ts) {
		if (m->h->n_events && k->next % k->every == 0)
			keep_one(k, m, k->next);
		k->next++;
		k->is_near = false;
		k->left[0] = UINT32_MAX; /* the next one's first packets are not known */
	}
	thin_out(k);
}

int64_t kernel_keep_last(const struct kernel_keep *k)
{
	return k->next ? k->keeper->times[k->next - 1] : INT64_MIN;
}

void kernel_keep_span(
	struct kernel_keep *k, const struct kernel_host *h, uint32_t span, int64_t end, int64_t now)
{
	const struct kernel_span *s = kernel_span(h, span);
	const struct kernel_span *by = kernel_span_kept(h, s->by);
	struct checkpoint_end x = { .kind = CHECKPOINT_SPAN,
		.begin = s->begin,
		.end = end,
		.told = now > end ? now : end,
		.task = s->task,
		.call = s->call,
		.cpu = s->cpu,
		.state = s->state,
		.cause = s->cause,
		.by = by ? by->task : KERNEL_NONE };
	checkpoint_visit_end(&k->ends, &x);
}

void kernel_keep_call(struct kernel_keep *k, const struct kernel_call_end *c)
{
	struct checkpoint_end x = { .kind = CHECKPOINT_CALL,
		.begin = c->begin,
		.end = c->end,
		.told = c->end,
		.task = c->task,
		.call = c->call,
		.cpu = c->cpu,
		.call_kind = c->kind,
		.ret = c->ret };
	memcpy(x.args, c->args, kernel_call_args((enum kernel_call_kind)c->kind) * sizeof(*x.args));
	checkpoint_visit_end(&k->ends, &x);
}

void kernel_keep_open_call(
	struct kernel_keep *k, const struct kernel_host *h, const struct kernel_open_call *c)
{
	struct checkpoint_end x = { .kind = CHECKPOINT_OPEN_CALL,
		.begin = c->begin,
		.end = INT64_MAX,
		.told = INT64_MAX,
		.state = kernel_span(h, h->tasks[c->task].last)->state,
		.task = c->task,
		.call = c->call,
		.cpu = c->cpu,
		.call_kind = c->kind };
	memcpy(x.args, c->args, kernel_call_args((enum kernel_call_kind)c->kind) * sizeof(*x.args));
	checkpoint_visit_end(&k->ends, &x);
}

void kernel_keep_late(struct kernel_keep *k, const struct kernel_late *late)
{
	enum { MOST = 1 << 20 };
	if (k->n_late == MOST || !mer_grow32(&k->late, k->n_late, &k->cap_late, sizeof(*k->late))) {
		k->failed = true;
		return;
	}
	k->late[k->n_late++] = *late;
}

void kernel_keep_sender(struct kernel_keep *k, const struct kernel_host *h, uint32_t packet)
{
	const struct kernel_bridge *p = &k->keeper->w->bridges[packet];
	if (p->from.span == KERNEL_NONE)
		return;
	k->keeper->senders[packet].task = kernel_span(h, p->from.span)->task;
	k->keeper->senders[packet].asked = kernel_bridge_asked(p, h);
}

void kernel_keeper_end(struct kernel_keep *k, bool is_sound)
{
	k->is_done = true;
	k->failed |= !is_sound;
	free(k->first);
	free(k->left);
	k->first = k->left = NULL;
	model_saver_fini(&k->saver);
}

/* ---- the file ---- */

struct writer {
	const struct kernel_keeper *k;
	const struct kernel_world *w;
	struct archive body;
	struct checkpoint_toc toc;
	uint32_t *endpoints; /* malloc'ed */
	uint32_t cap_endpoints;
	struct {			   /* the latest, by their last bits */
		uint32_t endpoint, number; /* plus 1 */
	} recent[256];
	struct mer_map numbers; /* of an endpoint, plus 1 */
};

static struct checkpoint_part part_from(const struct writer *w, size_t at)
{
	return (struct checkpoint_part){ at + sizeof(struct checkpoint_header), w->body.n - at };
}

/* Its number among those that packets have, in the order in which they came. */
static uint32_t endpoint_number(struct writer *w, uint32_t endpoint)
{
	uint32_t recent = (endpoint ^ endpoint >> 8 ^ endpoint >> 16) & 255;
	if (w->recent[recent].endpoint == endpoint && w->recent[recent].number)
		return w->recent[recent].number - 1;
	uint32_t *at = mer_map_put(&w->numbers, endpoint);
	if (!at || (!*at && !mer_grow32(&w->endpoints, w->toc.n_endpoints, &w->cap_endpoints,
				    sizeof(*w->endpoints)))) {
		w->body.failed = true;
		return 0;
	}
	if (!*at) {
		w->endpoints[w->toc.n_endpoints] = endpoint;
		*at = ++w->toc.n_endpoints;
	}
	w->recent[recent].endpoint = endpoint;
	w->recent[recent].number = *at;
	return *at - 1;
}

static void write_packets(struct writer *w)
{
	struct archive *a = &w->body;
	uint32_t n = w->w->n_bridges;
	for (uint32_t i = 0; i < n; i += CHECKPOINT_BLOCK) {
		struct checkpoint_block *b = &w->toc.blocks[w->toc.n_blocks++];
		size_t at = a->n;
		b->sent = w->w->bridges[i].from.time;
		b->received = INT64_MIN;
		int64_t before = b->sent;
		for (uint32_t k = i; k < n && k < i + CHECKPOINT_BLOCK; k++) {
			const struct kernel_bridge *p = &w->w->bridges[k];
			struct checkpoint_packet x = { .p = *p,
				.source = endpoint_number(w, p->from.endpoint),
				.destination = endpoint_number(w, p->to.endpoint),
				.sender_task = w->k->senders[k].task,
				.asked = w->k->senders[k].asked };
			b->received = p->to.time > b->received ? p->to.time : b->received;
			checkpoint_visit_packet(a, &x, k, before, w->k->e);
			before = p->from.time;
		}
		b->part = part_from(w, at);
	}
}

/* Each with the address that it stands for, if that is known. */
static void write_endpoints(struct writer *w)
{
	struct archive *a = &w->body;
	size_t at = a->n;
	for (uint32_t i = 0; i < w->toc.n_endpoints; i++) {
		const uint32_t *place = mer_map_get(&w->w->endpoints, w->endpoints[i]);
		bool is_known = w->endpoints[i] && place && *place;
		archive_u32(a, &w->endpoints[i]);
		archive_bool(a, &is_known);
		if (!is_known)
			continue;
		struct sync_place p = w->w->places[*place - 1];
		archive_u32(a, &p.address);
		archive_u16(a, &p.port);
	}
	w->toc.endpoints = part_from(w, at);
}

static void write_map(struct archive *a, const struct mer_map *map)
{
	uint32_t n = (uint32_t)map->n;
	archive_count(a, &n, 2);
	for (size_t i = 0; i < map->cap; i++) {
		struct mer_map_slot s = map->slots[i];
		if (!s.used)
			continue;
		archive_u64(a, &s.key);
		archive_u32(a, &s.value);
	}
}

static void write_whole(struct writer *w, uint32_t host)
{
	struct archive *a = &w->body;
	const struct kernel_keep *k = &w->k->hosts[host];
	const struct kernel_host *h = &w->w->hosts[host];
	size_t at = a->n;
	int64_t times[] = { k->begin, k->end, h->begin, h->end };
	uint64_t numbers[] = { h->n_events, h->n_odd, h->n_calls_left_out };
	uint32_t counts[] = { h->names.n, h->n_renames, h->n_calls, h->n_tasks };
	for (int i = 0; i < 4; i++)
		archive_i64(a, &times[i]);
	for (int i = 0; i < 3; i++)
		archive_u64(a, &numbers[i]);
	archive_data(a, k->losses.bytes, k->losses.n);
	for (int i = 0; i < 4; i++)
		archive_u32(a, &counts[i]);
	for (uint32_t i = 0; i < h->names.n; i++) {
		uint32_t len = h->names.texts[i].len;
		archive_u32(a, &len);
		archive_data(a, h->names.texts[i].text, len);
	}
	int64_t before = h->begin;
	for (uint32_t i = 0; i < h->n_renames; i++) {
		struct kernel_name r = h->renames[i];
		archive_time(a, &r.begin, before);
		archive_ref(a, ARCHIVE_NAME, &r.name);
		archive_ref(a, ARCHIVE_RENAME, &r.before);
		before = r.begin;
	}
	for (uint32_t i = 0; i < h->n_calls; i++) {
		struct kernel_call c = h->calls[i];
		archive_ref(a, ARCHIVE_NAME, &c.name);
		archive_ref(a, ARCHIVE_NAME, &c.object);
		archive_i32(a, &c.fd);
		archive_u8(a, &c.kind, KERNEL_N_OBJECT_KINDS);
		archive_u8(a, &c.end, 2);
	}
	for (uint32_t i = 0; i < h->n_tasks; i++) {
		struct kernel_task t = h->tasks[i];
		checkpoint_visit_task(a, &t, h->begin);
	}
	uint32_t n_late = k->n_late;
	archive_count(a, &n_late, 5);
	before = h->begin;
	for (uint32_t i = 0; i < n_late; i++) {
		struct kernel_late x = k->late[i];
		checkpoint_visit_late(a, &x, before);
		before = x.time;
	}
	write_map(a, &h->devices);
	write_map(a, &h->irq_names);
	write_map(a, &h->packages);
	write_map(a, &h->cpus);
	struct checkpoint_end none = { .kind = CHECKPOINT_NO_END };
	archive_data(a, k->ends.bytes, k->ends.n);
	checkpoint_visit_end(a, &none);
	a->failed |= k->ends.failed;
	w->toc.hosts[host] = part_from(w, at);
}

static void write_states(struct writer *w)
{
	uint32_t every = 1;
	for (uint32_t h = 0; h < w->k->n_hosts; h++)
		every = w->k->hosts[h].every > every ? w->k->hosts[h].every : every;
	for (uint32_t i = 0; i < w->k->n_states; i += every) {
		uint32_t n = w->toc.n_states++;
		w->toc.times[n] = w->k->times[i];
		for (uint32_t h = 0; h < w->k->n_hosts; h++) {
			const struct kept_state *s = &w->k->hosts[h].states[i];
			size_t at = w->body.n, k = (size_t)n * w->k->n_hosts + h;
			archive_data(&w->body, s->bytes, s->n);
			w->toc.states[k] = part_from(w, at);
			w->toc.first[k] = s->first;
		}
	}
}

static bool make_room(struct writer *w)
{
	size_t n_states = ((size_t)w->k->n_states + 1) * (w->k->n_hosts + 1);
	w->toc.n_hosts = w->k->n_hosts;
	w->toc.n_packets = w->w->n_bridges;
	w->toc.n_unsynchronized = w->w->n_unsynchronized;
	w->toc.n_inversions = w->w->n_inversions;
	w->toc.times = calloc((size_t)w->k->n_states + 1, sizeof(*w->toc.times));
	w->toc.hosts = calloc((size_t)w->k->n_hosts + 1, sizeof(*w->toc.hosts));
	w->toc.states = calloc(n_states, sizeof(*w->toc.states));
	w->toc.first = calloc(n_states, sizeof(uint32_t *));
	w->toc.blocks = calloc(w->w->n_bridges / CHECKPOINT_BLOCK + 1, sizeof(*w->toc.blocks));
	return w->toc.times && w->toc.hosts && w->toc.states && w->toc.first && w->toc.blocks;
}

static bool write_file(struct writer *w, const struct kernel_checkpoint_key *key, const char *path)
{
	write_packets(w);
	write_endpoints(w);
	for (uint32_t h = 0; h < w->k->n_hosts; h++)
		write_whole(w, h);
	write_states(w);
	size_t at = w->body.n;
	checkpoint_visit_toc(&w->body, &w->toc, w->k->e);
	if (w->body.failed || w->body.n > KERNEL_MAX_CHECKPOINT_BYTES)
		return false;
	struct checkpoint_header header = { .magic = CHECKPOINT_MAGIC,
		.version = CHECKPOINT_VERSION,
		.kind = w->k->kind,
		.key = { key->of[0], key->of[1] },
		.bytes = sizeof(header) + w->body.n,
		.hash = mer_hash(w->body.bytes, w->body.n),
		.toc = part_from(w, at).at,
		.toc_bytes = w->body.n - at };
	const struct mer_bytes parts[] = { { &header, sizeof(header) },
		{ w->body.bytes, w->body.n } };
	return mer_file_replace(path, parts, 2);
}

bool kernel_keeper_save(const struct kernel_keeper *k, const struct kernel_world *world,
	const struct kernel_checkpoint_key *key, const char *path)
{
	struct writer w = { .k = k, .w = world, .body = { .mode = ARCHIVE_WRITE } };
	bool ok = k->hosts && k->n_states;
	for (uint32_t i = 0; ok && i < k->n_hosts; i++)
		ok = k->hosts[i].is_done && !k->hosts[i].failed;
	ok = ok && make_room(&w) && write_file(&w, key, path);
	free(w.toc.first);
	w.toc.first = NULL; /* the keeper's */
	checkpoint_toc_fini(&w.toc);
	free(w.endpoints);
	mer_map_fini(&w.numbers);
	archive_fini(&w.body);
	return ok;
}
