/* A world that was saved and opened again is the same: all of its tables and spans, and what is
 * made of them; and it is that of a reading without anything that only the store wants. Damage is
 * noticed, and harms nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "given.h"
#include "path/blocked.h"
#include "path/usage.h"
#include "recording.h"
#include "store/check.h"
#include "store/record.h"

static const uint8_t key[STORE_KEY_BYTES] = "0123456789abcdef";

struct saved {
	struct recording r;
	struct usage *usage;
	struct kernel_world *world; /* as the store wants it */
	char path[64];
	struct store *store;
};

static void build(struct saved *s, const char *name)
{
	struct mer_err err = { 0 };
	recording_open(&s->r, name);
	assert_int_equal(usage_new(s->r.e->n_hosts, NULL, &s->usage, &err), 0);
	struct kernel_observer *observers = calloc(s->r.e->n_hosts + 1u, sizeof(*observers));
	assert_non_null(observers);
	for (uint32_t h = 0; h < s->r.e->n_hosts; h++) {
		observers[h] = usage_observers(s->usage)[h];
		observers[h].wants |= KERNEL_WANT_PACKETS; /* names of devices */
	}
	struct kernel_world_options o = { .n_threads = 2, .observers = observers };
	if (kernel_world_build(s->r.e, &s->r.messages, s->r.result, &o, &s->world, &err) ||
		usage_settle(s->usage, s->world, &err))
		fail_msg("%s", err.text);
	free(observers);
}

static void save(struct saved *s)
{
	struct mer_err err = { 0 };
	snprintf(s->path, sizeof(s->path), "/tmp/meridian-store-XXXXXX");
	int fd = mkstemp(s->path);
	assert_true(fd >= 0);
	close(fd);
	if (store_record(&(struct store_target){ .path = s->path, .key = key, .about = s->r.name },
		    s->r.e, &s->r.messages, NULL, s->r.result,
		    &(struct kernel_world_options){ .n_threads = 2 }, &err))
		fail_msg("%s", err.text);
}

static void begin(struct saved *s, const char *name)
{
	struct mer_err err = { 0 };
	*s = (struct saved){ 0 };
	build(s, name);
	save(s);
	if (store_open(s->path, key, s->r.e, &s->store, &err))
		fail_msg("%s", err.text);
}

static void end(struct saved *s)
{
	store_close(s->store);
	unlink(s->path);
	usage_free(s->usage);
	kernel_world_free(s->world);
	recording_close(&s->r);
}

static void check_span(const struct kernel_span *a, const struct kernel_span *b)
{
	if (a->begin != b->begin || a->task != b->task || a->before != b->before ||
		a->call != b->call || a->by != b->by || a->source != b->source ||
		a->cpu != b->cpu || a->state != b->state || a->cause != b->cause)
		fail_msg("spans differ at %lld", (long long)a->begin);
}

static void check_maps(const struct mer_map *a, const struct mer_map *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->cap; i++)
		if (a->slots[i].used)
			assert_int_equal(*mer_map_get(b, a->slots[i].key), a->slots[i].value);
}

