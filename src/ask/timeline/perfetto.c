#include "ask/timeline/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "base/safe_text.h"
#include "base/str.h"

/* ---- Protobuf: fields of messages ---- */

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static void put_varint(struct mer_str *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		mer_str_putc(out, (char)(v | 0x80));
	mer_str_putc(out, (char)v);
}

static void put_number(struct mer_str *out, unsigned field, uint64_t v)
{
	put_varint(out, field << 3 | WIRE_VARINT);
	put_varint(out, v);
}

static void put_fixed(struct mer_str *out, unsigned field, uint64_t v)
{
	put_varint(out, field << 3 | WIRE_FIXED64);
	for (unsigned i = 0; i < 8; i++)
		mer_str_putc(out, (char)(v >> (8 * i)));
}

static void put_bytes(struct mer_str *out, unsigned field, const char *data, size_t len)
{
	put_varint(out, field << 3 | WIRE_BYTES);
	put_varint(out, len);
	if (len)
		mer_str_add(out, data, len);
}

/* Empties the message that it puts into the other one. */
static void put_message(struct mer_str *out, unsigned field, struct mer_str *message)
{
	bool failed = message->failed;
	put_bytes(out, field, message->data, message->len);
	mer_str_clear(message);
	out->failed |= failed;
}

/* Fields by their numbers in Perfetto's definitions. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TIMESTAMP_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60
};
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum { SNAPSHOT_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2, CLOCK_IS_INCREMENTAL = 3 };
enum { REALTIME = 1, BOOTTIME = 6, OWN_CLOCK = 64 };
enum { INTERNED_NAME = 2, NAME_ID = 1, NAME_TEXT = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum {
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_VALUE = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

/* ---- State ---- */

struct track {
	uint64_t key;	     /* of what it is of; lanes have the same */
	int64_t end;	     /* of its last slice */
	uint32_t uuid, next; /* next: lane of the same, plus 1 */
};

struct open { /* a slice, until it ends */
	int64_t end;
	uint32_t uuid;
};

/* Where a run has what; SIZE_MAX: it has not. */
struct columns {
	size_t end, duration, name, host, comm, tid, place, waker_comm, waker_tid;
};

struct perfetto {
	FILE *file;
	struct mer_arena arena;
	struct mer_str packet, event, part, text;
	struct mer_intern names; /* of all sequences; which ones a sequence knows: known */
	uint32_t *known;	 /* by name: the sequence that knows it */
	size_t n_known, cap_known;
	struct track *tracks;
	size_t n_tracks, cap_tracks;
	struct mer_map by_key; /* first lane, plus 1 */
	struct open *open;     /* a heap: the next end first */
	size_t n_open, cap_open;
	uint32_t uuids, sequence;
	int64_t now; /* of the sequence */
	uint64_t slices, instants, flows, bytes;
	bool failed; /* memory ran out */
	/* How many slices of the run are open: a counter of the host. 0: the kind has none. */
	uint32_t counter;
	int64_t changed; /* when: written once all that happened then is known */
	size_t shown;	 /* its value in the file */
	/* The run. */
	const char *kind;
	const char *host; /* as it was given: the same pointer while it goes on */
	struct columns at;
};

static void put_packet(struct perfetto *p)
{
	struct mer_str head = { 0 };
	put_number(&p->packet, PACKET_SEQUENCE, p->sequence);
	put_varint(&head, TRACE_PACKET << 3 | WIRE_BYTES);
	put_varint(&head, p->packet.len);
	if (head.data && p->packet.data) {
		fwrite(head.data, 1, head.len, p->file);
		fwrite(p->packet.data, 1, p->packet.len, p->file);
	}
	p->bytes += head.len + p->packet.len;
	p->failed |= head.failed || p->packet.failed;
	mer_str_clear(&p->packet);
	mer_str_fini(&head);
}

