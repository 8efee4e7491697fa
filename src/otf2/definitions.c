/* Definitions: copies what the numbers in events refer to, and keeps what hosts and locations
 * need. */
#include "otf2/read.h"

#ifdef MER_HAS_OTF2

#include <stdio.h>

#include "base/grow.h"
#include "otf2/reading.h"

enum { MOST_LOCATIONS = 1 << 20 };

static OTF2_CallbackCode no_memory(struct otf2ctf_reading *r)
{
	return otf2ctf_done(r, mer_fail_nomem(r->err));
}

static OTF2_CallbackCode define(struct otf2ctf_reading *r, enum copy_definition what,
	const uint64_t *values, const char *text)
{
	return otf2ctf_done(r, otf2ctf_copy_define(r->copy, what, values, text, r->err));
}

static OTF2_CallbackCode on_clock(
	void *user, uint64_t per_s, uint64_t offset, uint64_t length, uint64_t realtime)
{
	struct otf2ctf_reading *r = user;
	(void)length;
	r->has_clock = per_s != 0;
	r->ticks_per_s = per_s;
	r->first_tick = r->base_tick = offset;
	r->realtime = realtime;
	/* Events may be earlier than the start that the archive states: the written clock begins
	 * earlier, by whole seconds if possible. */
	enum { MOST_S = 86400 };
	uint64_t s = per_s ? offset / per_s : 0, most = realtime / 1000000000;
	if (!per_s || realtime == OTF2_UNDEFINED_TIMESTAMP || realtime > INT64_MAX)
		return OTF2_CALLBACK_SUCCESS;
	s = s < MOST_S ? s : MOST_S;
	s = s < most ? s : most;
	bool is_whole = s > 0 || 1000000000 % per_s != 0;
	uint64_t ticks = is_whole ? s * per_s : offset;
	uint64_t ns = is_whole ? s * 1000000000 : offset * (1000000000 / per_s);
	if (ns > realtime)
		return OTF2_CALLBACK_SUCCESS;
	r->base_tick -= ticks;
	r->realtime -= ns;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *string)
{
	struct otf2ctf_reading *r = user;
	const char *own = mer_arena_strdup(&r->arena, string);
	if (!own || !mer_map_put_number(&r->strings, self, r->n_text) ||
		!mer_grow32(&r->text, r->n_text, &r->cap_text, sizeof(*r->text)))
		return no_memory(r);
	r->text[r->n_text++] = own;
	return define(r, COPY_STRING, (const uint64_t[]){ self }, string);
}

