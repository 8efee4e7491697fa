/* Ends: bound once for each class of events, then a few loads for each event. See ends.h. */
#include "sync/match/ends.h"

#include <stdlib.h>
#include <string.h>

#include "sync/match/headers.h"
#include "sync/part/layout.h"

enum source { NOTHING, PACKET, SOCKET, HYPERCALL, ENTRY, PART_END, PART_WITHOUT };

static const struct {
	const char *name;
	uint8_t source;
	bool is_send;
} events[] = {
	{ "net_dev_queue", PACKET, true },
	{ "net_if_receive_skb", PACKET, false },
	{ "netif_receive_skb", PACKET, false },
	{ "net:net_dev_queue", PACKET, true },
	{ "net:netif_receive_skb", PACKET, false },
	{ "inet_sock_local_out", SOCKET, true },
	{ "inet_sock_local_in", SOCKET, false },
	{ "vmsync_gh_guest", HYPERCALL, true },
	{ "vmsync_gh_host", HYPERCALL, false },
	{ "vmsync_hg_host", HYPERCALL, true },
	{ "vmsync_hg_guest", HYPERCALL, false },
	{ "kvm_x86_entry", ENTRY, false },
	{ "kvm_entry", ENTRY, false },
	{ "kvm:kvm_entry", ENTRY, false },
	{ SYNC_PART_END, PART_END, false }, /* its payload says whether it was sent */
	{ SYNC_PART_WITHOUT, PART_WITHOUT, false },
};
enum { N_EVENTS = sizeof(events) / sizeof(events[0]) };

struct user_end { /* an event that is an end of a pair that the user declared */
	uint32_t pair, n_fields;
	bool is_send;
	struct trace_place *places;
};

struct class_ends { /* what events of a class are ends of */
	uint8_t source;
	bool is_send;
	uint32_t n_forms, n_user;
	const struct sync_form *forms;
	const struct user_end *user;
	uint32_t count_slot, machine_slot; /* of hypercalls */
	/* Of events of a part; by field, or by enum sync_part_missing. Is any of them missing? */
	uint32_t slots[SYNC_PART_N_FIELDS];
	bool lacks_slots;
};

struct sync_ends {
	const struct mer_experiment *e;
	const struct sync_user_pairs *user;
	struct mer_arena arena;
	struct trace_reading *reading;
	struct class_ends *classes; /* by ctf_plan.id */
	uint32_t max;
};

/* N_EVENTS: none of them. */
static int event_of(const struct ctf_event_class *ec)
{
	int i = 0;
	while (i < N_EVENTS && strcmp(events[i].name, ec->name) != 0)
		i++;
	return i;
}

static enum sync_header top_of(enum source source)
{
	return source == SOCKET ? SYNC_TCP_HEADER : SYNC_NO_HEADER;
}

static bool has_fields(const struct sync_user_pair *pair, bool is_send,
	const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	if (strcmp(pair->event[is_send], ec->name) != 0)
		return false;
	struct trace_place place;
	for (uint32_t i = 0; i < pair->n_fields; i++)
		if (trace_path_find(&pair->fields[is_send][i], sc, ec, NULL, false, NULL, &place) !=
				TRACE_FOUND ||
			place.scope == CTF_SCOPE_PACKET_CONTEXT ||
			place.scope == CTF_SCOPE_EVENT_HEADER)
			return false;
	return true;
}

static int32_t want_event(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	const struct sync_ends *t = arg;
	if (event_of(ec) < N_EVENTS)
		return 1;
	for (uint32_t i = 0; t->user && i < t->user->n; i++)
		for (int send = 0; send < 2; send++)
			if (has_fields(&t->user->pairs[i], send, sc, ec))
				return 1;
	return CTF_UNWANTED;
}