static void put_clock(struct perfetto *p, unsigned id, int64_t ns, bool is_incremental)
{
	put_number(&p->part, CLOCK_ID, id);
	put_number(&p->part, CLOCK_TIME, (uint64_t)ns);
	if (is_incremental)
		put_number(&p->part, CLOCK_IS_INCREMENTAL, 1);
	put_message(&p->event, SNAPSHOT_CLOCK, &p->part);
}

static void begin_sequence(struct perfetto *p, int64_t now)
{
	p->sequence++;
	p->now = now;
	put_clock(p, REALTIME, now, false);
	put_clock(p, BOOTTIME, now, false);
	put_clock(p, OWN_CLOCK, now, true);
	put_message(&p->packet, PACKET_CLOCK_SNAPSHOT, &p->event);
	put_number(&p->packet, PACKET_FLAGS, STATE_CLEARED);
	put_number(&p->event, PACKET_TIMESTAMP_CLOCK, OWN_CLOCK);
	put_message(&p->packet, PACKET_DEFAULTS, &p->event);
	put_packet(p);
}

/* ---- Names and tracks ---- */

static const char *safe(struct perfetto *p, const char *s)
{
	mer_str_clear(&p->text);
	mer_safe_add(&p->text, s, strlen(s));
	p->failed |= p->text.failed;
	return p->text.data ? p->text.data : "";
}

/* Its number from 1 on; 0: no memory. The packet that is being made makes it known to the
 * sequence. */
static uint64_t name_of(struct perfetto *p, const char *name)
{
	const char *text = safe(p, name);
	uint32_t id = mer_intern_add(&p->names, text, strlen(text));
	if (id == MER_INTERN_NONE)
		return 0;
	while (id >= p->n_known) {
		if (!mer_grow(&p->known, p->n_known, &p->cap_known, sizeof(*p->known)))
			return 0;
		p->known[p->n_known++] = 0;
	}
	if (p->known[id] != p->sequence) {
		struct mer_str names = { 0 };
		p->known[id] = p->sequence;
		put_number(&p->part, NAME_ID, (uint64_t)id + 1);
		put_bytes(&p->part, NAME_TEXT, text, strlen(text));
		put_message(&names, INTERNED_NAME, &p->part);
		put_message(&p->packet, PACKET_INTERNED, &names);
		mer_str_fini(&names);
	}
	return (uint64_t)id + 1;
}

static struct track *add_track(
	struct perfetto *p, uint64_t key, uint32_t parent, const char *name, bool is_counter)
{
	if (!mer_grow(&p->tracks, p->n_tracks, &p->cap_tracks, sizeof(*p->tracks)))
		return NULL;
	struct track *t = &p->tracks[p->n_tracks++];
	*t = (struct track){ .key = key, .end = INT64_MIN, .uuid = ++p->uuids };
	const char *text = safe(p, name);
	put_number(&p->event, TRACK_UUID, t->uuid);
	put_bytes(&p->event, TRACK_NAME, text, strlen(text));
	if (parent)
		put_number(&p->event, TRACK_PARENT, parent);
	if (is_counter)
		put_bytes(&p->event, TRACK_COUNTER, NULL, 0);
	put_message(&p->packet, PACKET_TRACK, &p->event);
	put_packet(p);
	return t;
}

static uint64_t key_of(uint64_t parent, const char *name)
{
	uint64_t h[2] = { parent, mer_hash(name, strlen(name)) };
	return mer_hash(h, sizeof(h));
}

/* A track of this name below another one. from: one that is free from then on. NULL: no memory. */
static struct track *find_track(struct perfetto *p, uint32_t parent, const char *name, int64_t from)
{
	uint64_t key = key_of(parent, name);
	uint32_t *first = mer_map_put(&p->by_key, key), last = 0;
	if (!first)
		return NULL;
	for (uint32_t i = *first; i; i = p->tracks[i - 1].next) {
		if (p->tracks[i - 1].end <= from)
			return &p->tracks[i - 1];
		last = i;
	}
	struct track *t = add_track(p, key, parent, name, false);
	if (!t)
		return NULL;
	uint32_t number = (uint32_t)(t - p->tracks) + 1;
	if (last)
		p->tracks[last - 1].next = number;
	else
		*first = number;
	return t;
}

