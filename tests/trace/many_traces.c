/* See many_traces.h. Apart, because the writer and the reader are not for one source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctf/writer.h"
#include "many_traces.h"

enum { MAX_HOSTS = 4, N_STREAMS = 3 };

static uint64_t state;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

struct maker {
	struct mer_arena arena;
	struct ctf_schema schema;
	struct ctf_clock clock;
	struct ctf_stream_class stream;
	struct ctf_event_class step;
	struct ctf_env env;
	struct mer_err err;
};

static void make_schema(struct maker *t, unsigned host)
{
	static const uint64_t freqs[] = { 1000000000, 1000000000, 1000000000, 2400000000, 1000000 };
	static char names[MAX_HOSTS][2] = { "a", "b", "c", "d" };
	struct mer_arena *a = &t->arena;
	t->clock = (struct ctf_clock){ .name = "monotonic",
		.freq_hz = freqs[next() % 5],
		.offset_s = 1700000000,
		.offset_cycles = (int64_t)(next() % 1000000),
		.is_absolute = true };
	t->env = (struct ctf_env){ .name = "hostname", .text = names[host] };
	t->schema = (struct ctf_schema){ .major = 1,
		.minor = 8,
		.has_uuid = true,
		.uuid = { (uint8_t)(host + 1) },
		.n_clocks = 1,
		.clocks = &t->clock,
		.n_env = 1,
		.env = &t->env,
		.n_streams = 1,
		.streams = &t->stream };
	t->schema.packet_header = ctf_new_packet_header(a, CTF_LE);
	t->stream = (struct ctf_stream_class){ .n_events = 1, .events = &t->step };
	t->stream.packet_context = ctf_new_packet_context(a, CTF_LE, 0);
	t->stream.event_header =
		ctf_new_event_header(a, &t->schema, (enum ctf_header_shape)(next() % 3), CTF_LE, 0);
	struct ctf_fc *p = ctf_new_struct(a, 1);
	assert_non_null(ctf_struct_add(a, p, "serial", ctf_new_int(a, 64, false, 8, CTF_LE)));
	t->step = (struct ctf_event_class){ .name = "step", .log_level = -1, .payload = p };
	assert_false(a->failed);
}

static void write_stream(struct maker *t, const char *dir, uint32_t cpu)
{
	char path[200];
	snprintf(path, sizeof(path), "%s/stream_%u", dir, (unsigned)cpu);
	struct ctf_writer_options o = { .path = path,
		.stream_id = cpu,
		.cpu_id = cpu,
		.packet_bytes = (size_t)512 << next() % 6 };
	struct ctf_writer *w;
	if (ctf_writer_open(&t->schema, &t->stream, &o, &w, &t->err))
		fail_msg("%s", t->err.text);
	uint64_t clock = next() % 1000000, step = (uint64_t)1 << next() % 20;
	size_t n = next() % 3000;
	for (size_t i = 0; i < n; i++) {
		struct ctf_value v = { .kind = CTF_VALUE_UINT, .v.u = i };
		clock += next() % 4 ? next() % step : 0;
		if (ctf_writer_event(w, &t->step, clock, &v, 1, &t->err))
			fail_msg("%s", t->err.text);
		if (next() % 200 == 0) {
			clock += next() % (step * 100);
			assert_int_equal(ctf_writer_end(w, clock, &t->err), 0);
			ctf_writer_discard(w, next() % 3);
		}
	}
	if (ctf_writer_close(w, &t->err))
		fail_msg("%s", t->err.text);
}

void many_traces_make(struct many_traces *out, unsigned seed)
{
	state = 0x9e3779b97f4a7c15u * (seed + 1);
	strcpy(out->dir, "/tmp/meridian-many-XXXXXX");
	assert_non_null(mkdtemp(out->dir));
	for (unsigned h = 0; h < 1 + seed % MAX_HOSTS; h++) {
		struct maker t = { 0 };
		char dir[100], path[200];
		mer_arena_init(&t.arena);
		make_schema(&t, h);
		snprintf(dir, sizeof(dir), "%s/%u", out->dir, h);
		assert_int_equal(mkdir(dir, 0700), 0);
		struct mer_str text = { 0 };
		struct ctf_metadata_options o = { 0 };
		if (ctf_write_metadata(&t.schema, &o, &text, &t.err))
			fail_msg("%s", t.err.text);
		snprintf(path, sizeof(path), "%s/metadata", dir);
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(text.data, 1, text.len, f), text.len);
		assert_int_equal(fclose(f), 0);
		mer_str_fini(&text);
		for (uint32_t cpu = 0; cpu < N_STREAMS; cpu++)
			write_stream(&t, dir, cpu);
		mer_arena_fini(&t.arena);
	}
}

void many_traces_remove(struct many_traces *t)
{
	for (unsigned h = 0; h < MAX_HOSTS; h++) {
		static const char *const files[] = { "metadata", "stream_0", "stream_1",
			"stream_2" };
		char path[200];
		for (int i = 0; i < 4; i++) {
			snprintf(path, sizeof(path), "%s/%u/%s", t->dir, h, files[i]);
			unlink(path);
		}
		snprintf(path, sizeof(path), "%s/%u", t->dir, h);
		rmdir(path);
	}
	rmdir(t->dir);
}