static int32_t want_field(void *arg, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *f)
{
	const struct sync_ends *t = arg;
	int i = event_of(ec);
	enum source source = i < N_EVENTS ? events[i].source : NOTHING;
	if (scope == CTF_SCOPE_PAYLOAD) {
		if ((source == PACKET || source == SOCKET) && sync_header_wants(f, top_of(source)))
			return CTF_ANYWHERE;
		if ((source == HYPERCALL || source == PART_END || source == PART_WITHOUT) &&
			f->fc->kind == CTF_INT)
			return CTF_ANYWHERE;
	}
	for (uint32_t p = 0; t->user && p < t->user->n; p++) {
		const struct sync_user_pair *pair = &t->user->pairs[p];
		for (int send = 0; send < 2; send++)
			if (has_fields(pair, send, sc, ec))
				for (uint32_t k = 0; k < pair->n_fields; k++)
					if (trace_path_reads(
						    &pair->fields[send][k], sc, ec, scope, f))
						return CTF_ANYWHERE;
	}
	return CTF_UNWANTED;
}

/* Only the fields that the header forms use; all fields if the user declared pairs, because their
 * keys may be other ones. */
static enum ctf_inner want_inner(
	void *arg, const struct ctf_event_class *ec, const struct ctf_field *f, int *where)
{
	const struct sync_ends *t = arg;
	int i = event_of(ec);
	enum source source = i < N_EVENTS ? events[i].source : NOTHING;
	if ((source != PACKET && source != SOCKET) || t->user)
		return CTF_INNER_WANTED;
	enum sync_header around = *where ? (enum sync_header) * where : top_of(source), inside;
	enum ctf_inner wanted = sync_header_inner(f, around, &inside);
	*where = (int)inside;
	return wanted;
}

static uint32_t slot_of(const struct ctf_plan *plan, const char *name)
{
	const struct ctf_fc *payload = plan->class->payload;
	for (uint32_t i = 0; payload && i < payload->u.record.n; i++) {
		const struct ctf_field *f = &payload->u.record.fields[i];
		if (f->fc->kind == CTF_INT && strcmp(f->name, name) == 0)
			return plan->slots[CTF_SCOPE_PAYLOAD][i];
	}
	return CTF_NO_SLOT;
}

static int bind_user(
	struct sync_ends *t, const struct ctf_plan *plan, struct class_ends *c, struct mer_err *err)
{
	const struct ctf_stream_class *sc = plan->stream->class;
	uint32_t max = t->user ? t->user->n * 2 : 0;
	struct user_end *ends = mer_arena_zalloc(&t->arena, max + 1u, sizeof(*ends));
	if (!ends)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < max; i++) {
		const struct sync_user_pair *pair = &t->user->pairs[i / 2];
		bool send = i % 2;
		if (!has_fields(pair, send, sc, plan->class))
			continue;
		struct user_end *u = &ends[c->n_user++];
		*u = (struct user_end){
			.pair = i / 2, .n_fields = pair->n_fields, .is_send = send
		};
		u->places = mer_arena_zalloc(&t->arena, u->n_fields, sizeof(*u->places));
		if (!u->places)
			return mer_fail_nomem(err);
		for (uint32_t k = 0; k < u->n_fields; k++) {
			enum trace_found f = trace_path_find(&pair->fields[send][k], sc,
				plan->class, plan, false, &t->arena, &u->places[k]);
			if (f != TRACE_FOUND)
				return f == TRACE_FIND_NOMEM
					       ? mer_fail_nomem(err)
					       : mer_fail(err, MER_ERR_BUG,
							 "a field of the key of pair %s is not read",
							 pair->name);
		}
	}
	c->user = ends;
	return 0;
}

static void bind_part(
	struct class_ends *c, const struct ctf_plan *plan, const char *const *names, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		c->slots[i] = slot_of(plan, names[i]);
		c->lacks_slots |= c->slots[i] == CTF_NO_SLOT;
	}
}

