#include "otf2/read.h"

#ifdef MER_HAS_OTF2

#include <inttypes.h>
#include <limits.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/map.h"
#include "base/plural.h"
#include "otf2/copy.h"
#include "otf2/notes.h"
#include "otf2/whole.h"

enum {
	MOST_LOCATIONS = 1 << 20,
	MOST_HOSTS = 1 << 16,
	DEEPEST = 64,	     /* levels of a system tree */
	REARM_EACH = 1 << 12 /* events: how often the clock of hangs is set */
};

struct node { /* of the system tree */
	uint32_t name, class, parent;
	bool shares_memory;
	uint32_t host; /* its number, plus 1; 0: it is none so far */
};

struct location {
	uint64_t id;
	uint64_t n_events; /* as it is said */
	uint32_t name, group;
	bool is_thread;
};

struct reading {
	const char *folder;
	struct otf2ctf_progress *progress;
	struct mer_err *err;
	int rc; /* of what callbacks did */
	struct mer_arena arena;
	struct mer_str notes;
	OTF2_Reader *reader;
	struct otf2ctf_copy *copy;
	char *creator;
	/* Definitions; maps: reference -> place, of the last one with it. */
	struct mer_map strings, nodes, groups;
	const char **text;
	struct node *node;
	uint32_t *group; /* of locations, a process: its node */
	struct location *location;
	uint32_t n_text, cap_text, n_node, cap_node, n_group, cap_group, n_location, cap_location;
	bool has_clock;
	uint64_t ticks_per_s, first_tick, realtime;
	uint32_t n_hosts, nowhere; /* nowhere: the host of what belongs to no node, plus 1 */
	/* Of the location that is read. An event is written when the next one is there: the last
	 * one before damage may be damaged, too. */
	uint32_t place;
	bool is_open, has_held, is_backwards;
	uint64_t last_tick;
	struct {
		enum copy_event what;
		uint64_t ticks, values[COPY_MAX_FIELDS];
	} held;
	/* What was left out, or changed. */
	uint64_t n_written, n_read, n_unknown, n_early, n_switched_off, n_others;
	/* What libotf2 said last, of the first thing that went wrong. */
	char said[400];
};

/* ---- what libotf2 says ---- */

static OTF2_ErrorCode hear(void *user, const char *file, uint64_t line, const char *function,
	OTF2_ErrorCode code, const char *format, va_list ap)
{
	struct reading *r = user;
	(void)file;
	(void)line;
	(void)function;
	if (r->said[0]) /* the first one is the cause of the others */
		return code;
	char text[300] = "";
	if (format)
		vsnprintf(text, sizeof(text), format, ap);
	snprintf(r->said, sizeof(r->said), "%s%s%s", OTF2_Error_GetDescription(code),
		text[0] ? ": " : "", text);
	return code;
}

/* For a sentence that ends with it. */
static const char *said(const struct reading *r)
{
	return r->said[0] ? r->said : "no reason is given";
}

/* From here on a hang is counted anew. */
static void rearm(void)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = OTF2_HANGS_SECONDS }, NULL);
}

