#include "otf2/copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "copied/copied.h"
#include "copied/files.h"
#include "ctf/writer.h"

enum { EVENTS, DEFINITIONS, N_CLASSES };

struct row {
	const char *name, *fields;
};

static const struct row events[COPY_N_EVENTS] = {
	[COPY_PROGRAM_BEGIN] = { "Event_ProgramBegin", "locationID" },
	[COPY_PROGRAM_END] = { "Event_ProgramEnd", "locationID" },
	[COPY_ENTER] = { "Event_Enter", "locationID region" },
	[COPY_LEAVE] = { "Event_Leave", "locationID region" },
	[COPY_SEND] = { "Event_MpiSend", "locationID receiver communicator msgTag msgLength" },
	[COPY_ISEND] = { "Event_MpiIsend",
		"locationID receiver communicator msgTag msgLength requestID" },
	[COPY_ISEND_COMPLETE] = { "Event_MpiIsendComplete", "locationID requestID" },
	[COPY_IRECV_REQUEST] = { "Event_MpiIrecvRequest", "locationID requestID" },
	[COPY_RECV] = { "Event_MpiRecv", "locationID sender communicator msgTag msgLength" },
	[COPY_IRECV] = { "Event_MpiIrecv",
		"locationID sender communicator msgTag msgLength requestID" },
	[COPY_COLLECTIVE_BEGIN] = { "Event_MpiCollectiveBegin", "locationID" },
	[COPY_COLLECTIVE_END] = { "Event_MpiCollectiveEnd",
		"locationID collectiveOp communicator root sizeSent sizeReceived" },
};
static const struct row definitions[COPY_N_DEFINITIONS] = {
	[COPY_STRING] = { "GlobalDef_String", "self stringValue:s" },
	[COPY_REGION] = { "GlobalDef_Region", "self name" },
	[COPY_GROUP] = { "GlobalDef_Group", "self groupType paradigm numberOfMembers" },
	[COPY_MEMBER] = { "GlobalDef_GroupMember", "group rank location" },
	[COPY_COMM] = { "GlobalDef_Comm", "self group" },
	[COPY_LOCATION] = { "GlobalDef_Location", "self locationGroup" },
};

struct otf2ctf_copy {
	struct mer_arena arena;
	struct ctf_schema schema;
	struct ctf_clock clock;
	struct ctf_stream_class classes[N_CLASSES];
	struct ctf_event_class events[COPY_N_EVENTS], definitions[COPY_N_DEFINITIONS];
	uint8_t n_fields[COPY_N_EVENTS];
	const char *folder;
	uint64_t id;
	uint32_t n_hosts;
	struct ctf_writer *stream, *defined; /* NULL: none is open */
};

static uint8_t make_class(
	struct mer_arena *a, struct ctf_event_class *c, uint64_t id, const struct row *row)
{
	uint8_t n = 0;
	*c = (struct ctf_event_class){
		.id = id, .name = row->name, .log_level = -1, .payload = ctf_new_struct(a, 1)
	};
	for (const char *p = row->fields; *p; n++) {
		size_t len = strcspn(p, " "), name = strcspn(p, " :");
		ctf_struct_add(a, c->payload, mer_arena_strndup(a, p, name),
			name < len ? ctf_new_string(a) : ctf_new_int(a, 64, false, 8, CTF_LE));
		p += len;
		p += strspn(p, " ");
	}
	return n;
}

/* Without cpu_id: a location of OTF2 has no CPU. */
static struct ctf_fc *packet_context(struct mer_arena *a, int clock)
{
	struct ctf_fc *c = ctf_new_packet_context(a, CTF_LE, clock);
	if (c && c->u.record.n)
		c->u.record.n--; /* cpu_id is the last one */
	return c;
}

static int make_schema(struct otf2ctf_copy *c, struct mer_err *err)
{
	struct mer_arena *a = &c->arena;
	c->schema = (struct ctf_schema){ .major = 1,
		.minor = 8,
		.order = CTF_LE,
		.has_uuid = true,
		.clocks = &c->clock,
		.n_clocks = 1,
		.streams = c->classes,
		.n_streams = N_CLASSES };
	c->schema.packet_header = ctf_new_packet_header(a, CTF_LE);
	for (int i = 0; i < N_CLASSES; i++) {
		int clock = i == EVENTS ? 0 : -1;
		c->classes[i] = (struct ctf_stream_class){ .id = (uint64_t)i,
			.clock = (int16_t)clock,
			.packet_context = packet_context(a, clock),
			.event_header = ctf_new_event_header(
				a, &c->schema, CTF_WRITE_COMPACT, CTF_LE, clock) };
	}
	for (unsigned i = 0; i < COPY_N_EVENTS; i++)
		c->n_fields[i] = make_class(a, &c->events[i], i, &events[i]);
	for (unsigned i = 0; i < COPY_N_DEFINITIONS; i++)
		(void)make_class(a, &c->definitions[i], i, &definitions[i]);
	c->classes[EVENTS].events = c->events;
	c->classes[EVENTS].n_events = COPY_N_EVENTS;
	c->classes[DEFINITIONS].events = c->definitions;
	c->classes[DEFINITIONS].n_events = COPY_N_DEFINITIONS;
	return a->failed ? mer_fail_nomem(err) : 0;
}

enum { PATH_BYTES = 4200 };

/* FOLDER/HOST/name. */
static int path_of(const struct otf2ctf_copy *c, uint32_t host, const char *name,
	char path[PATH_BYTES], struct mer_err *err)
{
	int n = snprintf(path, PATH_BYTES, "%s/%u/%s", c->folder, (unsigned)host, name);
	return (size_t)n >= PATH_BYTES
		       ? mer_fail(err, MER_ERR_LIMIT, "%s: the path is too long", c->folder)
		       : 0;
}