static int bind_class(struct sync_ends *t, const struct ctf_plan *plan, struct mer_err *err)
{
	struct class_ends *c = &t->classes[plan->id];
	int i = event_of(plan->class);
	if (i < N_EVENTS) {
		c->source = events[i].source;
		c->is_send = events[i].is_send;
	}
	if (c->source == PACKET || c->source == SOCKET) {
		struct sync_forms found;
		sync_forms_find(&found, plan, top_of(c->source), !t->user);
		c->n_forms = found.n;
		struct sync_form *forms = mer_arena_zalloc(&t->arena, found.n + 1u, sizeof(*forms));
		if (!forms)
			return mer_fail_nomem(err);
		memcpy(forms, found.form, found.n * sizeof(*forms));
		c->forms = forms;
	} else if (c->source == HYPERCALL) {
		c->count_slot = slot_of(plan, "cnt");
		c->machine_slot = slot_of(plan, "vm_uid");
	}
	if (c->source == PART_END)
		bind_part(c, plan, sync_part_fields, SYNC_PART_N_FIELDS);
	if (c->source == PART_WITHOUT)
		bind_part(c, plan, sync_part_missing, SYNC_PART_N_MISSING);
	int rc = t->user ? bind_user(t, plan, c, err) : 0;
	uint32_t max = c->n_user + (c->source != NOTHING);
	if (max > t->max)
		t->max = max;
	return rc;
}

int sync_ends_new(const struct mer_experiment *e, const struct sync_user_pairs *user,
	struct sync_ends **ends, struct mer_err *err)
{
	struct sync_ends *t = calloc(1, sizeof(*t));
	if (!t)
		return mer_fail_nomem(err);
	mer_arena_init(&t->arena);
	t->e = e;
	t->user = user;
	t->max = 1;
	struct ctf_wants wants = {
		.arg = t, .event = want_event, .field = want_field, .inner = want_inner
	};
	int rc = trace_reading_new(e, &wants, false, &t->reading, err);
	if (rc == 0) {
		t->classes =
			mer_arena_zalloc(&t->arena, t->reading->n_plans + 1u, sizeof(*t->classes));
		rc = t->classes ? 0 : mer_fail_nomem(err);
	}
	for (uint32_t i = 0; i < e->n_parts && rc == 0; i++) {
		const struct ctf_program *p = t->reading->programs[i];
		for (uint32_t k = 0; k < p->schema->n_streams && rc == 0; k++)
			for (uint32_t c = 0; c < p->schema->streams[k].n_events && rc == 0; c++)
				if (p->streams[k].events[c].wanted)
					rc = bind_class(t, &p->streams[k].events[c], err);
	}
	if (rc) {
		sync_ends_free(t);
		return rc;
	}
	*ends = t;
	return 0;
}

void sync_ends_free(struct sync_ends *t)
{
	if (!t)
		return;
	trace_reading_free(t->reading);
	mer_arena_fini(&t->arena);
	free(t);
}

const struct trace_reading *sync_ends_reading(const struct sync_ends *t)
{
	return t->reading;
}

uint32_t sync_ends_max(const struct sync_ends *t)
{
	return t->max;
}

static bool can_be_end(const struct class_ends *c)
{
	return c->n_forms > 0 || (c->source == HYPERCALL && c->count_slot != CTF_NO_SLOT &&
					 c->machine_slot != CTF_NO_SLOT);
}

void sync_ends_of_part(const struct sync_ends *t, uint32_t part, struct sync_ends_classes *has)
{
	const struct ctf_program *p = t->reading->programs[part];
	for (uint32_t k = 0; k < p->schema->n_streams; k++)
		for (uint32_t i = 0; i < p->schema->streams[k].n_events; i++) {
			const struct ctf_plan *plan = &p->streams[k].events[i];
			const struct class_ends *c = &t->classes[plan->id];
			if (!plan->wanted)
				continue;
			has->any = true;
			has->entries |= c->source == ENTRY;
			if (can_be_end(c))
				has->way[c->is_send] = true;
			if (c->source == PART_END && !c->lacks_slots)
				has->way[true] = has->way[false] = true;
			for (uint32_t u = 0; u < c->n_user; u++)
				has->way[c->user[u].is_send] = true;
		}
}

bool sync_ends_has_pair(const struct sync_ends *t, uint32_t pair, bool is_send)
{
	for (uint32_t i = 0; i < t->reading->n_plans; i++)
		for (uint32_t u = 0; u < t->classes[i].n_user; u++)
			if (t->classes[i].user[u].pair == pair &&
				t->classes[i].user[u].is_send == is_send)
				return true;
	return false;
}

