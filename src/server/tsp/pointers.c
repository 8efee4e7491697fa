#include "server/tsp/pointers.h"

#include <string.h>
#include "ctf/schema.h"
#include "trace/experiment.h"

enum { OF_BASE_16 = 1, OF_ANOTHER = 2 }; /* a set of these */

static uint64_t key_of(const char *event, const char *field, size_t field_len)
{
	const uint64_t parts[] = { mer_hash(event, strlen(event)), mer_hash(field, field_len) };
	return mer_hash(parts, sizeof(parts));
}

static bool is_number(const struct ctf_fc *fc)
{
	return fc->kind == CTF_INT || fc->kind == CTF_VARINT;
}

static void add_fields(struct tsp_pointers *x, const char *event, const struct ctf_fc *scope)
{
	for (uint32_t i = 0; scope && i < scope->u.record.n; i++) {
		const struct ctf_field *f = &scope->u.record.fields[i];
		bool is_hex = is_number(f->fc) && f->fc->u.bits.base == 16 &&
			      !f->fc->u.bits.is_signed && !f->fc->u.bits.is_enum;
		uint32_t *known = mer_map_put(&x->of, key_of(event, f->name, strlen(f->name)));
		if (known)
			*known |= is_hex ? OF_BASE_16 : OF_ANOTHER;
	}
}

static void make(struct tsp_pointers *x, const struct mer_experiment *e)
{
	const struct ctf_schema *last = NULL;
	x->is_made = true;
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct ctf_schema *s = e->parts[p].schema;
		for (uint32_t i = 0; s != last && i < s->n_streams; i++)
			for (uint32_t k = 0; k < s->streams[i].n_events; k++) {
				const struct ctf_event_class *c = &s->streams[i].events[k];
				add_fields(x, c->name, s->streams[i].event_context);
				add_fields(x, c->name, c->specific_context);
				add_fields(x, c->name, c->payload);
			}
		last = s;
	}
}

bool tsp_is_pointer(struct tsp_pointers *x, const struct mer_experiment *e, const char *event,
	const char *field, size_t field_len)
{
	if (!x->is_made)
		make(x, e);
	const uint32_t *known = mer_map_get(&x->of, key_of(event, field, field_len));
	return known && *known == OF_BASE_16;
}

void tsp_pointers_fini(struct tsp_pointers *x)
{
	mer_map_fini(&x->of);
}