static void check_host(const struct kernel_host *a, const struct kernel_host *b)
{
	assert_int_equal(a->begin, b->begin);
	assert_int_equal(a->end, b->end);
	assert_true(a->n_events <= b->n_events); /* those that facts are made of, too */
	assert_int_equal(a->n_odd, b->n_odd);
	assert_int_equal(a->n_calls_left_out, b->n_calls_left_out);
	assert_int_equal(a->has_wakeups, b->has_wakeups);
	assert_int_equal(a->has_interrupts, b->has_interrupts);
	assert_int_equal(a->n_spans, b->n_spans);
	assert_int_equal(a->n_tasks, b->n_tasks);
	assert_int_equal(a->n_renames, b->n_renames);
	assert_int_equal(a->n_calls, b->n_calls);
	assert_int_equal(a->n_requests, b->n_requests);
	assert_int_equal(a->names.n, b->names.n);
	for (uint32_t i = 0; i < a->names.n; i++)
		assert_string_equal(kernel_name_text(a, i), kernel_name_text(b, i));
	for (uint32_t i = 0; i < a->n_spans; i++)
		check_span(kernel_span(a, i), kernel_span(b, i));
	for (uint32_t i = 0; i < a->n_tasks; i++) {
		struct kernel_task t = b->tasks[i];
		t.prio = a->tasks[i].prio; /* only the store wants it */
		assert_memory_equal(&a->tasks[i], &t, sizeof(t));
	}
	for (uint32_t i = 0; i < a->n_requests; i++)
		assert_memory_equal(kernel_request_at(a, i), kernel_request_at(b, i),
			sizeof(struct kernel_request));
	check_maps(&a->devices, &b->devices);
	check_maps(&a->irq_names, &b->irq_names);
	check_maps(&a->packages, &b->packages);
	check_maps(&a->first_pieces, &b->first_pieces);
}

/* At any time, the span that a search from the last one back finds. */
static void check_searches(const struct kernel_host *a, const struct kernel_host *b)
{
	uint32_t random = 1;
	for (int i = 0; i < 20000 && a->n_tasks; i++) {
		random = random * 1664525 + 1013904223;
		uint32_t task = (random >> 8) % a->n_tasks;
		random = random * 1664525 + 1013904223;
		int64_t time =
			a->begin + (int64_t)((double)(a->end - a->begin) * random / 4294967296.0);
		assert_int_equal(kernel_span_at(a, task, time, KERNEL_NONE),
			kernel_span_at(b, task, time, KERNEL_NONE));
	}
}

static void check_path(const struct saved *s, const struct kernel_world *w, uint32_t host,
	uint32_t task, int64_t begin, int64_t end)
{
	struct path a = { 0 }, b = { 0 };
	struct mer_err err;
	int rc = path_find(s->r.w, host, task, begin, end, &a, &err);
	assert_int_equal(path_find(w, host, task, begin, end, &b, &err), rc);
	assert_int_equal(a.n_segments, b.n_segments);
	for (size_t i = 0; i < a.n_segments; i++) {
		assert_int_equal(a.segments[i].begin, b.segments[i].begin);
		assert_int_equal(a.segments[i].end, b.segments[i].end);
		assert_int_equal(a.segments[i].task, b.segments[i].task);
		assert_int_equal(a.segments[i].host, b.segments[i].host);
		assert_int_equal(a.segments[i].cause, b.segments[i].cause);
		assert_int_equal(a.segments[i].source, b.segments[i].source);
	}
	path_fini(&a);
	path_fini(&b);
}

static void check_paths(const struct saved *s, const struct kernel_world *w, uint32_t host)
{
	uint32_t n = w->hosts[host].n_tasks, step = n / 30 + 1;
	int64_t begin = w->hosts[host].begin, length = w->hosts[host].end - begin;
	uint64_t random = 3;
	for (uint32_t t = 0; t < n; t += step) {
		check_path(s, w, host, t, INT64_MIN, INT64_MAX);
		for (int i = 0; i < 40; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			int64_t from = begin + (int64_t)((double)length * (double)(random >> 40) /
							 16777216);
			check_path(s, w, host, t, from, from + (length >> i % 14) + 1);
		}
	}
}

static void check_waits(const struct kernel_world *a, const struct kernel_world *b)
{
	struct blocked x, y;
	struct mer_err err;
	assert_int_equal(blocked_find(a, &x, &err), 0);
	assert_int_equal(blocked_find(b, &y, &err), 0);
	for (uint32_t h = 0; h < a->n_hosts; h++) {
		assert_int_equal(x.hosts[h].n, y.hosts[h].n);
		for (size_t i = 0; i < x.hosts[h].n; i++) {
			const struct blocked_wait *v = &x.hosts[h].waits[i],
						  *w = &y.hosts[h].waits[i];
			assert_int_equal(v->begin, w->begin);
			assert_int_equal(v->end, w->end);
			assert_int_equal(v->by_task, w->by_task);
			assert_int_equal(v->is_felt, w->is_felt);
			assert_int_equal(v->is_answer, w->is_answer);
		}
	}
	blocked_fini(&x);
	blocked_fini(&y);
}

