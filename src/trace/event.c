/* Accessors of events, for callers of the library and for code that need not be fast. */
#include <string.h>

#include "ctf/program.h"
#include "meridian/meridian.h"

const char *mer_event_name(const struct mer_event *ev)
{
	return ev->plan->class->name;
}

int mer_event_need(const struct mer_event *ev)
{
	return ev->plan->tag;
}

/* The field's class and first slot; NULL: the event has no such field, or it was not read. */
static const struct ctf_fc *find(
	const struct mer_event *ev, const char *name, const uint64_t **slot)
{
	const struct ctf_plan *p = ev->plan;
	for (int s = CTF_SCOPE_PAYLOAD; s >= CTF_SCOPE_EVENT_HEADER; s--) {
		const struct ctf_fc *fc =
			ctf_scope_fc(NULL, p->stream->class, p->class, (enum ctf_scope)s);
		for (uint32_t i = 0; fc && p->slots[s] && i < fc->u.record.n; i++) {
			if (p->slots[s][i] == CTF_NO_SLOT ||
				strcmp(fc->u.record.fields[i].name, name) != 0)
				continue;
			*slot = ev->slots + p->slots[s][i];
			return fc->u.record.fields[i].fc;
		}
	}
	return NULL;
}

bool mer_event_int(const struct mer_event *ev, const char *field, int64_t *value)
{
	const uint64_t *slot;
	const struct ctf_fc *fc = find(ev, field, &slot);
	if (!fc || (fc->kind > CTF_INT && fc->kind != CTF_VARINT))
		return false;
	*value = (int64_t)*slot;
	return true;
}

bool mer_event_text(const struct mer_event *ev, const char *field, const char **text, size_t *len)
{
	const uint64_t *slot;
	const struct ctf_fc *fc = find(ev, field, &slot);
	if (!fc || (fc->kind != CTF_STRING && fc->kind != CTF_TEXT))
		return false;
	*text = (const char *)(uintptr_t)slot[0];
	*len = slot[1];
	return true;
}