static OTF2_CallbackCode done(struct reading *r, int rc)
{
	if (rc && !r->rc)
		r->rc = rc;
	return r->rc ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode no_memory(struct reading *r)
{
	return done(r, mer_fail_nomem(r->err));
}

static OTF2_CallbackCode define(
	struct reading *r, enum copy_definition what, const uint64_t *values, const char *text)
{
	return done(r, otf2ctf_copy_define(r->copy, what, values, text, r->err));
}

/* ---- definitions ---- */

static OTF2_CallbackCode on_clock(
	void *user, uint64_t per_s, uint64_t offset, uint64_t length, uint64_t realtime)
{
	struct reading *r = user;
	(void)length;
	r->has_clock = per_s != 0;
	r->ticks_per_s = per_s;
	r->first_tick = offset;
	r->realtime = realtime;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *string)
{
	struct reading *r = user;
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
	struct reading *r = user;
	if (!mer_map_put_number(&r->nodes, self, r->n_node) ||
		!mer_grow32(&r->node, r->n_node, &r->cap_node, sizeof(*r->node)))
		return no_memory(r);
	r->node[r->n_node++] = (struct node){ .name = name, .class = class, .parent = parent };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_domain(
	void *user, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain)
{
	struct reading *r = user;
	uint32_t n = mer_map_number(&r->nodes, node);
	if (n < r->n_node && domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY)
		r->node[n].shares_memory = true;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group_of_locations(void *user, OTF2_LocationGroupRef self,
	OTF2_StringRef name, OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
	OTF2_LocationGroupRef creator)
{
	struct reading *r = user;
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
	struct reading *r = user;
	if (r->n_location == MOST_LOCATIONS)
		return done(r, mer_fail(r->err, MER_ERR_LIMIT, "it has more than %d locations",
				       MOST_LOCATIONS));
	if (!mer_grow32(&r->location, r->n_location, &r->cap_location, sizeof(*r->location)))
		return no_memory(r);
	r->location[r->n_location++] = (struct location){ .id = self,
		.n_events = n_events,
		.name = name,
		.group = group,
		.is_thread = type == OTF2_LOCATION_TYPE_CPU_THREAD };
	return OTF2_CALLBACK_SUCCESS;
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

/* Groups of MPI's ranks. Of one with global members events name ranks of all, not places in it:
 * then place and member are the same. */
static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name,
	OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n,
	const uint64_t *members)
{
	struct reading *r = user;
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

static void note_damage(struct reading *r, const char *what)
{
	char text[900];
	snprintf(text, sizeof(text), "%s: %s", what, said(r));
	otf2ctf_note(&r->notes, MER_ERROR, "otf2-damaged", 1, text);
}

static int read_definitions(struct reading *r)
{
	OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReader *g = c ? OTF2_Reader_GetGlobalDefReader(r->reader) : NULL;
	uint64_t n;
	if (!g) {
		OTF2_GlobalDefReaderCallbacks_Delete(c);
		return mer_fail(r->err, MER_ERR_INPUT,
			"its definitions cannot be read, and without them its events have no meaning: %s",
			said(r));
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
		rearm();
		n = 0;
		code = OTF2_Reader_ReadGlobalDefinitions(r->reader, g, REARM_EACH, &n);
	} while (code == OTF2_SUCCESS && n == REARM_EACH && !r->rc);
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

/* ---- hosts ---- */

static const char *text_of(const struct reading *r, uint32_t string)
{
	uint32_t n = mer_map_number(&r->strings, string);
	return n < r->n_text ? r->text[n] : "";
}

/* The node of the system tree that is a machine: the nearest one above whose processes share
 * memory, or that is called a node; else the one that a process is in. */
static uint32_t machine_of(const struct reading *r, uint32_t group)
{
	uint32_t g = mer_map_number(&r->groups, group);
	uint32_t own = g < r->n_group ? mer_map_number(&r->nodes, r->group[g]) : UINT32_MAX;
	uint32_t n = own;
	for (unsigned depth = 0; n < r->n_node && depth < DEEPEST; depth++) {
		const struct node *x = &r->node[n];
		if (x->shares_memory || strcmp(text_of(r, x->class), "node") == 0)
			return n;
		n = mer_map_number(&r->nodes, x->parent);
	}
	return own;
}

/* A name that fits a line; what is no printable ASCII is an underscore. */
static const char *clean_name(struct reading *r, const char *name)
{
	char *own = mer_arena_strndup(&r->arena, name, strnlen(name, 250));
	for (char *p = own; p && *p; p++)
		if (*p <= ' ' || *p > '~' || *p == '/')
			*p = '_';
	return own;
}

static int new_host(struct reading *r, const char *name, uint64_t key)
{
	struct copy_clock clock = { .freq_hz = r->has_clock ? r->ticks_per_s : 1000000000 };
	if (r->has_clock && r->realtime != OTF2_UNDEFINED_TIMESTAMP && r->realtime <= INT64_MAX)
		clock.offset_ns = (int64_t)r->realtime;
	const char *own = clean_name(r, name[0] ? name : "unknown");
	if (!own)
		return mer_fail_nomem(r->err);
	if (r->n_hosts == MOST_HOSTS)
		return mer_fail(r->err, MER_ERR_LIMIT, "it has more than %d hosts", MOST_HOSTS);
	r->n_hosts++;
	return otf2ctf_copy_host(r->copy, own, key, &clock, r->creator, r->err);
}

/* The host of a location, made when it is the first one there. */
static int host_of(struct reading *r, const struct location *l, uint32_t *host)
{
	uint32_t n = machine_of(r, l->group);
	uint32_t *at = n < r->n_node ? &r->node[n].host : &r->nowhere;
	if (!*at) {
		int rc = new_host(r, n < r->n_node ? text_of(r, r->node[n].name) : "", n);
		if (rc)
			return rc;
		*at = r->n_hosts;
	}
	*host = *at - 1;
	return 0;
}

/* ---- events ---- */

static int write_held(struct reading *r)
{
	const struct location *l = &r->location[r->place];
	int rc = 0;
	if (!r->has_held)
		return 0;
	r->has_held = false;
	if (!r->is_open) {
		uint32_t host;
		rc = host_of(r, l, &host);
		if (rc == 0)
			rc = otf2ctf_copy_stream(r->copy, host, r->place, r->err);
		r->is_open = rc == 0;
	}
	return rc ? rc
		  : otf2ctf_copy_event(
			    r->copy, r->held.what, r->held.ticks, l->id, r->held.values, r->err);
}

static OTF2_CallbackCode take(
	struct reading *r, enum copy_event what, uint64_t time, size_t n, const uint64_t *values)
{
	uint64_t ticks = time - r->first_tick;
	if (time < r->first_tick) { /* a little, after the library has corrected clocks */
		r->n_early++;
		ticks = 0;
	}
	/* Nobody can write such an archive: libotf2 refuses it. */
	r->is_backwards |= ticks < r->last_tick;
	if (r->is_backwards)
		return OTF2_CALLBACK_INTERRUPT;
	int rc = write_held(r);
	r->last_tick = ticks;
	r->held.what = what;
	r->held.ticks = ticks;
	for (size_t i = 0; i < n; i++)
		r->held.values[i] = values[i];
	r->has_held = rc == 0;
	r->n_written++;
	r->progress->events++; /* at least: not all kinds come by here */
	return done(r, rc);
}

static OTF2_CallbackCode on_program_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, OTF2_StringRef name, uint32_t n,
	const OTF2_StringRef *arguments)
{
	(void)location;
	(void)position;
	(void)list;
	(void)name;
	(void)n;
	(void)arguments;
	return take(user, COPY_PROGRAM_BEGIN, time, 0, NULL);
}

static OTF2_CallbackCode on_program_end(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, int64_t status)
{
	(void)location;
	(void)position;
	(void)list;
	(void)status;
	return take(user, COPY_PROGRAM_END, time, 0, NULL);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, OTF2_RegionRef region)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_ENTER, time, 1, (const uint64_t[]){ region });
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, OTF2_RegionRef region)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_LEAVE, time, 1, (const uint64_t[]){ region });
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, uint32_t to, OTF2_CommRef comm, uint32_t tag,
	uint64_t bytes)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_SEND, time, 4, (const uint64_t[]){ to, comm, tag, bytes });
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, uint32_t to, OTF2_CommRef comm, uint32_t tag,
	uint64_t bytes, uint64_t request)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_ISEND, time, 5, (const uint64_t[]){ to, comm, tag, bytes, request });
}

