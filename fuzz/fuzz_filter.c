/* Fuzzer of filter expressions: no text may crash the parser or take forever, an error points into
 * the text, and what is accepted can be asked about a class of events with all kinds of fields.
 * What the class rules out is also ruled out by the tests made for it, which run on random rows. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/metadata.h"
#include "trace/filter/filter.h"
#include "check.h"

/* One event class, its fields named a to n. */
static const char metadata[] =
	"/* CTF 1.8 */ typealias integer { size = 8; signed = true; } := s8;"
	"typealias integer { size = 64; align = 8; } := u64;"
	"trace { major = 1; minor = 8; byte_order = le; };"
	"stream { packet.context := struct { u64 p; }; event.header := struct { u64 id; };"
	"  event.context := struct { s8 q; }; };"
	"event { name = \"abc\"; fields := struct {"
	"  u64 a; s8 b; enum : s8 { X = -3 ... -1, Y, Z = 5, X = 7 } c; string d;"
	"  floating_point { exp_dig = 11; mant_dig = 53; align = 8; } e;"
	"  u64 n; u64 f[n]; struct { s8 g; u64 h[3]; } i;"
	"  enum : s8 { one, two } t; variant <t> { u64 one; string two; } v; u64 name;"
	"}; };";

static uint64_t rows[2][64];
static const uint64_t elements[4] = { 1, UINT64_MAX, 3, 4 };

/* Rows such as a reading could make: what depends on data is in bounds. */
static void fill_rows(const struct ctf_plan *plan, const uint8_t *data, size_t size)
{
	static const char text[] = "abcdefgh";
	for (size_t i = 0; i < 64; i++)
		rows[0][i] = rows[1][i] = size ? (uint64_t)(int8_t)data[i % size] : 0;
	const struct ctf_fc *payload = plan->class->payload;
	for (uint32_t i = 0; i < payload->u.record.n; i++) {
		const struct ctf_fc *fc = payload->u.record.fields[i].fc;
		uint64_t *slot = &rows[0][plan->slots[CTF_SCOPE_PAYLOAD][i]];
		uint64_t v = slot[0];
		switch (fc->kind) {
		case CTF_STRUCT: slot++; /* its member h */ /* fall through */
		case CTF_ARRAY:
			slot[0] = fc->kind == CTF_STRUCT ? 3 : v % 5;
			slot[1] = (uint64_t)(uintptr_t)elements;
			break;
		case CTF_VARIANT:
			slot[0] = v % 2;
			if (slot[0] == 0)
				break;
			slot++; /* fall through */
		case CTF_STRING:
			slot[0] = (uint64_t)(uintptr_t)text;
			slot[1] = v % sizeof(text);
			break;
		default: break;
		}
	}
}

struct world {
	struct mer_arena arena;
	struct mer_experiment e;
	struct trace_part part;
	struct mer_host host;
	struct mer_trace trace;
	struct mer_stream stream;
	struct trace_reading *reading;
};

static struct world *make_world(void)
{
	static struct world w;
	struct ctf_schema *schema;
	struct mer_diags diags;
	struct mer_err err;
	mer_arena_init(&w.arena);
	mer_diags_init(&diags, &w.arena);
	check(ctf_tsdl_parse(metadata, sizeof(metadata) - 1, "fuzz", -1, &w.arena, &diags, &schema,
		      &err) == 0);
	mer_diags_fini(&diags);
	w.part.schema = schema;
	w.host.name = "host";
	w.trace.path = w.stream.path = "/trace";
	w.trace.domain = "kernel";
	w.stream.cpu = 1;
	w.e = (struct mer_experiment){ .hosts = &w.host,
		.traces = &w.trace,
		.streams = &w.stream,
		.parts = &w.part,
		.n_hosts = 1,
		.n_traces = 1,
		.n_streams = 1,
		.n_parts = 1 };
	struct mer_need all = { "*", NULL };
	check(trace_reading_from_needs(&w.e, &all, 1, true, &w.reading, &err) == 0);
	return &w;
}

static void try_filter(
	const struct world *w, const struct trace_filter *f, const uint8_t *data, size_t size)
{
	const struct ctf_stream_plan *sp = &w->reading->programs[0]->streams[0];
	const struct ctf_plan *plan = &sp->events[0];
	struct trace_bound_filter *b;
	struct mer_err err;
	bool may = trace_filter_may_match(f, sp->class, plan->class);
	check(trace_filter_bind(f, &w->e, w->reading, &b, &err) == 0);
	/* Without contexts, which needs a cursor: those filters are only bound. */
	if (!trace_filter_needs_contexts(f, &w->e)) {
		fill_rows(plan, data, size);
		struct mer_event ev = { .ts = size ? (int64_t)data[0] : MER_NO_TIME,
			.slots = rows[0],
			.plan = plan,
			.context = UINT32_MAX };
		bool match = trace_filter_match(b, NULL, &ev);
		check(may || !match);
	}
	trace_filter_unknown(f, &w->e);
	trace_filter_unbind(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world *world;
	struct trace_filter *f;
	struct mer_err err = { 0 };
	if (!world)
		world = make_world();
	char *text = malloc(size + 1);
	check(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	int rc = trace_filter_parse(text, &f, &err);
	if (rc == 0) {
		try_filter(world, f, data, size);
		trace_filter_free(f);
	} else {
		check(err.code == rc && strncmp(err.text, "filter:", 7) == 0);
	}
	free(text);
	return 0;
}
