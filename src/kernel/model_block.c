/* Requests to block devices, and what is merged into them.
 *
 * A request is known by its device and where it begins, while it is open. A bio that is merged into
 * it lies right behind it or right before it, as does a request: it goes on as part of the other,
 * with its bytes, and is neither issued nor completed itself. Merges before a request is inserted
 * are only told: its insertion has all of its bytes.
 *
 * Requests without data lie nowhere: they begin at sector 0 and are complete at sector -1. A
 * completion is that of the oldest open one of the device and kind. A flush is one from its issue
 * on; the kernel has one at a time for each hardware queue (block/blk-flush.c), so one that a CPU
 * issues while one of its own is open is that one, issued again. The requests that wait for a flush
 * (an fsync without data, a write with PREFLUSH or FUA) complete once more without sectors when
 * their last step is done: nothing was then done for them that is not told of the flush or the
 * write itself. */
#include "kernel/model_state.h"

/* Open requests by where they begin, and, where merges are read, where they end. */
enum place { AT_BEGIN, AT_END };
enum { SWEEP_AGAIN = 4096 };

static bool is_open(const struct kernel_request *r)
{
	return r->complete == INT64_MIN && !(r->flags & KERNEL_MERGED);
}

/* Places where no open request is any more would be as many as the recording has requests. */
static void sweep(struct kernel_model *m)
{
	struct mer_map kept = { 0 };
	bool ok = true;
	for (size_t i = 0; i < m->open_requests.cap && ok; i++) {
		const struct mer_map_slot *s = &m->open_requests.slots[i];
		if (!s->used || !s->value || !is_open(&m->h->requests[s->value - 1]))
			continue;
		uint32_t *at = mer_map_put(&kept, s->key);
		if (at)
			*at = s->value;
		ok = at != NULL;
	}
	struct mer_map *rest = ok ? &m->open_requests : &kept;
	mer_map_fini(rest);
	if (ok)
		m->open_requests = kept;
	m->sweep_at = 2 * m->open_requests.n + SWEEP_AGAIN;
}

static uint32_t *place_of(struct kernel_model *m, enum place place, uint32_t dev, uint64_t sector)
{
	uint64_t key[3] = { dev, sector, place };
	if (m->open_requests.n >= m->sweep_at)
		sweep(m);
	return mer_map_put(&m->open_requests, mer_hash(key, sizeof(key)));
}

static uint64_t end_of(const struct kernel_request *r)
{
	return r->sector + r->bytes / KERNEL_SECTOR_BYTES;
}

static bool reads_merges(const struct kernel_model *m)
{
	const struct kernel_observer *o = m->in.observer;
	return o && o->wants & KERNEL_WANT_MERGES;
}

/* Its number, or KERNEL_NONE: no open one begins (ends) there. at: from place_of. */
static uint32_t open_at(const struct kernel_model *m, enum place place, const uint32_t *at,
	uint32_t dev, uint64_t sector)
{
	if (!*at)
		return KERNEL_NONE;
	const struct kernel_request *r = &m->h->requests[*at - 1];
	uint64_t is = place == AT_BEGIN ? r->sector : end_of(r);
	return is_open(r) && r->dev == dev && is == sector ? *at - 1 : KERNEL_NONE;
}

/* Where it is looked for from now on. False: no memory. */
static bool put_request(struct kernel_model *m, enum place place, uint32_t request)
{
	const struct kernel_request *r = &m->h->requests[request];
	uint32_t *at = place_of(m, place, r->dev, place == AT_BEGIN ? r->sector : end_of(r));
	if (at)
		*at = request + 1;
	return at != NULL;
}

static int new_request(struct kernel_model *m, uint32_t dev, uint64_t sector, uint32_t *request)
{
	struct kernel_request r = { .insert = INT64_MIN,
		.issue = INT64_MIN,
		.complete = INT64_MIN,
		.sector = sector,
		.dev = dev,
		.by = KERNEL_NONE,
		.task = KERNEL_NONE,
		.cpu = KERNEL_NO_CPU };
	*request = kernel_add_request(m->h, &r);
	return *request == KERNEL_NONE ? mer_fail_nomem(m->err) : 0;
}