static OTF2_CallbackCode on_isend_complete(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, uint64_t request)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_ISEND_COMPLETE, time, 1, (const uint64_t[]){ request });
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, uint64_t request)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_IRECV_REQUEST, time, 1, (const uint64_t[]){ request });
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, uint32_t from, OTF2_CommRef comm, uint32_t tag,
	uint64_t bytes)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_RECV, time, 4, (const uint64_t[]){ from, comm, tag, bytes });
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, uint32_t from, OTF2_CommRef comm, uint32_t tag,
	uint64_t bytes, uint64_t request)
{
	(void)location;
	(void)position;
	(void)list;
	return take(
		user, COPY_IRECV, time, 5, (const uint64_t[]){ from, comm, tag, bytes, request });
}

static OTF2_CallbackCode on_collective_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_COLLECTIVE_BEGIN, time, 0, NULL);
}

static OTF2_CallbackCode on_collective_end(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, OTF2_CollectiveOp op,
	OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_COLLECTIVE_END, time, 5,
		(const uint64_t[]){ op, comm, root, sent, received });
}

static OTF2_CallbackCode on_switch(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, OTF2_MeasurementMode mode)
{
	struct reading *r = user;
	(void)location;
	(void)time;
	(void)position;
	(void)list;
	r->n_switched_off += mode == OTF2_MEASUREMENT_OFF;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_unknown(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list)
{
	struct reading *r = user;
	(void)location;
	(void)time;
	(void)position;
	(void)list;
	r->n_unknown++;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_EvtReaderCallbacks *event_callbacks(void)
{
	OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
	if (!c)
		return NULL;
	OTF2_EvtReaderCallbacks_SetProgramBeginCallback(c, on_program_begin);
	OTF2_EvtReaderCallbacks_SetProgramEndCallback(c, on_program_end);
	OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, on_isend_complete);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_irecv_request);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, on_collective_begin);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_collective_end);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(c, on_switch);
	OTF2_EvtReaderCallbacks_SetUnknownCallback(c, on_unknown);
	return c;
}

