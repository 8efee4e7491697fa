/* The parts of the file that both sides share. */
#include <stdlib.h>

#include "kernel/checkpoint/keep.h"

void checkpoint_streams(const struct mer_experiment *e, uint32_t host, uint32_t *first, uint32_t *n)
{
	uint32_t i = 0, end;
	while (i < e->n_streams && e->traces[e->streams[i].trace].host != host)
		i++;
	for (end = i; end < e->n_streams && e->traces[e->streams[end].trace].host == host;)
		end++;
	*first = i;
	*n = end - i;
}

/* Both streams (none: 0), and what is said in a few bits, as one number: it is small. */
enum { SHAPE_BITS = SYNC_N_KINDS << 3 };

static uint64_t shape_of(const struct kernel_bridge *p, uint32_t n_streams)
{
	uint64_t streams = (uint64_t)(uint32_t)(p->from.stream + 1) * (n_streams + UINT64_C(1)) +
			   (uint32_t)(p->to.stream + 1);
	return streams * SHAPE_BITS + (((uint64_t)p->kind << 2 | p->content) << 1 | p->was_held);
}

static void write_packet(struct archive *a, const struct checkpoint_packet *x, uint32_t number,
	int64_t before, const struct mer_experiment *e)
{
	const struct kernel_bridge *p = &x->p;
	uint64_t v[ARCHIVE_AT_ONCE];
	size_t n = 0;
	int64_t answers = p->answers == KERNEL_NONE ? 0 : (int64_t)number - p->answers;
	v[n++] = archive_time_code(a, p->from.time, before);
	v[n++] = archive_time_code(a, p->to.time, p->from.time);
	v[n++] = shape_of(p, e->n_streams);
	if (p->from.stream == SYNC_NO_STREAM)
		v[n++] = p->from.host;
	if (p->to.stream == SYNC_NO_STREAM)
		v[n++] = p->to.host;
	v[n++] = x->source;
	v[n++] = x->destination;
	v[n++] = (uint32_t)(x->sender_task + 1);
	if (p->was_held)
		v[n++] = archive_time_code(a, x->asked, p->from.time);
	v[n++] = (uint64_t)answers << 1 ^ (uint64_t)(answers >> 63);
	archive_put_all(a, v, n);
}

/* The stream says which host it is of; where it is not known, that follows. */
static void read_end(struct archive *a, uint64_t stream, struct kernel_bridge_end *end,
	const struct mer_experiment *e)
{
	end->stream = (uint32_t)stream - 1;
	a->failed |= stream > e->n_streams;
	if (stream == 0)
		archive_u32(a, &end->host);
	else if (!a->failed)
		end->host = e->traces[e->streams[end->stream].trace].host;
}

void checkpoint_visit_packet(struct archive *a, struct checkpoint_packet *x, uint32_t number,
	int64_t before, const struct mer_experiment *e)
{
	struct kernel_bridge *p = &x->p;
	if (a->mode == ARCHIVE_WRITE) {
		write_packet(a, x, number, before, e);
		return;
	}
	archive_time(a, &p->from.time, before);
	archive_time(a, &p->to.time, p->from.time);
	uint64_t shape = archive_get(a), streams = shape / SHAPE_BITS;
	read_end(a, streams / (e->n_streams + UINT64_C(1)), &p->from, e);
	read_end(a, streams % (e->n_streams + UINT64_C(1)), &p->to, e);
	p->was_held = shape & 1;
	p->content = shape >> 1 & 3;
	p->kind = (uint8_t)(shape % SHAPE_BITS >> 3);
	archive_u32(a, &x->source);
	archive_u32(a, &x->destination);
	uint32_t task = 0;
	archive_u32(a, &task);
	x->sender_task = task - 1;
	x->asked = p->from.time;
	if (p->was_held)
		archive_time(a, &x->asked, p->from.time);
	int64_t answers = 0;
	archive_i64(a, &answers);
	int64_t packet = (int64_t)number - answers;
	p->answers =
		answers && packet >= 0 && packet < KERNEL_NONE ? (uint32_t)packet : KERNEL_NONE;
}

void checkpoint_visit_end(struct archive *a, struct checkpoint_end *x)
{
	archive_u8(a, &x->kind, CHECKPOINT_OPEN_CALL + 1);
	if (x->kind == CHECKPOINT_NO_END)
		return;
	archive_i64(a, &x->end);
	archive_time(a, &x->begin, x->end);
	archive_time(a, &x->told, x->end);
	archive_ref(a, ARCHIVE_TASK, &x->task);
	archive_ref(a, ARCHIVE_CALL, &x->call);
	archive_u16(a, &x->cpu);
	archive_u8(a, &x->state, KERNEL_N_STATES);
	if (x->kind == CHECKPOINT_SPAN) {
		archive_u8(a, &x->cause, KERNEL_N_CAUSES);
		archive_ref(a, ARCHIVE_TASK, &x->by);
		return;
	}
	archive_u16(a, &x->call_kind);
	a->failed |= x->call_kind >= KERNEL_N_CALL_KINDS;
	archive_i64(a, &x->ret);
	for (unsigned i = 0; i < KERNEL_CALL_ARGS; i++)
		archive_u64(a, &x->args[i]);
}