static OTF2_CallbackCode on_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
	OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
	struct otf2ctf_reading *r = user;
	if (!mer_map_put_number(&r->nodes, self, r->n_node) ||
		!mer_grow32(&r->node, r->n_node, &r->cap_node, sizeof(*r->node)))
		return no_memory(r);
	r->node[r->n_node++] =
		(struct otf2ctf_node){ .name = name, .class = class, .parent = parent };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_domain(
	void *user, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain)
{
	struct otf2ctf_reading *r = user;
	uint32_t n = mer_map_number(&r->nodes, node);
	if (n < r->n_node && domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY)
		r->node[n].shares_memory = true;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group_of_locations(void *user, OTF2_LocationGroupRef self,
	OTF2_StringRef name, OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
	OTF2_LocationGroupRef creator)
{
	struct otf2ctf_reading *r = user;
	(void)name;
	(void)type;
	(void)creator;
	if (!mer_map_put_number(&r->groups, self, r->n_group) ||
		!mer_grow32(&r->group, r->n_group, &r->cap_group, sizeof(*r->group)))
		return no_memory(r);
	r->group[r->n_group++] = parent;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
	OTF2_LocationType type, uint64_t n_events, OTF2_LocationGroupRef group)
{
	struct otf2ctf_reading *r = user;
	if (r->n_location == MOST_LOCATIONS)
		return otf2ctf_done(r, mer_fail(r->err, MER_ERR_LIMIT,
					       "it has more than %d locations", MOST_LOCATIONS));
	if (!mer_grow32(&r->location, r->n_location, &r->cap_location, sizeof(*r->location)))
		return no_memory(r);
	r->location[r->n_location++] = (struct otf2ctf_location){ .id = self,
		.n_events = n_events,
		.name = name,
		.group = group,
		.is_thread = type == OTF2_LOCATION_TYPE_CPU_THREAD };
	return define(r, COPY_LOCATION, (const uint64_t[]){ self, group }, NULL);
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
	OTF2_StringRef canonical, OTF2_StringRef description, OTF2_RegionRole role,
	OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
	uint32_t end)
{
	(void)canonical;
	(void)description;
	(void)role;
	(void)paradigm;
	(void)flags;
	(void)file;
	(void)begin;
	(void)end;
	return define(user, COPY_REGION, (const uint64_t[]){ self, name }, NULL);
}

/* Groups of MPI ranks. If a group has global members, events have global ranks instead of places in
 * it: then place and member are the same. */
static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name,
	OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n,
	const uint64_t *members)
{
	struct otf2ctf_reading *r = user;
	(void)name;
	if (paradigm != OTF2_PARADIGM_MPI || type < OTF2_GROUP_TYPE_COMM_LOCATIONS)
		return OTF2_CALLBACK_SUCCESS;
	bool is_global =
		type == OTF2_GROUP_TYPE_COMM_GROUP && flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS;
	OTF2_CallbackCode rc =
		define(r, COPY_GROUP, (const uint64_t[]){ self, type, paradigm, n }, NULL);
	for (uint32_t i = 0; i < n && rc == OTF2_CALLBACK_SUCCESS; i++)
		rc = define(r, COPY_MEMBER,
			(const uint64_t[]){ self, is_global ? members[i] : i, members[i] }, NULL);
	return rc;
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name,
	OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
	(void)name;
	(void)parent;
	(void)flags;
	return define(user, COPY_COMM, (const uint64_t[]){ self, group }, NULL);
}

static void note_damage(struct otf2ctf_reading *r, const char *what)
{
	char text[900];
	snprintf(text, sizeof(text), "%s: %s", what, otf2ctf_said(r));
	copied_note(&r->notes, MER_ERROR, "otf2-damaged", 1, text);
}

int otf2ctf_read_definitions(struct otf2ctf_reading *r)
{
	OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReader *g = c ? OTF2_Reader_GetGlobalDefReader(r->reader) : NULL;
	uint64_t n;
	if (!g) {
		OTF2_GlobalDefReaderCallbacks_Delete(c);
		return mer_fail(r->err, MER_ERR_INPUT,
			"its definitions cannot be read, and without them its events have no meaning: %s",
			otf2ctf_said(r));
	}
	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_node);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(c, on_domain);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_group_of_locations);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
	OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
	OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
	OTF2_Reader_RegisterGlobalDefCallbacks(r->reader, g, c, r);
	OTF2_GlobalDefReaderCallbacks_Delete(c);
	OTF2_ErrorCode code;
	do { /* in parts, so that a hang is seen */
		otf2ctf_rearm();
		n = 0;
		code = OTF2_Reader_ReadGlobalDefinitions(r->reader, g, OTF2_REARM_EACH, &n);
	} while (code == OTF2_SUCCESS && n == OTF2_REARM_EACH && !r->rc);
	OTF2_Reader_CloseGlobalDefReader(r->reader, g);
	if (r->rc)
		return r->rc;
	if (code != OTF2_SUCCESS)
		note_damage(r,
			"its definitions cannot be read to their end, and what these would describe is left out");
	if (r->n_location == 0)
		return mer_fail(r->err, MER_ERR_INPUT,
			"it has no location (a thread that events are of)%s%s",
			r->said[0] ? ": " : "", r->said);
	return 0;
}

#endif