static int find_request(struct kernel_model *m, const uint64_t *slots, uint32_t *request)
{
	uint32_t dev = (uint32_t)slots[BLOCK_DEV];
	uint64_t sector = slots[BLOCK_SECTOR];
	uint32_t *at = place_of(m, AT_BEGIN, dev, sector);
	if (!at)
		return mer_fail_nomem(m->err);
	*request = open_at(m, AT_BEGIN, at, dev, sector);
	if (*request != KERNEL_NONE)
		return 0;
	int rc = new_request(m, dev, sector, request);
	if (rc == 0)
		*at = *request + 1;
	return rc;
}

static uint8_t flags_of(uint64_t rwbs)
{
	enum {
		WRITE = 1,
		DISCARD = 2,
		READ = 4,
		SYNC = 32,
		META = 64,
		FLUSH = 256,
		FUA = 512,
		PREFLUSH = 1024
	};
	uint8_t flags = 0;
	flags |= rwbs & WRITE ? KERNEL_WRITE : 0;
	flags |= rwbs & DISCARD ? KERNEL_DISCARD : 0;
	flags |= rwbs & READ ? KERNEL_READ : 0;
	flags |= rwbs & (FLUSH | FUA | PREFLUSH) ? KERNEL_FLUSH : 0;
	flags |= rwbs & SYNC ? KERNEL_SYNC : 0;
	flags |= rwbs & META ? KERNEL_META : 0;
	return flags;
}

/* The same as text: which operation, then how. */
static uint8_t flags_of_text(const char *text, size_t len)
{
	uint8_t flags = 0;
	for (size_t i = 0; i < len; i++)
		switch (text[i]) {
		case 'W': flags |= KERNEL_WRITE; break;
		case 'D': flags |= KERNEL_DISCARD; break;
		case 'R': flags |= KERNEL_READ; break;
		case 'F': flags |= KERNEL_FLUSH; break;
		case 'S': flags |= KERNEL_SYNC; break;
		case 'M': flags |= KERNEL_META; break;
		default: break;
		}
	return flags;
}

/* 0: more than a request has. */
static uint32_t bytes_of(const uint64_t *slots)
{
	uint64_t sectors = slots[BLOCK_SECTORS];
	return sectors > UINT32_MAX / KERNEL_SECTOR_BYTES
		       ? 0
		       : (uint32_t)(sectors * KERNEL_SECTOR_BYTES);
}

static uint8_t told_flags(const uint64_t *slots)
{
	size_t len;
	const char *text = model_text(&slots[BLOCK_RWBS_TEXT], &len);
	return flags_of(slots[BLOCK_RWBS]) | flags_of_text(text, len);
}

/* ---- requests without data ---- */

enum { NOWHERE = -1 }; /* the sector of their completions */

enum side { OF_DATA, OF_COMMAND, OF_WAITER };

/* The operation itself, not a write that is to be flushed before (PREFLUSH) or forced through
 * (FUA). As text both of the first two begin with F; but such a write has sectors, or lost the F
 * when it was taken apart. */
static bool is_flush(const uint64_t *slots)
{
	enum { FLUSH = 256 };
	size_t len;
	const char *text = model_text(&slots[BLOCK_RWBS_TEXT], &len);
	return !slots[BLOCK_SECTORS] && (slots[BLOCK_RWBS] & FLUSH || (len && text[0] == 'F'));
}

/* What an event is about: a request that lies somewhere, a command without data, or a request that
 * has waited for a flush. */