/* What facts of a kind are called, as a track of a task. */
static const char *title_of(const char *kind)
{
	static const char *const titles[][2] = { { "cpu", "on CPU" }, { "sched", "runnable" },
		{ "syscall", "system calls" } };
	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
		if (strcmp(titles[i][0], kind) == 0)
			return titles[i][1];
	return kind;
}

/* "nginx/158" */
static uint32_t task_track(
	struct perfetto *p, const char *host, const char *comm, const struct mer_cell *tid)
{
	char text[300];
	struct track *t = find_track(p, 0, host, INT64_MAX);
	int len = snprintf(text, sizeof(text), "%.255s", comm);
	if (tid && tid->set)
		snprintf(text + len, sizeof(text) - (size_t)len, "/%" PRId64, tid->v.i);
	t = t ? find_track(p, t->uuid, text, INT64_MAX) : NULL;
	return t ? t->uuid : 0;
}

/* ---- Events ---- */

static void put_time(struct perfetto *p, int64_t time)
{
	if (time >= p->now) {
		put_number(&p->packet, PACKET_TIMESTAMP, (uint64_t)(time - p->now));
		p->now = time;
		return;
	}
	/* Never of facts in order: what goes back is given as it is. */
	put_number(&p->packet, PACKET_TIMESTAMP, (uint64_t)time);
	put_number(&p->packet, PACKET_TIMESTAMP_CLOCK, BOOTTIME);
}

struct flows { /* 0: none */
	uint64_t begin, end;
};

static void put_event(struct perfetto *p, unsigned type, uint32_t track, int64_t time,
	const char *name, struct flows flows)
{
	uint64_t id = name ? name_of(p, name) : 0;
	p->failed |= name && !id;
	put_time(p, time);
	put_number(&p->event, EVENT_TYPE, type);
	if (id)
		put_number(&p->event, EVENT_NAME, id);
	put_number(&p->event, EVENT_TRACK, track);
	if (flows.begin)
		put_fixed(&p->event, EVENT_FLOW, flows.begin);
	if (flows.end)
		put_fixed(&p->event, EVENT_FLOW_END, flows.end);
	put_message(&p->packet, PACKET_TRACK_EVENT, &p->event);
	put_number(&p->packet, PACKET_FLAGS, NEEDS_STATE);
	put_packet(p);
}

static bool push_open(struct perfetto *p, struct open o)
{
	if (!mer_grow(&p->open, p->n_open, &p->cap_open, sizeof(*p->open)))
		return false;
	size_t i = p->n_open++;
	for (; i && p->open[(i - 1) / 2].end > o.end; i = (i - 1) / 2)
		p->open[i] = p->open[(i - 1) / 2];
	p->open[i] = o;
	return true;
}

static struct open pop_open(struct perfetto *p)
{
	struct open first = p->open[0], last = p->open[--p->n_open];
	size_t i = 0;
	for (size_t k; (k = 2 * i + 1) < p->n_open; i = k) {
		k += k + 1 < p->n_open && p->open[k + 1].end < p->open[k].end;
		if (p->open[k].end >= last.end)
			break;
		p->open[i] = p->open[k];
	}
	p->open[i] = last;
	return first;
}

static void put_counter(struct perfetto *p)
{
	if (!p->counter || p->shown == p->n_open)
		return;
	put_time(p, p->changed);
	put_number(&p->event, EVENT_TYPE, COUNTER);
	put_number(&p->event, EVENT_TRACK, p->counter);
	put_number(&p->event, EVENT_VALUE, p->n_open);
	put_message(&p->packet, PACKET_TRACK_EVENT, &p->event);
	put_number(&p->packet, PACKET_FLAGS, NEEDS_STATE);
	put_packet(p);
	p->shown = p->n_open;
}