static void note_location(struct reading *r, enum mer_severity severity, const char *what)
{
	char text[900];
	const struct location *l = &r->location[r->place];
	snprintf(text, sizeof(text), "location %" PRIu64 " (%.100s): %s: %s", l->id,
		text_of(r, l->name), what, said(r));
	otf2ctf_note(&r->notes, severity, "otf2-damaged", 1, text);
	r->said[0] = '\0';
}

/* Local definitions say which of the global ones the numbers in events of the location are, and how
 * its clock is corrected; the library does both. */
static void read_local_definitions(struct reading *r)
{
	bool are_open = OTF2_Reader_OpenDefFiles(r->reader) == OTF2_SUCCESS;
	r->said[0] = '\0';
	for (r->place = 0; r->place < r->n_location; r->place++) {
		const struct location *l = &r->location[r->place];
		if (!l->is_thread)
			continue;
		OTF2_DefReader *d = are_open ? OTF2_Reader_GetDefReader(r->reader, l->id) : NULL;
		OTF2_ErrorCode code = OTF2_SUCCESS;
		uint64_t n = 0;
		do {
			rearm();
			if (d)
				code = OTF2_Reader_ReadLocalDefinitions(
					r->reader, d, REARM_EACH, &n);
		} while (d && code == OTF2_SUCCESS && n == REARM_EACH);
		if ((!d || code != OTF2_SUCCESS) && l->n_events)
			note_location(r, MER_WARNING,
				"its own definitions cannot be read, so its regions, communicators and times may be wrong");
		if (d)
			OTF2_Reader_CloseDefReader(r->reader, d);
	}
	if (are_open)
		OTF2_Reader_CloseDefFiles(r->reader);
}

