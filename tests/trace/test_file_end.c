/* The end of a file that ends with its content, without padding: the last bodies are too near to
 * the end of the mapping for loads that read 8 bytes at once, so their operations are executed.
 * Nobody may see which way a body went: wanted fields that an event's class lacks read 0, also when
 * the row was another event's before, up to the very last event. For every shape of event header,
 * for bodies that lack some fields or are empty, and for many lengths, so that either class is the
 * last and the places of the last rows differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctf/writer.h"
#include "trace/cursor.h"

/* Of a row that is wanted, as layouts of many classes have it. */
enum { SLOT_COMM, SLOT_PRIO = 2, SLOT_ID, SLOT_TID, N_SLOTS };

enum { FULL, PART, EMPTY, N_CLASSES }; /* event record classes, by id */

/* A few of the cursor's windows of full events, which leave little of its rows at 0; then classes
 * alternate. */
enum { MIN_EVENTS = 2000, N_LENGTHS = 24, N_ALTERNATE = 100, STEP_NS = 1000 };

static const char comm[] = "kworker/0:1";

struct maker {
	struct mer_arena arena;
	struct ctf_schema schema;
	struct ctf_clock clock;
	struct ctf_stream_class stream;
	struct ctf_event_class events[N_CLASSES];
};

struct kind { /* of trace and reading */
	enum ctf_header_shape shape;
	bool header_wanted;
	uint32_t lacking; /* the class that takes turns with FULL */
};

static uint32_t class_of(const struct kind *k, uint32_t i)
{
	return i >= MIN_EVENTS - N_ALTERNATE && i % 2 ? k->lacking : FULL;
}

static struct ctf_fc *new_int32(struct maker *m)
{
	return ctf_new_int(&m->arena, 32, true, 8, CTF_LE);
}

static void make_schema(struct maker *m, enum ctf_header_shape shape)
{
	struct mer_arena *a = &m->arena;
	static const char *const names[] = { "full", "part", "empty" };
	mer_arena_init(a);
	m->clock = (struct ctf_clock){
		.name = "monotonic", .freq_hz = 1000000000, .offset_s = 1000, .is_absolute = true
	};
	m->schema = (struct ctf_schema){ .major = 2,
		.n_clocks = 1,
		.clocks = &m->clock,
		.n_streams = 1,
		.streams = &m->stream };
	m->schema.packet_header = ctf_new_packet_header(a, CTF_LE);
	m->stream = (struct ctf_stream_class){ .n_events = N_CLASSES, .events = m->events };
	m->stream.packet_context = ctf_new_packet_context(a, CTF_LE, 0);
	m->stream.event_header = ctf_new_event_header(a, &m->schema, shape, CTF_LE, 0);
	for (uint32_t i = 0; i < N_CLASSES; i++)
		m->events[i] = (struct ctf_event_class){
			.id = i, .name = names[i], .log_level = -1, .payload = ctf_new_struct(a, 1)
		};
	ctf_struct_add(a, m->events[FULL].payload, "comm", ctf_new_bytes(a, CTF_TEXT, 16));
	ctf_struct_add(a, m->events[FULL].payload, "tid", new_int32(m));
	ctf_struct_add(a, m->events[FULL].payload, "prio", new_int32(m));
	ctf_struct_add(a, m->events[PART].payload, "tid", new_int32(m));
	assert_false(a->failed);
}

static void write_trace(const char *dir, const struct kind *k, uint32_t n)
{
	struct maker m = { 0 };
	struct ctf_metadata_options text_options = { .major = 2 };
	struct mer_str text = { 0 };
	struct mer_err err;
	char path[100];
	make_schema(&m, k->shape);
	assert_int_equal(ctf_write_metadata(&m.schema, &text_options, &text, &err), 0);
	snprintf(path, sizeof(path), "%s/metadata", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text.data, 1, text.len, f), text.len);
	assert_int_equal(fclose(f), 0);
	mer_str_fini(&text);

	snprintf(path, sizeof(path), "%s/stream", dir);
	struct ctf_writer_options o = { .path = path };
	struct ctf_writer *w;
	assert_int_equal(ctf_writer_open(&m.schema, &m.stream, &o, &w, &err), 0);
	for (uint32_t i = 0; i < n; i++) {
		struct ctf_value tid = { .kind = CTF_VALUE_INT, .v.i = i + 1 };
		struct ctf_value all[] = { { .kind = CTF_VALUE_BYTES,
						   .v.bytes = { comm, sizeof(comm) - 1 } },
			tid, { .kind = CTF_VALUE_INT, .v.i = -1 } };
		uint32_t class = class_of(k, i);
		if (ctf_writer_event(w, &m.events[class], (uint64_t)i * STEP_NS,
			    class == FULL ? all : &tid,
			    class == FULL   ? 3
			    : class == PART ? 1
					    : 0,
			    &err))
			fail_msg("%s", err.text);
	}
	assert_int_equal(ctf_writer_close(w, &err), 0);
	mer_arena_fini(&m.arena);
}

static int32_t want_field(void *arg, const struct ctf_stream_class *stream,
	const struct ctf_event_class *event, enum ctf_scope scope, const struct ctf_field *f)
{
	const struct kind *k = arg;
	(void)stream;
	(void)event;
	if (scope == CTF_SCOPE_EVENT_HEADER)
		return k->header_wanted && f->roles == CTF_ROLE_EVENT_ID ? SLOT_ID : CTF_UNWANTED;
	if (scope != CTF_SCOPE_PAYLOAD)
		return CTF_UNWANTED;
	return strcmp(f->name, "comm") == 0   ? SLOT_COMM
	       : strcmp(f->name, "prio") == 0 ? SLOT_PRIO
					      : SLOT_TID;
}