/* Something changes at this moment: what the counter was before it is known. */
static void move_counter(struct perfetto *p, int64_t time)
{
	if (time != p->changed)
		put_counter(p);
	p->changed = time;
}

/* Slices that have ended by then: one that begins then is not within them. */
static void end_slices(struct perfetto *p, int64_t until)
{
	while (p->n_open && p->open[0].end <= until) {
		move_counter(p, p->open[0].end);
		struct open o = pop_open(p);
		put_event(p, SLICE_END, o.uuid, o.end, NULL, (struct flows){ 0 });
	}
}

/* ---- Facts ---- */

static size_t first_of(const struct mer_table *t, const char *const *keys)
{
	for (; *keys; keys++)
		if (mer_table_column(t, *keys) != SIZE_MAX)
			return mer_table_column(t, *keys);
	return SIZE_MAX;
}

static void end_run(struct perfetto *p)
{
	end_slices(p, INT64_MAX);
	put_counter(p);
	p->counter = 0;
}

/* Tasks on CPUs, and those that wait for one: how many at each moment. */
static void begin_counter(struct perfetto *p)
{
	const char *name = strcmp(p->kind, "cpu") == 0	   ? "CPUs in use"
			   : strcmp(p->kind, "sched") == 0 ? "runnable tasks"
							   : NULL;
	struct track *host = name ? find_track(p, 0, p->host, INT64_MAX) : NULL;
	struct track *t = host ? add_track(p, 0, host->uuid, name, true) : NULL;
	p->failed |= name && !t;
	p->counter = t ? t->uuid : 0;
	p->shown = 0;
	p->changed = p->now;
}

static void begin_run(struct perfetto *p, const char *kind, const char *host,
	const struct mer_table *t, int64_t begin)
{
#define FIRST_OF(...) first_of(t, (const char *const[]){ __VA_ARGS__, NULL })
	end_run(p);
	p->kind = kind;
	p->host = host;
	bool is_request = strcmp(kind, "requests") == 0;
	bool is_wait = strcmp(kind, "waits") == 0;
	p->at = (struct columns){
		.end = FIRST_OF("end"),
		.duration = FIRST_OF("duration_ns", "latency_ns"),
		.name = is_request ? FIRST_OF("kind")
			: is_wait  ? FIRST_OF("cause")
				   : FIRST_OF("name", "call", "state"),
		.host = FIRST_OF("client_host", "host"),
		.comm = FIRST_OF("client", "comm"),
		.tid = FIRST_OF("tid"),
		.place = FIRST_OF("disk", "interface", "cpu"),
		.waker_comm = FIRST_OF("waker_comm"),
		.waker_tid = strcmp(kind, "sched") == 0 ? FIRST_OF("waker_tid") : SIZE_MAX,
	};
	begin_sequence(p, begin);
	begin_counter(p);
#undef FIRST_OF
}

static const char *text_at(const struct mer_cell *cells, size_t column)
{
	bool is = column != SIZE_MAX && cells[column].set;
	return is ? cells[column].v.text : NULL;
}

static const struct mer_cell *cell_at(const struct mer_cell *cells, size_t column)
{
	return column != SIZE_MAX && cells[column].set ? &cells[column] : NULL;
}

/* When it ends; false: not known. */
static bool find_end(const struct perfetto *p, const struct mer_cell *cells, int64_t *end)
{
	const struct mer_cell *at = cell_at(cells, p->at.end),
			      *took = cell_at(cells, p->at.duration);
	if (took)
		*end = cells[0].v.i + took->v.i;
	else if (at)
		*end = at->v.i;
	return (took || at) && *end >= cells[0].v.i;
}

