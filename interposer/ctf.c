/* The trace of a process: what its events are, as src/mpi/events.c reads them, on the clock that LTTng
 * uses, of the same host. The metadata is written by the library's writer (ctf/writer.h), when the
 * trace begins; streams are stream.c's, which lays out packets and events as they are here. */
#include "interposer/interposer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ctf/writer.h"

struct mm_ctf {
	char folder[3000];
	struct mer_arena arena;
	struct ctf_schema schema;
	struct ctf_clock clock;
	struct ctf_stream_class stream;
	struct ctf_event_class events[MM_N_EVENTS];
	struct ctf_env env[4];
	char host[256];
};

/* Fields of each event besides rank, pid and tid; :N is the number of bits, i: signed. */
static const struct {
	const char *name, *fields;
} events[MM_N_EVENTS] = {
	[MM_INIT] = { "meridian_mpi:init", "size i32 job u64" },
	[MM_COMM] = { "meridian_mpi:comm", "comm i64 size i32" },
	[MM_ENTER] = { "meridian_mpi:enter", "call u16" },
	[MM_LEAVE] = { "meridian_mpi:leave", "call u16" },
	[MM_SENT] = { "meridian_mpi:send", "comm i64 peer i32 tag i32 bytes u64 request u64" },
	[MM_SEND_DONE] = { "meridian_mpi:send_done", "request u64" },
	[MM_POSTED] = { "meridian_mpi:recv_posted",
		"comm i64 peer i32 tag i32 bytes u64 request u64" },
	[MM_RECV_DONE] = { "meridian_mpi:recv_done",
		"comm i64 peer i32 tag i32 bytes u64 request u64" },
	[MM_JOINED] = { "meridian_mpi:collective", "comm i64 seq u64 root i32 bytes u64" },
	[MM_POLLED] = { "meridian_mpi:polled", "call u16 count u64 ago u64" },
	[MM_FINAL] = { "meridian_mpi:final", "" },
};

static void add_field(
	struct mm_ctf *c, struct ctf_fc *to, const char *name, unsigned bits, bool sign)
{
	struct ctf_fc *fc = ctf_new_int(&c->arena, bits, sign, 8, CTF_LE);
	if (strcmp(name, "call") == 0)
		for (unsigned i = MPI_CALL_OTHER + 1; i < MPI_CALL_N; i++)
			ctf_enum_add(&c->arena, fc, mpi_call_names[i], i, i);
	ctf_struct_add(&c->arena, to, name, fc);
}

static struct ctf_fc *payload_of(struct mm_ctf *c, const char *fields)
{
	struct ctf_fc *p = ctf_new_struct(&c->arena, 1);
	char name[16], type;
	unsigned bits;
	int used;
	add_field(c, p, "rank", 32, true);
	add_field(c, p, "pid", 32, true);
	add_field(c, p, "tid", 32, true);
	while (sscanf(fields, "%15s %c%u%n", name, &type, &bits, &used) == 3) {
		char *stays = mer_arena_strdup(&c->arena, name);
		add_field(c, p, stays ? stays : "?", bits, type == 'i');
		fields += used;
	}
	return p;
}

static void set_clock(struct mm_ctf *c)
{
	struct timespec mono, real;
	char text[64] = "";
	unsigned byte[16];
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	int64_t ns =
		(int64_t)(real.tv_sec - mono.tv_sec) * 1000000000 + real.tv_nsec - mono.tv_nsec;
	c->clock = (struct ctf_clock){ .name = "monotonic",
		.description = "Monotonic Clock",
		.freq_hz = 1000000000,
		.offset_s = ns / 1000000000,
		.offset_cycles = ns % 1000000000,
		.is_absolute = true };
	if (f && fgets(text, sizeof(text), f) &&
		sscanf(text, "%2x%2x%2x%2x-%2x%2x-%2x%2x-%2x%2x-%2x%2x%2x%2x%2x%2x", byte, byte + 1,
			byte + 2, byte + 3, byte + 4, byte + 5, byte + 6, byte + 7, byte + 8,
			byte + 9, byte + 10, byte + 11, byte + 12, byte + 13, byte + 14,
			byte + 15) == 16) {
		for (int i = 0; i < 16; i++)
			c->clock.uuid[i] = (uint8_t)byte[i];
		c->clock.has_uuid = true;
	}
	if (f)
		fclose(f);
}

static void make_schema(struct mm_ctf *c)
{
	gethostname(c->host, sizeof(c->host) - 1);
	set_clock(c);
	c->env[0] = (struct ctf_env){ "domain", "ust", 0 };
	c->env[1] = (struct ctf_env){ "tracer_name", "libmeridian-mpi", 0 };
	c->env[2] = (struct ctf_env){ "hostname", c->host, 0 };
	c->env[3] = (struct ctf_env){ "vpid", NULL, mm_pid };
	c->schema = (struct ctf_schema){ .major = 1,
		.minor = 8,
		.n_clocks = 1,
		.clocks = &c->clock,
		.n_streams = 1,
		.streams = &c->stream,
		.n_env = 4,
		.env = c->env };
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	const uint64_t own[2] = { (uint64_t)t.tv_sec << 30 ^ (uint64_t)t.tv_nsec,
		(uint64_t)mm_pid << 32 ^ (uint64_t)(uint32_t)mm_rank };
	memcpy(c->schema.uuid, own, sizeof(own));
	c->schema.has_uuid = true;
	c->schema.packet_header = ctf_new_packet_header(&c->arena, CTF_LE);
	c->stream = (struct ctf_stream_class){ .n_events = MM_N_EVENTS, .events = c->events };
	c->stream.packet_context = ctf_new_packet_context(&c->arena, CTF_LE, 0);
	c->stream.event_header =
		ctf_new_event_header(&c->arena, &c->schema, CTF_WRITE_PLAIN, CTF_LE, 0);
	for (unsigned i = 0; i < MM_N_EVENTS; i++)
		c->events[i] = (struct ctf_event_class){ .id = i,
			.name = events[i].name,
			.log_level = -1,
			.payload = payload_of(c, events[i].fields) };
}

static bool write_metadata(struct mm_ctf *c, struct mer_err *err)
{
	struct mer_str text = { 0 };
	char path[3100];
	struct ctf_metadata_options o = { .major = 1 };
	snprintf(path, sizeof(path), "%s/metadata", c->folder);
	bool ok = ctf_write_metadata(&c->schema, &o, &text, err) == 0;
	FILE *f = ok ? fopen(path, "w") : NULL;
	ok = f && fwrite(text.data, 1, text.len, f) == text.len;
	ok &= f && fclose(f) == 0;
	mer_str_fini(&text);
	return ok;
}

struct mm_ctf *mm_ctf_open(const char *folder, char *problem, size_t size)
{
	struct mm_ctf *c = calloc(1, sizeof(*c));
	struct mer_err err = { 0 };
	if (!c) {
		snprintf(problem, size, "no memory");
		return NULL;
	}
	snprintf(c->folder, sizeof(c->folder), "%s", folder);
	mer_arena_init(&c->arena);
	make_schema(c);
	if (c->arena.failed || !write_metadata(c, &err)) {
		snprintf(problem, size, "cannot write the metadata%s%s", err.text[0] ? ": " : "",
			err.text);
		mer_arena_fini(&c->arena);
		free(c);
		return NULL;
	}
	return c;
}

const uint8_t *mm_ctf_uuid(const struct mm_ctf *c)
{
	return c->schema.uuid;
}