static uint32_t count_slots(
	void *arg, const struct ctf_stream_class *stream, const struct ctf_event_class *event)
{
	(void)arg;
	(void)stream;
	(void)event;
	return N_SLOTS;
}

static void check_event(const struct kind *k, const uint64_t *row, uint32_t i, uint32_t n)
{
	uint32_t class = class_of(k, i);
	uint64_t expected[N_SLOTS] = { 0 };
	if (class == FULL) {
		expected[SLOT_COMM + 1] = sizeof(comm) - 1;
		expected[SLOT_PRIO] = (uint64_t)-1;
	}
	if (class != EMPTY)
		expected[SLOT_TID] = i + 1;
	if (k->header_wanted)
		expected[SLOT_ID] = class;
	/* An address: only whether there is one is known before. */
	if (class == FULL)
		expected[SLOT_COMM] = row[SLOT_COMM];
	for (uint32_t slot = 0; slot < N_SLOTS; slot++)
		if (row[slot] != expected[slot])
			fail_msg("header %d%s: event %u of %u, of class %u: slot %u is %#llx, not "
				 "%#llx",
				(int)k->shape, k->header_wanted ? ", wanted" : "", i + 1, n, class,
				slot, (unsigned long long)row[slot],
				(unsigned long long)expected[slot]);
	if (class == FULL)
		assert_memory_equal(
			(const void *)(uintptr_t)row[SLOT_COMM], comm, sizeof(comm) - 1);
}

/* That the test is about what it says: the file has nothing behind its last event, and bodies are
 * of the kind that has loads. */
static void check_setting(
	const struct mer_experiment *e, const struct trace_reading *r, const struct kind *k)
{
	assert_int_equal(e->n_files, 1);
	assert_int_equal(e->data[0].n_packets, 1);
	const struct ctf_packet *p = &e->data[0].packets[0];
	assert_int_equal((uint64_t)p->offset * 8 + p->content_bits, e->files[0].bytes * 8);
	const struct ctf_stream_plan *s = &r->programs[0]->streams[0];
	assert_non_null(s->events[FULL].fixed);
	assert_non_null(s->events[k->lacking].fixed);
	assert_true((s->header_kind == CTF_HEADER_GENERIC) == k->header_wanted);
}

static void read_trace(const char *dir, struct kind *k, uint32_t n)
{
	struct ctf_wants wants = { .arg = k, .field = want_field, .n_slots = count_slots };
	struct trace_range whole = { INT64_MIN, INT64_MAX };
	struct mer_experiment *e;
	struct trace_reading *r;
	struct mer_cursor *c;
	struct mer_err err;
	const struct mer_event *ev;
	size_t n_got;
	uint32_t total = 0, n_batches = 0;
	if (mer_experiment_open(&dir, 1, NULL, &e, &err))
		fail_msg("%s", err.text);
	assert_int_equal(trace_reading_new(e, &wants, false, &r, &err), 0);
	check_setting(e, r, k);
	assert_int_equal(trace_cursor_new(e, r, whole, NULL, &c, &err), 0);
	for (;;) {
		if (mer_cursor_next(c, &ev, &n_got, &err))
			fail_msg("%s", err.text);
		if (!n_got)
			break;
		n_batches++;
		for (size_t i = 0; i < n_got; i++)
			check_event(k, ev[i].slots, total++, n);
	}
	assert_int_equal(total, n);
	assert_true(n_batches > 1);
	mer_cursor_free(c);
	trace_reading_free(r);
	mer_experiment_free(e);
}

static int set_up(void **state)
{
	char *dir = strdup("/tmp/meridian-end-XXXXXX");
	assert_non_null(dir);
	assert_non_null(mkdtemp(dir));
	*state = dir;
	return 0;
}

static int tear_down(void **state)
{
	static const char *const files[] = { "metadata", "stream" };
	for (int i = 0; i < 2; i++) {
		char path[100];
		snprintf(path, sizeof(path), "%s/%s", (char *)*state, files[i]);
		unlink(path);
	}
	rmdir(*state);
	free(*state);
	return 0;
}

static void all_lengths(const char *dir, struct kind k)
{
	for (k.lacking = PART; k.lacking < N_CLASSES; k.lacking++)
		for (uint32_t n = MIN_EVENTS; n < MIN_EVENTS + N_LENGTHS; n++) {
			write_trace(dir, &k, n);
			read_trace(dir, &k, n);
		}
}

static void compact_headers(void **state)
{
	all_lengths(*state, (struct kind){ .shape = CTF_WRITE_COMPACT });
}

static void large_headers(void **state)
{
	all_lengths(*state, (struct kind){ .shape = CTF_WRITE_LARGE });
}

static void plain_headers(void **state)
{
	all_lengths(*state, (struct kind){ .shape = CTF_WRITE_PLAIN });
}

/* Then the header's fields are in the row before the body: clearing must not touch them. */
static void wanted_headers(void **state)
{
	all_lengths(*state, (struct kind){ .shape = CTF_WRITE_COMPACT, .header_wanted = true });
	all_lengths(*state, (struct kind){ .shape = CTF_WRITE_PLAIN, .header_wanted = true });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(compact_headers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(large_headers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(plain_headers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wanted_headers, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