static enum side side_of(enum kernel_event event, const uint64_t *slots, uint8_t flags)
{
	if (slots[BLOCK_SECTORS])
		return slots[BLOCK_SECTOR] == (uint64_t)NOWHERE ? OF_COMMAND : OF_DATA;
	if (is_flush(slots))
		return event == KERNEL_EV_BLOCK_INSERT ? OF_WAITER : OF_COMMAND;
	return flags & (KERNEL_READ | KERNEL_WRITE | KERNEL_DISCARD) ? OF_WAITER : OF_COMMAND;
}

static uint32_t forget_command(struct kernel_model *m, uint32_t i)
{
	uint32_t request = m->commands[i].request;
	m->n_commands--;
	memmove(m->commands + i, m->commands + i + 1, (m->n_commands - i) * sizeof(*m->commands));
	return request;
}

/* The open command that is issued again (inserted before), or a new one. */
static int begin_command(
	struct kernel_model *m, uint32_t dev, bool flushes, uint16_t cpu, uint32_t *request)
{
	for (uint32_t i = 0; i < m->n_commands; i++) {
		const struct model_command *x = &m->commands[i];
		const struct kernel_request *r = &m->h->requests[x->request];
		if (x->is_flush == flushes && r->dev == dev &&
			(flushes ? x->cpu == cpu : r->issue == INT64_MIN)) {
			*request = x->request;
			return 0;
		}
	}
	int rc = new_request(m, dev, 0, request);
	if (rc)
		return rc;
	if (m->n_commands == MODEL_COMMANDS) /* it will not complete any more */
		forget_command(m, 0);
	m->commands[m->n_commands++] = (struct model_command){ *request, cpu, flushes };
	return 0;
}

static int end_command(struct kernel_model *m, uint32_t dev, bool flushes, uint32_t *request)
{
	for (uint32_t i = 0; i < m->n_commands; i++)
		if (m->commands[i].is_flush == flushes &&
			m->h->requests[m->commands[i].request].dev == dev) {
			*request = forget_command(m, i);
			return 0;
		}
	return new_request(m, dev, 0, request);
}

int model_block(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	const uint64_t *slots = ev->slots;
	int64_t ts = ev->ts;
	enum kernel_event event = (enum kernel_event)b->event;
	uint32_t number = KERNEL_NONE, bytes = bytes_of(slots), dev = (uint32_t)slots[BLOCK_DEV];
	uint8_t flags = told_flags(slots);
	int rc;
	switch (side_of(event, slots, flags)) {
	case OF_WAITER: return 0;
	case OF_DATA: rc = find_request(m, slots, &number); break;
	default:
		rc = event == KERNEL_EV_BLOCK_COMPLETE
			     ? end_command(m, dev, is_flush(slots), &number)
			     : begin_command(
				       m, dev, is_flush(slots), model_cpu_number(m, c), &number);
	}
	if (rc)
		return rc;
	struct kernel_request *r = &m->h->requests[number];
	if (event != KERNEL_EV_BLOCK_COMPLETE || r->insert == INT64_MIN) {
		bool is_first_issue = event == KERNEL_EV_BLOCK_ISSUE && r->issue == INT64_MIN;
		r->flags |= flags;
		/* Until then it may grow by merges; issued again, it is what is left. */
		if (bytes > r->bytes || (is_first_issue && bytes))
			r->bytes = bytes;
	}
	if (event != KERNEL_EV_BLOCK_COMPLETE) {
		if (event == KERNEL_EV_BLOCK_INSERT)
			r->insert = ts;
		else
			r->issue = ts;
		if (!model_context(c) && r->by == KERNEL_NONE) {
			r->by = model_span_on(m, c);
			r->task = c->task < ON_CPU_IDLE ? c->task : KERNEL_NONE;
			r->cpu = r->task == KERNEL_NONE ? KERNEL_NO_CPU : model_cpu_number(m, c);
		}
		bool is_told = !reads_merges(m) || put_request(m, AT_END, number);
		return is_told ? 0 : mer_fail_nomem(m->err);
	}
	const struct kernel_observer *o = m->in.observer;
	struct context *x = model_context(c);
	r->complete = ts;
	uint64_t error = slots[BLOCK_ERROR] | slots[BLOCK_ERRORS];
	r->error = (int16_t)error;
	if (x)
		x->request = number;
	else
		c->request = number;
	if (m->h->guest && !m->h->forgets && model_note_relay(m, c, number, ts))
		return MER_ERR_NOMEM;
	return o && o->request ? o->request(o->ctx, m->h, number) : 0;
}