static int open_stream(struct otf2ctf_copy *c, unsigned class, uint32_t host, const char *name,
	uint64_t id, struct ctf_writer **w, struct mer_err *err)
{
	char path[PATH_BYTES];
	int rc = path_of(c, host, name, path, err);
	if (rc)
		return rc;
	copied_uuid(c->schema.uuid, c->id, 0, host);
	return ctf_writer_open(&c->schema, &c->classes[class],
		&(struct ctf_writer_options){ .path = path, .stream_id = id }, w, err);
}

static int make_host_folder(const struct otf2ctf_copy *c, uint32_t host, struct mer_err *err)
{
	char path[PATH_BYTES];
	int rc = path_of(c, host, "", path, err);
	if (rc)
		return rc;
	return mer_make_folder(path) ? 0 : mer_fail_errno(err, "make the folder", path);
}

int otf2ctf_copy_new(
	const char *folder, uint64_t id, struct otf2ctf_copy **copy, struct mer_err *err)
{
	struct otf2ctf_copy *c = calloc(1, sizeof(*c));
	*copy = c;
	if (!c)
		return mer_fail_nomem(err);
	mer_arena_init(&c->arena);
	c->folder = folder;
	c->id = id;
	c->clock = (struct ctf_clock){ .name = "otf2", .freq_hz = 1000000000 };
	int rc = make_schema(c, err);
	if (rc == 0)
		rc = make_host_folder(c, 0, err);
	return rc ? rc : open_stream(c, DEFINITIONS, 0, "definitions", 0, &c->defined, err);
}

void otf2ctf_copy_free(struct otf2ctf_copy *c)
{
	if (!c)
		return;
	(void)ctf_writer_close(c->stream, NULL);
	(void)ctf_writer_close(c->defined, NULL);
	mer_arena_fini(&c->arena);
	free(c);
}

int otf2ctf_copy_define(struct otf2ctf_copy *c, enum copy_definition what, const uint64_t *values,
	const char *text, struct mer_err *err)
{
	struct ctf_value v[COPY_MAX_FIELDS];
	size_t n = c->definitions[what].payload->u.record.n, n_numbers = n - (text != NULL);
	for (size_t i = 0; i < n_numbers; i++)
		v[i] = (struct ctf_value){ .kind = CTF_VALUE_UINT, .v.u = values[i] };
	if (text)
		v[n_numbers] = (struct ctf_value){ .kind = CTF_VALUE_BYTES,
			.v.bytes = { text, strlen(text) } };
	return ctf_writer_event(c->defined, &c->definitions[what], 0, v, n, err);
}

int otf2ctf_copy_defined(struct otf2ctf_copy *c, struct mer_err *err)
{
	struct ctf_writer *w = c->defined;
	c->defined = NULL;
	return ctf_writer_close(w, err);
}

static int write_metadata(struct otf2ctf_copy *c, uint32_t host, struct mer_err *err)
{
	char folder[PATH_BYTES];
	int rc = path_of(c, host, "", folder, err);
	return rc ? rc : copied_write_metadata(folder, &c->schema, err);
}

int otf2ctf_copy_host(struct otf2ctf_copy *c, const char *name, uint64_t key,
	const struct copy_clock *clock, const char *creator, struct mer_err *err)
{
	struct ctf_env env[] = { { .name = "hostname", .text = name },
		{ .name = "domain", .text = "otf2" }, { .name = "tracer_name", .text = creator },
		{ .name = COPIED_ENV_FORM, .text = "OTF2" } };
	uint32_t host = c->n_hosts;
	int rc = make_host_folder(c, host, err);
	if (rc)
		return rc;
	copied_uuid(c->schema.uuid, c->id, 0, host);
	/* A clock of its own: other recordings of a host with this name have another clock. */
	copied_uuid(c->clock.uuid, c->id, 1, key);
	c->clock.has_uuid = true;
	c->clock.freq_hz = clock->freq_hz;
	c->clock.offset_s = clock->offset_ns / 1000000000;
	c->clock.offset_cycles = (int64_t)((unsigned __int128)(clock->offset_ns % 1000000000) *
					   clock->freq_hz / 1000000000);
	c->schema.env = env;
	c->schema.n_env = sizeof(env) / sizeof(env[0]);
	rc = write_metadata(c, host, err);
	c->schema.env = NULL;
	c->schema.n_env = 0;
	c->n_hosts++;
	return rc;
}

int otf2ctf_copy_stream(struct otf2ctf_copy *c, uint32_t host, uint32_t place, struct mer_err *err)
{
	char name[16];
	snprintf(name, sizeof(name), "%u", (unsigned)place);
	return open_stream(c, EVENTS, host, name, place, &c->stream, err);
}

int otf2ctf_copy_event(struct otf2ctf_copy *c, enum copy_event what, uint64_t ticks,
	uint64_t location, const uint64_t *values, struct mer_err *err)
{
	struct ctf_value v[COPY_MAX_FIELDS];
	v[0] = (struct ctf_value){ .kind = CTF_VALUE_UINT, .v.u = location };
	for (size_t i = 1; i < c->n_fields[what]; i++)
		v[i] = (struct ctf_value){ .kind = CTF_VALUE_UINT, .v.u = values[i - 1] };
	return ctf_writer_event(c->stream, &c->events[what], ticks, v, c->n_fields[what], err);
}

int otf2ctf_copy_stream_end(struct otf2ctf_copy *c, struct mer_err *err)
{
	struct ctf_writer *w = c->stream;
	c->stream = NULL;
	return ctf_writer_close(w, err);
}
