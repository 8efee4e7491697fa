#include "ctf/schema.h"
#include "base/lower_bound.h"

#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool ctf_uuid_parse(const char *text, size_t len, uint8_t uuid[16])
{
	static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	if (len != sizeof(shape) - 1)
		return false;
	for (size_t i = 0, n = 0; i < len; i++) {
		int d = hex_digit(text[i]);
		if (shape[i] == '-' ? text[i] != '-' : d < 0)
			return false;
		if (shape[i] == '-')
			continue;
		uuid[n / 2] = (uint8_t)(n % 2 ? uuid[n / 2] << 4 | d : d);
		n++;
	}
	return true;
}

const struct ctf_env *ctf_env_find(const struct ctf_schema *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_env; i++)
		if (strcmp(s->env[i].name, name) == 0)
			return &s->env[i];
	return NULL;
}

const struct ctf_stream_class *ctf_stream_class_find(const struct ctf_schema *s, uint64_t id)
{
	for (uint32_t i = 0; i < s->n_streams; i++)
		if (s->streams[i].id == id)
			return &s->streams[i];
	return NULL;
}

const struct ctf_event_class *ctf_event_class_find(const struct ctf_stream_class *c, uint64_t id)
{
	MER_LOWER_BOUND(lo, 0, c->n_events, at, c->events[at].id < id);
	return lo < c->n_events && c->events[lo].id == id ? &c->events[lo] : NULL;
}

bool ctf_mapping_has(const struct ctf_fc *fc, const struct ctf_mapping *m, uint64_t v)
{
	if (fc->kind != CTF_BIT_MAP)
		return ctf_in_ranges(m->ranges, m->n_ranges, v);
	for (uint32_t i = 0; i < m->n_ranges; i++)
		for (uint64_t bit = m->ranges[i].lo; bit <= m->ranges[i].hi && bit < 64; bit++)
			if (v >> bit & 1)
				return true;
	return false;
}

const struct ctf_fc *ctf_scope_fc(const struct ctf_schema *s, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope)
{
	switch (scope) {
	case CTF_SCOPE_PACKET_HEADER: return s->packet_header;
	case CTF_SCOPE_PACKET_CONTEXT: return sc ? sc->packet_context : NULL;
	case CTF_SCOPE_EVENT_HEADER: return sc ? sc->event_header : NULL;
	case CTF_SCOPE_COMMON_CONTEXT: return sc ? sc->event_context : NULL;
	case CTF_SCOPE_SPECIFIC_CONTEXT: return ec ? ec->specific_context : NULL;
	case CTF_SCOPE_PAYLOAD: return ec ? ec->payload : NULL;
	case CTF_N_SCOPES: break;
	}
	return NULL;
}