/* Who woke it, at the moment when it became runnable. 0: not known. */
static uint64_t put_waker(struct perfetto *p, const char *host, const struct mer_cell *cells)
{
	const struct mer_cell *tid = cell_at(cells, p->at.waker_tid);
	const char *comm = text_at(cells, p->at.waker_comm);
	if (!tid || !comm)
		return 0;
	uint32_t task = task_track(p, host, comm, tid);
	struct track *t = task ? find_track(p, task, "wakes", INT64_MAX) : NULL;
	if (!t)
		return 0;
	p->flows++;
	put_event(p, INSTANT, t->uuid, cells[0].v.i, "wakes", (struct flows){ .begin = p->flows });
	return p->flows;
}

static uint32_t parent_track(struct perfetto *p, const char *host, const struct mer_cell *cells,
	const struct mer_table *t)
{
	char text[64] = "";
	const char *comm = text_at(cells, p->at.comm);
	const struct mer_cell *place = cell_at(cells, p->at.place);
	if (comm)
		return task_track(p, host, comm, cell_at(cells, p->at.tid));
	if (place && t->columns[p->at.place].type != MER_TEXT)
		snprintf(
			text, sizeof(text), "%s %" PRId64, t->columns[p->at.place].key, place->v.i);
	else if (place)
		snprintf(text, sizeof(text), "%.60s", place->v.text);
	return task_track(p, host, *text ? text : "?", NULL);
}

int perfetto_add(struct perfetto *p, const char *kind, const char *host, const struct mer_table *t,
	const struct mer_cell *cells, struct mer_err *err)
{
	int64_t begin = cells[0].v.i, end = 0;
	if (!cells[0].set)
		return 0;
	if (p->kind != kind || p->host != host)
		begin_run(p, kind, host, t, begin);
	const char *own_host = text_at(cells, p->at.host);
	const char *name = text_at(cells, p->at.name);
	own_host = own_host ? own_host : host;
	end_slices(p, begin);
	move_counter(p, begin);
	struct flows flows = { .end = put_waker(p, own_host, cells) };
	bool is_known = find_end(p, cells, &end);
	uint32_t task = parent_track(p, own_host, cells, t);
	struct track *track =
		task ? find_track(p, task, title_of(kind), is_known ? begin : INT64_MAX) : NULL;
	if (!track)
		return mer_fail_nomem(err);
	name = name && *name ? name : title_of(kind);
	put_event(p, is_known ? SLICE_BEGIN : INSTANT, track->uuid, begin, name, flows);
	if (is_known) {
		track->end = end;
		p->slices++;
		if (!push_open(p, (struct open){ end, track->uuid }))
			return mer_fail_nomem(err);
	} else {
		p->instants++;
	}
	return p->failed ? mer_fail_nomem(err) : 0;
}

int perfetto_end(struct perfetto *p, struct mer_err *err)
{
	end_run(p);
	return p->failed || p->arena.failed ? mer_fail_nomem(err) : 0;
}

void perfetto_counts(const struct perfetto *p, uint64_t *slices, uint64_t *instants,
	uint64_t *flows, uint64_t *bytes)
{
	*slices = p->slices;
	*instants = p->instants;
	*flows = p->flows;
	*bytes = p->bytes;
}

int perfetto_new(FILE *file, struct perfetto **out, struct mer_err *err)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	*out = p;
	if (!p)
		return mer_fail_nomem(err);
	p->file = file;
	mer_arena_init(&p->arena);
	mer_intern_init(&p->names, &p->arena);
	return 0;
}

void perfetto_free(struct perfetto *p)
{
	if (!p)
		return;
	mer_str_fini(&p->packet);
	mer_str_fini(&p->event);
	mer_str_fini(&p->part);
	mer_str_fini(&p->text);
	mer_intern_fini(&p->names);
	mer_map_fini(&p->by_key);
	mer_arena_fini(&p->arena);
	free(p->known);
	free(p->tracks);
	free(p->open);
	free(p);
}