static int read_location(struct reading *r, const OTF2_EvtReaderCallbacks *callbacks, uint64_t most)
{
	OTF2_ErrorCode code = OTF2_SUCCESS;
	uint64_t n = 0;
	r->said[0] = '\0';
	r->is_open = r->has_held = r->is_backwards = false;
	r->last_tick = 0;
	rearm();
	OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r->reader, r->location[r->place].id);
	if (!e) {
		if (r->location[r->place].n_events) /* else it need not have a file */
			note_location(r, MER_ERROR, "its events cannot be read");
		return 0;
	}
	OTF2_Reader_RegisterEvtCallbacks(r->reader, e, callbacks, r);
	bool goes_on = true;
	while (goes_on) {
		uint64_t before = r->progress->events, left = most - before;
		uint64_t part = left < REARM_EACH ? left : REARM_EACH;
		rearm();
		n = 0;
		code = OTF2_Reader_ReadLocalEvents(r->reader, e, part, &n);
		r->progress->events = before + n;
		r->n_read += n;
		goes_on = code == OTF2_SUCCESS && n == part && part < left && !r->rc;
	}
	if (r->is_backwards) {
		r->said[0] = '\0';
		snprintf(r->said, sizeof(r->said), "times go back");
	}
	bool is_damaged = code != OTF2_SUCCESS || r->is_backwards || most != UINT64_MAX;
	int rc = is_damaged ? 0 : write_held(r);
	if (is_damaged && !r->rc && most == UINT64_MAX)
		note_location(r, MER_ERROR,
			"its events cannot be read to their end; those before are there");
	OTF2_Reader_CloseEvtReader(r->reader, e);
	if (r->is_open && otf2ctf_copy_stream_end(r->copy, r->err) && !rc)
		rc = r->err->code;
	return r->rc ? r->rc : rc;
}

static int read_events(struct reading *r, const struct otf2ctf_limit *limits, size_t n_limits)
{
	OTF2_EvtReaderCallbacks *callbacks = event_callbacks();
	int rc = callbacks ? 0 : mer_fail_nomem(r->err);
	if (rc == 0 && OTF2_Reader_OpenEvtFiles(r->reader) != OTF2_SUCCESS)
		rc = mer_fail(r->err, MER_ERR_INPUT, "its events cannot be read: %s", said(r));
	for (r->place = 0; r->place < r->n_location && rc == 0; r->place++) {
		uint64_t most = UINT64_MAX;
		if (!r->location[r->place].is_thread) {
			r->n_others++;
			continue;
		}
		for (size_t i = 0; i < n_limits; i++)
			if (limits[i].place == r->place && limits[i].events < most)
				most = limits[i].events;
		r->progress->location = r->location[r->place].id;
		r->progress->events = 0;
		r->progress->place = (uint64_t)r->place + 1;
		rc = most ? read_location(r, callbacks, most) : 0;
	}
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	OTF2_Reader_CloseEvtFiles(r->reader);
	return rc;
}

/* ---- all of it ---- */

static void note(struct reading *r, enum mer_severity severity, const char *code, uint64_t n,
	const char *one, const char *many)
{
	char text[400];
	if (n == 0)
		return;
	snprintf(text, sizeof(text), "%s", n == 1 ? one : many);
	otf2ctf_note(&r->notes, severity, code, n, text);
}

/* Where an earlier attempt ended. */
static void note_limits(struct reading *r, const struct otf2ctf_limit *limits, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[400];
		snprintf(text, sizeof(text),
			"location %" PRIu64 ": libotf2 %s after %" PRIu64
			" %s; those before are there",
			limits[i].location, limits[i].has_hung ? "hung" : "crashed",
			limits[i].events, mer_plural(limits[i].events, "event", "events"));
		otf2ctf_note(&r->notes, MER_ERROR, "otf2-damaged", 1, text);
	}
}

static void note_rest(struct reading *r)
{
	static const char left_out[] = "otf2-left-out";
	uint64_t rest = r->n_read > r->n_written ? r->n_read - r->n_written : 0;
	rest = rest > r->n_unknown ? rest - r->n_unknown : 0;
	note(r, MER_NOTE, left_out, rest,
		"an event was left out: only regions and events of MPI are read",
		"events were left out: only regions and events of MPI are read");
	note(r, MER_WARNING, left_out, r->n_unknown,
		"an event was left out: it is of a kind that this version of libotf2 does not know",
		"events were left out: they are of kinds that this version of libotf2 does not know");
	note(r, MER_NOTE, left_out, r->n_others,
		"a location was left out: it is no thread of a CPU",
		"locations were left out: they are no threads of a CPU");
	note(r, MER_WARNING, left_out, r->n_switched_off,
		"the recording was switched off once: what came then is missing, and calls and messages may be wrong",
		"times the recording was switched off: what came then is missing, and calls and messages may be wrong");
	note(r, MER_NOTE, "clock-backwards", r->n_early,
		"an event is earlier than the start of the archive, and was given that time",
		"events are earlier than the start of the archive, and were given that time");
	if (!r->has_clock)
		otf2ctf_note(&r->notes, MER_WARNING, "otf2-damaged", 1,
			"it does not say how long a tick of its clock is: a nanosecond is assumed");
}