/* ---- merges ---- */

/* The open request that begins or ends there; KERNEL_NONE too where memory is out (*ok). */
static uint32_t find_open(
	struct kernel_model *m, enum place place, uint32_t dev, uint64_t sector, bool *ok)
{
	const uint32_t *at = place_of(m, place, dev, sector);
	*ok = *ok && at;
	return at ? open_at(m, place, at, dev, sector) : KERNEL_NONE;
}

/* `into` has bytes more, and begins there. Those it has already, if it was issued, were told
 * then. */
static bool absorb(struct kernel_model *m, uint32_t into, uint64_t begin, uint32_t bytes)
{
	struct kernel_request *r = &m->h->requests[into];
	if (r->issue != INT64_MIN || bytes > UINT32_MAX - r->bytes)
		return true;
	r->sector = begin;
	r->bytes += bytes;
	return put_request(m, AT_BEGIN, into) && put_request(m, AT_END, into);
}

/* A request: what it became part of ends where it begins, or is told. */
static bool merge_request(struct kernel_model *m, const uint64_t *slots, struct kernel_merge *told)
{
	uint64_t sector = slots[BLOCK_SECTOR];
	bool ok = true;
	uint32_t merged = find_open(m, AT_BEGIN, told->dev, sector, &ok);
	if (merged != KERNEL_NONE) {
		struct kernel_request *r = &m->h->requests[merged];
		r->flags |= KERNEL_MERGED;
		told->task = r->task;
		told->cpu = r->cpu;
		told->bytes = r->bytes;
	}
	uint32_t into = find_open(m, AT_END, told->dev, sector, &ok);
	if (into == KERNEL_NONE && slots[BLOCK_INTO])
		into = find_open(m, AT_BEGIN, told->dev, slots[BLOCK_INTO], &ok);
	if (ok && into != KERNEL_NONE)
		ok = absorb(m, into, m->h->requests[into].sector, told->bytes);
	return ok;
}

int model_merge(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	const uint64_t *slots = ev->slots;
	int64_t ts = ev->ts;
	enum kernel_event event = (enum kernel_event)b->event;
	const struct kernel_observer *o = m->in.observer;
	uint32_t task = model_context(c) || c->task >= ON_CPU_IDLE ? KERNEL_NONE : c->task;
	struct kernel_merge told = { .time = ts,
		.task = task,
		.cpu = task == KERNEL_NONE ? KERNEL_NO_CPU : model_cpu_number(m, c),
		.dev = (uint32_t)slots[BLOCK_DEV],
		.bytes = bytes_of(slots),
		.is_request = event == KERNEL_EV_BLOCK_RQ_MERGE };
	uint64_t sector = slots[BLOCK_SECTOR];
	bool ok = true, is_front = event == KERNEL_EV_BLOCK_FRONTMERGE;
	if (told.is_request) {
		ok = merge_request(m, slots, &told);
	} else {
		uint32_t into = is_front ? find_open(m, AT_BEGIN, told.dev,
						   sector + told.bytes / KERNEL_SECTOR_BYTES, &ok)
					 : find_open(m, AT_END, told.dev, sector, &ok);
		if (into != KERNEL_NONE)
			ok = absorb(m, into, is_front ? sector : m->h->requests[into].sector,
				told.bytes);
	}
	if (!ok)
		return mer_fail_nomem(m->err);
	return o && o->merge ? o->merge(o->ctx, m->h, &told) : 0;
}