static void check_usage(const struct saved *s, const struct kernel_world *w)
{
	struct usage *u = NULL;
	struct mer_err err = { 0 };
	if (store_usage(s->store, &u, &err))
		fail_msg("%s", err.text);
	for (uint32_t h = 0; h < w->n_hosts; h++)
		for (int k = 0; k < USAGE_N_KINDS; k++) {
			enum usage_kind kind = (enum usage_kind)k;
			const struct kernel_host *host = &w->hosts[h];
			int64_t middle = host->begin / 2 + host->end / 2;
			assert_int_equal(usage_is_recorded(u, h, kind),
				usage_is_recorded(s->usage, h, kind));
			for (uint32_t t = 0; t < host->n_tasks; t++)
				assert_int_equal(usage_of(u, h, t, kind, host->begin, middle),
					usage_of(s->usage, h, t, kind, host->begin, middle));
		}
	usage_free(u);
}

/* ---- lanes: from the spans as they are, one by one ---- */

enum { LANE_BINS = 40 };

static void add_part(
	const struct store_window *w, int64_t *times, unsigned state, int64_t begin, int64_t end)
{
	for (uint32_t i = 0; i < w->n_bins; i++) {
		int64_t from = w->begin + (int64_t)((uint64_t)i << w->shift),
			to = from + (int64_t)((uint64_t)1 << w->shift);
		from = from > begin ? from : begin;
		to = to < end ? to : end;
		times[i * STORE_KINDS + state] += to > from ? to - from : 0;
	}
}

static void lanes_one_by_one(const struct kernel_host *h, const struct store_lane *lane,
	const struct store_window *w, int64_t *times)
{
	memset(times, 0, w->n_bins * STORE_KINDS * sizeof(*times));
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		int64_t end = h->tasks[t].end;
		if (!lane->is_cpu && lane->number != t)
			continue;
		for (uint32_t i = h->tasks[t].last; i != KERNEL_NONE;) {
			const struct kernel_span *s = kernel_span(h, i);
			if (!lane->is_cpu || (kernel_is_on_cpu((enum kernel_state)s->state) &&
						     s->cpu == lane->number))
				add_part(w, times, store_lane_kind(s->state, s->cause), s->begin,
					end);
			end = s->begin;
			i = s->before;
		}
	}
}

static void check_lanes(const struct saved *s, uint32_t host)
{
	static int64_t got[6 * LANE_BINS * STORE_KINDS], want[LANE_BINS * STORE_KINDS];
	const struct kernel_host *h = &s->world->hosts[host];
	struct mer_err err = { 0 };
	uint64_t random = 5;
	if (h->n_tasks == 0)
		return;
	for (unsigned shift = 8; shift < 40; shift++) {
		struct store_lane lanes[6] = { { true, 0 }, { true, 1 }, { false, 0 },
			{ false, h->n_tasks / 2 }, { false, h->n_tasks - 1 }, { false, 0 } };
		random = random * 6364136223846793005u + 1442695040888963407u;
		lanes[4].number = (uint32_t)(random >> 33) % h->n_tasks;
		int64_t at = h->begin + (int64_t)((double)(h->end - h->begin) *
						  (double)(random >> 40) / 16777216);
		struct store_window w = {
			.begin = at >> shift << shift, .shift = shift, .n_bins = LANE_BINS
		};
		if (store_lanes(s->store, host, lanes, 6, &w, got, &err))
			fail_msg("%s", err.text);
		for (size_t i = 0; i < 6; i++) {
			lanes_one_by_one(h, &lanes[i], &w, want);
			for (size_t k = 0; k < LANE_BINS * STORE_KINDS; k++)
				if (got[i * LANE_BINS * STORE_KINDS + k] != want[k])
					fail_msg("%s: host %u, lane %zu (%u), shift %u, bin %zu, "
						 "state %zu: %lld, not %lld",
						s->r.name, host, i, lanes[i].number, shift,
						k / STORE_KINDS, k % STORE_KINDS,
						(long long)got[i * LANE_BINS * STORE_KINDS + k],
						(long long)want[k]);
		}
	}
}