static int write_notes(struct reading *r)
{
	char path[4200];
	int n = snprintf(path, sizeof(path), "%s/notes", r->folder);
	if (n < 0 || (size_t)n >= sizeof(path) || r->notes.failed)
		return mer_fail_nomem(r->err);
	const char *text = r->notes.data ? r->notes.data : "";
	return mer_file_replace(path, &(struct mer_bytes){ text, r->notes.len }, 1)
		       ? 0
		       : mer_fail_errno(r->err, "write", path);
}

static int read_archive(struct reading *r, const struct otf2ctf_limit *limits, size_t n_limits)
{
	uint64_t id = 0;
	if (OTF2_Reader_SetSerialCollectiveCallbacks(r->reader) != OTF2_SUCCESS)
		return mer_fail(r->err, MER_ERR_INPUT, "%s", said(r));
	(void)OTF2_Reader_GetTraceId(r->reader, &id);
	(void)OTF2_Reader_GetCreator(r->reader, &r->creator);
	if (!r->creator)
		r->creator = strdup("OTF2");
	int rc = r->creator ? otf2ctf_copy_new(r->folder, id, &r->copy, r->err)
			    : mer_fail_nomem(r->err);
	if (rc == 0)
		rc = read_definitions(r);
	if (rc == 0)
		rc = otf2ctf_copy_defined(r->copy, r->err);
	for (uint32_t i = 0; i < r->n_location && rc == 0; i++)
		if (r->location[i].is_thread &&
			OTF2_Reader_SelectLocation(r->reader, r->location[i].id) != OTF2_SUCCESS)
			rc = mer_fail(
				r->err, MER_ERR_INPUT, "its locations cannot be read: %s", said(r));
	if (rc == 0) {
		read_local_definitions(r);
		rc = read_events(r, limits, n_limits);
	}
	/* The definitions are in the folder of the first host. */
	if (rc == 0 && r->n_hosts == 0)
		rc = new_host(r, "", 0);
	if (rc == 0) {
		note_limits(r, limits, n_limits);
		note_rest(r);
		rc = write_notes(r);
	}
	return rc;
}

int otf2ctf_read(const char *anchor, const char *folder, struct otf2ctf_progress *progress,
	const struct otf2ctf_limit *limits, size_t n_limits, struct mer_err *err)
{
	struct reading r = { .folder = folder, .progress = progress, .err = err };
	mer_arena_init(&r.arena);
	OTF2_Error_RegisterCallback(hear, &r);
	char whole[PATH_MAX];
	rearm();
	int rc = otf2ctf_whole(anchor, folder, whole, err);
	if (rc == 0)
		r.reader = OTF2_Reader_Open(whole);
	if (rc == 0)
		rc = r.reader ? read_archive(&r, limits, n_limits)
			      : mer_fail(err, MER_ERR_INPUT, "%s", said(&r));
	otf2ctf_whole_end(folder);
	otf2ctf_copy_free(r.copy);
	/* The process ends here, and with it what libotf2 has: closing a damaged archive is one
	 * more risk. */
	mer_map_fini(&r.strings);
	mer_map_fini(&r.nodes);
	mer_map_fini(&r.groups);
	free(r.text);
	free(r.node);
	free(r.group);
	free(r.location);
	free(r.creator);
	mer_str_fini(&r.notes);
	mer_arena_fini(&r.arena);
	return rc;
}

#endif