/* ---- reading ---- */

static void set_hash_key(struct sync_end *e, uint64_t hash)
{
	e->seq = (uint32_t)(hash >> 32);
	e->ack = (uint32_t)hash;
	e->hash = sync_hash(e->kind, e->seq, e->ack);
}

static bool get_hypercall(const struct class_ends *c, const uint64_t *row, struct sync_end *e)
{
	if (!can_be_end(c))
		return false;
	uint64_t key[2] = { row[c->machine_slot], row[c->count_slot] & UINT32_MAX };
	*e = (struct sync_end){ .kind = SYNC_VMSYNC };
	set_hash_key(e, mer_hash(key, sizeof(key)));
	return true;
}

static bool get_user(const struct user_end *u, const uint64_t *row, struct sync_end *e)
{
	uint64_t key[SYNC_USER_MAX_FIELDS + 1] = { u->pair };
	for (uint32_t i = 0; i < u->n_fields; i++) {
		const struct ctf_fc *fc;
		const uint64_t *p = trace_place_get(&u->places[i], row, &fc);
		if (!p)
			return false;
		switch (fc->kind) {
		case CTF_STRING:
		case CTF_TEXT:
		case CTF_BLOB:
			key[i + 1] = mer_hash((const void *)(uintptr_t)p[0], (size_t)p[1]);
			break;
		case CTF_STRUCT:
		case CTF_ARRAY: return false;
		default: key[i + 1] = p[0]; break;
		}
	}
	*e = (struct sync_end){ .kind = SYNC_USER, .flags = (uint16_t)u->pair };
	set_hash_key(e, mer_hash(key, (u->n_fields + 1) * sizeof(key[0])));
	return true;
}

static bool get_part_end(const struct class_ends *c, const uint64_t *row, struct sync_end *e)
{
	uint64_t values[SYNC_PART_N_FIELDS];
	for (unsigned i = 0; i < SYNC_PART_N_FIELDS && !c->lacks_slots; i++)
		values[i] = row[c->slots[i]];
	return !c->lacks_slots && sync_part_decode(values, e);
}

static void get_missing(const struct class_ends *c, const uint64_t *row, uint32_t without[2])
{
	if (c->lacks_slots)
		return;
	without[false] = (uint32_t)row[c->slots[SYNC_PART_RECEIVED]];
	without[true] = (uint32_t)row[c->slots[SYNC_PART_SENT]];
}

static bool is_message(enum source source)
{
	return source == PACKET || source == SOCKET || source == HYPERCALL;
}

bool sync_ends_is_entry(const struct sync_ends *t, const struct mer_event *ev)
{
	return t->classes[ev->plan->id].source == ENTRY;
}

uint32_t sync_ends_get(const struct sync_ends *t, const struct mer_event *ev, struct sync_end *out,
	uint32_t without[2])
{
	const struct class_ends *c = &t->classes[ev->plan->id];
	uint32_t n = 0;
	without[false] = without[true] = 0;
	if (c->source == PART_WITHOUT)
		get_missing(c, ev->slots, without);
	if (c->source == PART_END && ev->ts != MER_NO_TIME)
		n += get_part_end(c, ev->slots, &out[0]);
	if (is_message((enum source)c->source)) {
		bool found = ev->ts != MER_NO_TIME &&
			     (c->source == HYPERCALL ? get_hypercall(c, ev->slots, &out[0])
						     : sync_forms_read(c->forms, c->n_forms,
							       ev->slots, &out[0]));
		out[0].is_send = c->is_send;
		n += found;
		without[c->is_send] += !found;
	}
	for (uint32_t i = 0; i < c->n_user; i++) {
		bool found = ev->ts != MER_NO_TIME && get_user(&c->user[i], ev->slots, &out[n]);
		out[n].is_send = c->user[i].is_send;
		without[c->user[i].is_send] += !found;
		n += found;
	}
	for (uint32_t i = 0; i < n; i++) {
		out[i].time = ev->ts;
		out[i].stream = ev->stream;
	}
	return n;
}