/* ---- counts: from the facts one by one ---- */

enum { COUNT_BINS = 50 };

struct counting {
	const struct fact_kind *kind;
	struct store_window w;
	uint64_t counts[COUNT_BINS], bytes[COUNT_BINS], n_facts;
};

static int count_facts(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	struct counting *x = ctx;
	const struct fact_field *field =
		fact_field_find(x->kind, x->kind->bytes ? x->kind->bytes : "bytes");
	(void)h;
	(void)err;
	for (size_t i = 0; i < n; i++) {
		const struct fact *f =
			(const struct fact *)((const char *)facts + i * x->kind->size);
		__int128 bin = ((__int128)f->begin - x->w.begin) >> x->w.shift;
		x->n_facts++;
		if (bin < 0 || bin >= COUNT_BINS)
			continue;
		int64_t bytes = field ? fact_load(field, f) : 0;
		x->counts[bin]++;
		if (bytes > 0 && !(field->has_none && bytes == field->none))
			x->bytes[bin] += (uint64_t)bytes;
	}
	return 0;
}

static void check_counts(const struct saved *s, uint32_t host, const struct fact_kind *kind)
{
	static struct counting x;
	const struct fact_range all = { INT64_MIN, INT64_MAX, NULL };
	const struct analysis_source source = store_source(s->store);
	const struct kernel_host *h = &s->world->hosts[host];
	uint64_t counts[COUNT_BINS], bytes[COUNT_BINS], random = 9, n_counted = 0;
	struct mer_err err = { 0 };
	for (unsigned shift = 4; shift < 44; shift += 3) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		int64_t at = h->begin + (int64_t)((double)(h->end - h->begin) *
						  (double)(random >> 40) / 16777216);
		at = shift > 36 ? 0 : at; /* all of it, once */
		x = (struct counting){ .kind = kind,
			.w = { shift > 36 ? h->begin >> shift << shift : at >> shift << shift,
				shift, COUNT_BINS } };
		if (source.read(source.ctx, host, kind, &all, count_facts, &x, &err) ||
			store_counts(s->store, host, kind, &x.w, counts, bytes, &err))
			fail_msg("%s", err.text);
		for (size_t i = 0; i < COUNT_BINS; i++) {
			if (counts[i] != x.counts[i] || bytes[i] != x.bytes[i])
				fail_msg("%s: host %u, %s, shift %u, bin %zu", s->r.name, host,
					kind->id, shift, i);
			n_counted += counts[i];
		}
	}
	assert_true(n_counted >= x.n_facts || h->begin == MER_NO_TIME);
}

/* ---- tables: of facts in the store, and of facts as they are made ---- */

static bool cells_are_same(const struct mer_cell *a, const struct mer_cell *b, enum mer_type type)
{
	if (a->set != b->set || !a->set)
		return a->set == b->set;
	if (type == MER_TEXT)
		return strcmp(a->v.text, b->v.text) == 0;
	return a->v.i == b->v.i; /* of doubles too: all their bits */
}

static void check_tables(const struct mer_table *a, const struct mer_table *b, const char *name)
{
	if (a->n_rows != b->n_rows || a->n_left_out != b->n_left_out)
		fail_msg(
			"%s: %zu rows of the store, %zu of the traces", name, a->n_rows, b->n_rows);
	for (size_t i = 0; i < a->n_rows; i++)
		for (size_t k = 0; k < a->n_columns; k++)
			if (!cells_are_same(&a->cells[i * a->n_columns + k],
				    &b->cells[i * a->n_columns + k], a->columns[k].type))
				fail_msg("%s: row %zu, %s", name, i, a->columns[k].key);
}

