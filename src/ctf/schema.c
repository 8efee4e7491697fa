#include "ctf/schema.h"

#include <string.h>

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
	uint32_t lo = 0, hi = c->n_events;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (c->events[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n_events && c->events[lo].id == id ? &c->events[lo] : NULL;
}