void checkpoint_visit_late(struct archive *a, struct kernel_late *x, int64_t before)
{
	archive_time(a, &x->time, before);
	archive_time(a, &x->since, x->time);
	archive_ref(a, ARCHIVE_TASK, &x->task);
	archive_ref(a, ARCHIVE_CALL, &x->call);
	archive_u8(a, &x->kind, KERNEL_LATE_DOUBT + 1);
}

void checkpoint_visit_losses(struct archive *a, struct kernel_losses *l)
{
	archive_i64(a, &l->begin);
	archive_i64(a, &l->end);
	archive_count(a, &l->n, 4);
	archive_count(a, &l->n_cpus, 1);
	if (a->mode == ARCHIVE_READ) {
		l->by_begin = calloc((size_t)l->n + 1, sizeof(*l->by_begin));
		l->first_tid = calloc((size_t)l->n_cpus + 1, sizeof(*l->first_tid));
		a->failed |= !l->by_begin || !l->first_tid || l->n_cpus > KERNEL_MAX_CPUS;
	}
	int64_t before = l->begin;
	for (uint32_t i = 0; i < l->n && !a->failed; i++) {
		struct kernel_loss *x = &l->by_begin[i];
		archive_time(a, &x->begin, before);
		archive_time(a, &x->end, x->begin);
		archive_u16(a, &x->cpu);
		archive_i32(a, &x->next_tid);
		a->failed |= x->cpu >= KERNEL_MAX_CPUS || x->begin < before || x->end < x->begin;
		before = x->begin;
	}
	for (uint32_t i = 0; i < l->n_cpus && !a->failed; i++)
		archive_i32(a, &l->first_tid[i]);
}

static void visit_part(struct archive *a, struct checkpoint_part *p)
{
	archive_u64(a, &p->at);
	archive_u64(a, &p->bytes);
}

/* The room for what is read. */
static bool begin_toc(struct checkpoint_toc *t, const struct mer_experiment *e)
{
	size_t n_states = (size_t)t->n_states * t->n_hosts;
	if (t->n_hosts != e->n_hosts || t->n_states > KERNEL_CHECKPOINTS)
		return false;
	t->times = calloc((size_t)t->n_states + 1, sizeof(*t->times));
	t->hosts = calloc((size_t)t->n_hosts + 1, sizeof(*t->hosts));
	t->states = calloc(n_states + 1, sizeof(*t->states));
	t->first = calloc(n_states + 1, sizeof(uint32_t *));
	t->blocks = calloc((size_t)t->n_blocks + 1, sizeof(*t->blocks));
	return t->times && t->hosts && t->states && t->first && t->blocks;
}

static void visit_state(struct archive *a, struct checkpoint_toc *t, size_t i, uint32_t n,
	const struct mer_experiment *e, uint32_t stream)
{
	visit_part(a, &t->states[i]);
	if (!t->states[i].bytes)
		return;
	if (a->mode == ARCHIVE_READ) {
		t->first[i] = calloc((size_t)n + 1, sizeof(**t->first));
		a->failed |= !t->first[i];
	}
	for (uint32_t k = 0; k < n && !a->failed; k++) {
		archive_u32(a, &t->first[i][k]);
		a->failed |= t->first[i][k] > e->data[stream + k].n_packets;
	}
}

void checkpoint_visit_toc(
	struct archive *a, struct checkpoint_toc *t, const struct mer_experiment *e)
{
	archive_u32(a, &t->n_hosts);
	archive_u32(a, &t->n_states);
	archive_u32(a, &t->n_packets);
	archive_count(a, &t->n_blocks, 4);
	archive_u32(a, &t->n_endpoints);
	archive_u64(a, &t->n_unsynchronized);
	archive_u64(a, &t->n_inversions);
	if (a->mode == ARCHIVE_READ) {
		bool fits =
			t->n_packets <= (uint64_t)t->n_blocks * CHECKPOINT_BLOCK &&
			(!t->n_blocks || t->n_packets > (t->n_blocks - 1ull) * CHECKPOINT_BLOCK);
		if (a->failed || !fits || !begin_toc(t, e)) {
			a->failed = true;
			return;
		}
	}
	for (uint32_t i = 0; i < t->n_states; i++) {
		archive_i64(a, &t->times[i]);
		a->failed |= i && t->times[i] <= t->times[i - 1];
	}
	for (uint32_t h = 0; h < t->n_hosts && !a->failed; h++) {
		uint32_t stream, n;
		checkpoint_streams(e, h, &stream, &n);
		visit_part(a, &t->hosts[h]);
		for (uint32_t i = 0; i < t->n_states && !a->failed; i++)
			visit_state(a, t, (size_t)i * t->n_hosts + h, n, e, stream);
	}
	for (uint32_t i = 0; i < t->n_blocks; i++) {
		visit_part(a, &t->blocks[i].part);
		archive_i64(a, &t->blocks[i].sent);
		archive_i64(a, &t->blocks[i].received);
	}
	visit_part(a, &t->endpoints);
}

void checkpoint_toc_fini(struct checkpoint_toc *t)
{
	for (size_t i = 0; t->first && i < (size_t)t->n_states * t->n_hosts; i++)
		free(t->first[i]);
	free(t->first);
	free(t->times);
	free(t->hosts);
	free(t->states);
	free(t->blocks);
	*t = (struct checkpoint_toc){ 0 };
}