enum { MAX_OUTPUTS = 200 };

static size_t outputs_of_facts(struct analysis_request *requests)
{
	size_t n = 0;
	for (size_t i = 0; analyses[i]; i++)
		for (unsigned k = 0; analyses[i]->outputs[k].id; k++) {
			assert_true(n < MAX_OUTPUTS);
			requests[n] = (struct analysis_request){ analyses[i], k };
			n += analysis_is_of_facts(&requests[n], 1);
		}
	return n;
}

static void check_window(const struct saved *s, const struct analysis_options *o,
	const struct analysis_request *requests, size_t n)
{
	struct analysis_source source = store_source(s->store);
	struct analysis_run of_traces, of_store;
	struct mer_table want[MAX_OUTPUTS], got[MAX_OUTPUTS];
	struct mer_err err = { 0 };
	if (analysis_run(&of_traces, s->r.e, &s->r.messages, s->r.result, NULL, o, requests, n,
		    want, &err) ||
		analysis_run_from(&of_store, &source, NULL, o, requests, n, got, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < n; i++) {
		char name[300];
		snprintf(name, sizeof(name), "%s: %s %s", s->r.name, requests[i].analysis->id,
			requests[i].analysis->outputs[requests[i].output].id);
		check_tables(&got[i], &want[i], name);
		mer_table_fini(&want[i]);
		mer_table_fini(&got[i]);
	}
	analysis_run_fini(&of_traces);
	analysis_run_fini(&of_store);
}

static size_t check_outputs(const struct saved *s)
{
	struct analysis_request requests[MAX_OUTPUTS];
	int64_t begin = s->r.e->begin, length = s->r.e->end - begin;
	size_t n = outputs_of_facts(requests);
	for (int part = 0; part < 3; part++) {
		struct analysis_options o = {
			.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX, .n_bins = 7
		};
		if (part) { /* in the middle, and short */
			o.begin = begin + length / 3;
			o.end = o.begin + length / (part == 1 ? 4 : 200) + 1;
		}
		check_window(s, &o, requests, n);
	}
	return n;
}

static void test_is_the_same(void **state)
{
	struct saved s;
	struct stat st;
	begin(&s, *state);
	const struct kernel_world *w = store_world(s.store);
	assert_int_equal(w->n_bridges, s.world->n_bridges);
	assert_int_equal(w->n_unsynchronized, s.world->n_unsynchronized);
	assert_int_equal(w->n_inversions, s.world->n_inversions);
	for (uint32_t i = w->n_bridges; i-- > 0;) /* blocks in any order */
		assert_memory_equal(kernel_bridge_at(w, i), kernel_bridge_at(s.world, i),
			sizeof(struct kernel_bridge));
	check_maps(&s.world->endpoints, &w->endpoints);
	uint64_t n_spans = 0, n_events = 0;
	for (uint32_t h = 0; h < w->n_hosts; h++) {
		check_searches(&s.world->hosts[h], &w->hosts[h]);
		check_host(&s.world->hosts[h], &w->hosts[h]);
		check_paths(&s, w, h);
		check_lanes(&s, h);
		for (size_t k = 0; fact_kinds[k]; k++)
			if (!fact_kinds[k]->origin)
				check_counts(&s, h, fact_kinds[k]);
		n_spans += w->hosts[h].n_spans;
		n_events += w->hosts[h].n_events;
	}
	check_waits(s.r.w, w);
	check_usage(&s, w);
	size_t n_tables = check_outputs(&s);
	assert_false(store_is_damaged(s.store));
	assert_int_equal(stat(s.path, &st), 0);
	print_message("%s: %zu tables; %.1f bytes a span, %.1f an event; traces: %.1f\n", s.r.name,
		n_tables, (double)st.st_size / (double)(n_spans + 1),
		(double)st.st_size / (double)(n_events + 1),
		(double)s.r.e->bytes / (double)(n_events + 1));
	end(&s);
}

static void use(const struct kernel_world *w)
{
	struct blocked b;
	struct mer_err err;
	for (uint32_t h = 0; h < w->n_hosts; h++)
		for (uint32_t t = 0; t < w->hosts[h].n_tasks; t++) {
			struct path p;
			(void)path_find(w, h, t, INT64_MIN, INT64_MAX, &p, &err);
			path_fini(&p);
		}
	(void)blocked_find(w, &b, &err);
	blocked_fini(&b);
}

/* A byte here and there, or the end is missing. */
static void test_damage(void **state)
{
	struct saved s;
	struct mer_err err;
	uint32_t random = 7, n_noticed = 0;
	begin(&s, *state);
	FILE *f = fopen(s.path, "rb");
	assert_non_null(f);
	uint8_t *bytes = malloc(1 << 24), *broken = malloc(1 << 24);
	assert_true(bytes && broken);
	size_t n = fread(bytes, 1, 1 << 24, f);
	fclose(f);
	for (int round = 0; round < 150; round++) {
		struct store *damaged = NULL;
		struct usage *u = NULL;
		memcpy(broken, bytes, n);
		for (int i = 0; i <= round % 3; i++) {
			random = random * 1664525 + 1013904223;
			broken[(uint64_t)random * n >> 32] ^= (uint8_t)(1u << (random & 7));
		}
		random = random * 1664525 + 1013904223;
		size_t keep = round % 5 ? n : (size_t)((uint64_t)random * n >> 32);
		f = fopen(s.path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(broken, 1, keep, f), keep);
		fclose(f);
		int rc = store_open(s.path, key, s.r.e, &damaged, &err);
		if (rc == 0) {
			use(store_world(damaged));
			rc = store_is_damaged(damaged) ? MER_ERR_INPUT
						       : store_usage(damaged, &u, &err);
			usage_free(u);
		}
		if (rc == 0) /* what is found anew where it is damaged, or was not looked at */
			rc = store_check(s.path, &err);
		n_noticed += rc == MER_ERR_INPUT;
		store_close(damaged);
	}
	/* What is left are bytes between sections. */
	assert_in_range(n_noticed, 142, 150);
	free(bytes);
	free(broken);
	end(&s);
}

static void test_is_of_one_key(void **state)
{
	struct saved s;
	struct store *other = NULL;
	struct mer_err err;
	uint8_t another[STORE_KEY_BYTES] = "0123456789abcdeF";
	begin(&s, *state);
	assert_int_equal(store_open(s.path, another, s.r.e, &other, &err), MER_ERR_INPUT);
	end(&s);
}

int main(void)
{
	static const char *const names[] = {
		"lab/clihog-srvhog-1vm",
		"lab/clihog-srvhog-2vm",
		"lab/cluster-10",
		"lab/cold-disk",
		"lab/cpu-mem-io",
		"lab/ipc-zoo",
		"lab/kvm-nested",
		"lab/login-tree",
		"lab/long-ntp",
		"lab/lost-events",
		"lab/lost-packets",
		"lab/mpi-3vm",
		"lab/netns-containers",
		"lab/reader-zoo",
		"lab/swap",
		"lab/threadirqs",
		"lab/web-load",
		"lab/web-lossy",
		"lab/wget-cold-hot",
	};
	enum { STEP = GIVEN_EVERY(4), N = (sizeof(names) / sizeof(names[0]) + STEP - 1) / STEP };
	struct CMUnitTest tests[N + 2];
	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ .name = names[i * STEP],
			.test_func = test_is_the_same,
			.initial_state = (void *)(uintptr_t)names[i * STEP] };
	tests[N] = (struct CMUnitTest){ .name = "damage",
		.test_func = test_damage,
		.initial_state = (void *)(uintptr_t) "lab/wget-cold-hot" };
	tests[N + 1] = (struct CMUnitTest){ .name = "one key",
		.test_func = test_is_of_one_key,
		.initial_state = (void *)(uintptr_t) "lab/wget-cold-hot" };
	return cmocka_run_group_tests_name("worlds from a store", tests, NULL, NULL);
}
