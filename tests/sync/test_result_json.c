/* Results as JSON: what is written reads back to the same, the pieces that people are given say
 * what the map says, hosts are found by their id, and files that are wrong are refused with the
 * place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>
#include "sync/result_lines.h"
#include "sync/result_view.h"

enum { N_HOSTS = 4 };
static const struct mer_host hosts[N_HOSTS] = { { "alpha", "id-a", 1 }, { "beta", "id-b", 1 },
	{ "gam\"ma", "id-c", 1 }, { "alone", "id-d", 1 } };

static const int64_t T = INT64_C(1795227171997296386);

/* Random numbers that are the same everywhere. */
static uint64_t next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	uint64_t z = *state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static struct sync_latency some_latency(uint64_t n)
{
	if (!n)
		return (struct sync_latency){ 0 };
	return (struct sync_latency){ n, n / 3, -500, 7000000, 1000, 2000, 3000, 1234.56789,
		n > 1 ? 17.25 : NAN };
}

/* Pieces of a clock that wanders, continuous, some of them long. */
static void make_map(struct sync_result *r, struct sync_host *h, size_t n, uint64_t seed)
{
	struct trace_clock_piece *p = mer_arena_zalloc(&r->arena, n, sizeof(*p));
	int64_t t = h->span.begin - 1000, offset = (int64_t)(next(&seed) % 2000000000) - 1000000000;
	for (size_t i = 0; i < n; i++) {
		p[i].begin = t;
		p[i].rate = ((int64_t)(next(&seed) % 2000000) - 1000000) *
			    (((int64_t)1 << TRACE_RATE_BITS) / 1000000000);
		if (i == 0)
			p[i].time = t + offset;
		else {
			struct trace_clock_map before = { p, i };
			p[i].time = trace_map_time(&before, t);
		}
		t += 1 + (int64_t)(next(&seed) % (uint64_t)INT64_C(3600000000000));
	}
	h->map = (struct trace_clock_map){ p, n };
	h->span.end = t;
}

static struct sync_limit *make_limits(struct sync_result *r, size_t n, int sign)
{
	struct sync_limit *l = mer_arena_zalloc(&r->arena, n, sizeof(*l));
	for (size_t i = 0; i < n; i++)
		l[i] = (struct sync_limit){ T + (int64_t)i * 1000003,
			sign * (int64_t)(100 + i % 7) };
	return l;
}

static struct sync_result *make(size_t n_limits)
{
	struct sync_result *r = calloc(1, sizeof(*r));
	mer_arena_init(&r->arena);
	mer_diags_init(&r->diags, &r->arena);
	r->method = SYNC_AUTO;
	r->max_drift_ppm = 1000;
	r->n_hosts = N_HOSTS;
	r->n_groups = 2;
	r->references = mer_arena_zalloc(&r->arena, N_HOSTS, sizeof(*r->references));
	r->references[0] = 1;
	r->references[1] = 3;
	r->hosts = mer_arena_zalloc(&r->arena, N_HOSTS, sizeof(*r->hosts));
	r->counts = mer_arena_zalloc(&r->arena, N_HOSTS, sizeof(*r->counts));
	r->loopback = mer_arena_zalloc(&r->arena, N_HOSTS, sizeof(*r->loopback));
	for (uint32_t i = 0; i < N_HOSTS; i++) {
		struct sync_host *h = &r->hosts[i];
		*h = (struct sync_host){ .name = hosts[i].name,
			.id = hosts[i].id,
			.group = i == 3,
			.method = i == 2 ? SYNC_HULL : SYNC_AUTO,
			.quality = i == 1 ? SYNC_REFERENCE : SYNC_ACCURATE,
			.span = { T, T + 1000000000 },
			.max_rate_ppm = 1e6 / 999,
			.bound = { 10, 20, 30, T + 5 },
			.n_matched = 100 + i,
			.n_used = i };
		r->counts[i] = (struct sync_host_counts){ 1, 2, 3, 4, 5, 6, UINT64_MAX, 0 };
		r->loopback[i] = some_latency(i);
	}
	make_map(r, &r->hosts[0], 200, 1);
	make_map(r, &r->hosts[2], 1, 2);
	r->hosts[3].bound = (struct sync_bound){ INT64_MAX, INT64_MAX, INT64_MAX, MER_NO_TIME };
	r->hosts[3].span = (struct sync_range){ MER_NO_TIME, MER_NO_TIME };
	r->hosts[0].high = make_limits(r, n_limits, 1);
	r->hosts[0].low = make_limits(r, n_limits, -1);
	r->hosts[0].n_high = r->hosts[0].n_low = n_limits;
	struct sync_step *steps = mer_arena_zalloc(&r->arena, 2, sizeof(*steps));
	steps[0] = (struct sync_step){ { T + 10, T + 20 }, 5000000 };
	steps[1] = (struct sync_step){ { T + 20, T + 21 }, INT64_MIN };
	r->hosts[0].steps = steps;
	r->hosts[0].n_steps = 2;
	struct sync_slew *slews = mer_arena_zalloc(&r->arena, 1, sizeof(*slews));
	slews[0] = (struct sync_slew){ { T + 30, T + 40 }, -37000.125, 40000 };
	r->hosts[0].slews = slews;
	r->hosts[0].n_slews = 1;
	r->n_pairs = 2;
	r->pairs = mer_arena_zalloc(&r->arena, 2, sizeof(*r->pairs));
	r->pairs[0] = (struct sync_pair){ .a = 0, .b = 1, .quality = SYNC_ACCURATE };
	r->pairs[0].ab = (struct sync_direction){ some_latency(9), some_latency(9), 1, 2, 3 };
	r->pairs[0].ba = (struct sync_direction){ some_latency(1), some_latency(1), 4, 5, 6 };
	r->pairs[0].bound = (struct sync_bound){ 1, 2, 3, T };
	r->pairs[0].n_used = 8;
	r->pairs[0].n_rejected = 2;
	strcpy(r->pairs[0].line.alpha, "0.9999413783703139011056845831168394");
	strcpy(r->pairs[0].line.beta, "79796507913179.33347660124688298171");
	r->pairs[0].line.n_upper = 24;
	r->pairs[0].line.n_lower = 18;
	r->pairs[0].line.quality = SYNC_FAIL;
	r->pairs[1] = (struct sync_pair){ .a = 2, .b = 1, .quality = SYNC_INCOMPLETE };
	r->pairs[1].bound = (struct sync_bound){ 5, INT64_MAX, INT64_MAX, MER_NO_TIME };
	struct sync_vcpu *vcpus = mer_arena_zalloc(&r->arena, 2, sizeof(*vcpus));
	vcpus[1] = (struct sync_vcpu){ 7, 4000000000 };
	struct sync_range *ranges = mer_arena_zalloc(&r->arena, 1, sizeof(*ranges));
	ranges[0] = (struct sync_range){ T + 1, T + 2 };
	struct sync_vm *vms = mer_arena_zalloc(&r->arena, 2, sizeof(*vms));
	vms[0] = (struct sync_vm){ .hypervisor = 0,
		.guest = 2,
		.pid = 4242,
		.name = "qemu",
		.how = SYNC_VM_SCHEDULE,
		.vcpus = vcpus,
		.n_vcpus = 2,
		.n_events = 10,
		.n_certain = 9,
		.n_bad = 1,
		.searched_ns = INT64_MAX,
		.contradictions = ranges,
		.n_contradictions = 1 };
	vms[1] = (struct sync_vm){
		.hypervisor = 2, .guest = SYNC_NO_GUEST, .pid = SYNC_NO_PID, .name = ""
	};
	r->vms = vms;
	r->n_vms = 2;
	struct mer_diag d = { .severity = MER_WARNING,
		.code = "sync-test",
		.host = "alpha",
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = 7 };
	mer_diag_add(&r->diags, &d, "a sentence with \"quotes\" and \xc3\xa4");
	return r;
}

static struct mer_str written(const struct sync_result *r, bool limits)
{
	struct mer_str s = { 0 };
	struct mer_err err = { 0 };
	assert_int_equal(sync_result_write(r, limits, &s, &err), 0);
	return s;
}

static struct sync_result *read_back(const char *text, const struct mer_host *known, uint32_t n)
{
	struct sync_result *r = NULL;
	struct mer_err err = { 0 };
	if (sync_result_read(text, strlen(text), "saved.json", known, n, &r, &err))
		fail_msg("%s", err.text);
	return r;
}

static void there_and_back(void **state)
{
	(void)state;
	for (size_t n = 0; n <= 20000; n += 10000) {
		struct sync_result *r = make(n), *q;
		struct mer_str first = written(r, true), second;
		q = read_back(first.data, hosts, N_HOSTS);
		second = written(q, true);
		assert_string_equal(first.data, second.data);
		/* What is thinned out are limits, and the first is among what is left. */
		assert_true(n ? q->hosts[0].n_high > 0 && q->hosts[0].n_high <= 4096
			      : q->hosts[0].n_high == 0);
		assert_int_equal(q->hosts[0].map.n, 200);
		assert_memory_equal(q->hosts[0].map.pieces, r->hosts[0].map.pieces,
			200 * sizeof(*r->hosts[0].map.pieces));
		assert_int_equal(q->hosts[3].span.begin, MER_NO_TIME);
		assert_true(isnan(q->pairs[0].ba.after.stddev));
		assert_int_equal(q->hosts[0].steps[1].size_ns, INT64_MIN);
		assert_int_equal(q->counts[0].n_without_key, UINT64_MAX);
		sync_result_free(q);
		/* The form for people has no limits, and is readable all the same. */
		mer_str_fini(&second);
		second = written(r, false);
		assert_null(strstr(second.data, "\"high\""));
		q = read_back(second.data, hosts, N_HOSTS);
		assert_int_equal(q->hosts[0].n_high, 0);
		sync_result_free(q);
		sync_result_free(r);
		mer_str_fini(&first);
		mer_str_fini(&second);
	}
}

/* Files of the first version, whose keys have other names. */
static void first_version(void **state)
{
	(void)state;
	static const char *const names[][2] = { { "\"schema_version\":2", "\"schema_version\":1" },
		{ "\"inversions", "\"violations" }, { "\"rejected\"", "\"left_out\"" },
		{ "\"max_at\"", "\"worst_at\"" }, { "\"beta_ns\"", "\"beta\"" },
		{ "\"p50_ns\"", "\"median_ns\"" }, { "\"p50\"", "\"median\"" },
		{ "\"max_drift_ppm\":1000,", "\"max_drift\":0.001," },
		{ "\"max_rate_ppm\":2000,", "\"max_rate\":0.002," } };
	struct sync_result *r = make(5), *q;
	for (uint32_t i = 0; i < r->n_hosts; i++)
		r->hosts[i].max_rate_ppm = 2000;
	struct mer_str now = written(r, true), before = { 0 }, again;
	for (const char *p = now.data; *p;) {
		size_t i = 0, n = sizeof(names) / sizeof(*names);
		while (i < n && strncmp(p, names[i][0], strlen(names[i][0])) != 0)
			i++;
		mer_str_add(&before, i < n ? names[i][1] : p, i < n ? strlen(names[i][1]) : 1);
		p += i < n ? strlen(names[i][0]) : 1;
	}
	assert_null(strstr(before.data, "inversions"));
	q = read_back(before.data, hosts, N_HOSTS);
	again = written(q, true);
	assert_string_equal(now.data, again.data);
	sync_result_free(q);
	sync_result_free(r);
	mer_str_fini(&now);
	mer_str_fini(&before);
	mer_str_fini(&again);
}

static void thinned_limits_hold(void **state)
{
	(void)state;
	struct sync_result *r = make(50000), *q;
	struct mer_str s = written(r, true);
	q = read_back(s.data, hosts, N_HOSTS);
	/* Each limit that is left is one of the old ones. */
	size_t k = 0;
	for (size_t i = 0; i < q->hosts[0].n_high; i++) {
		while (k < 50000 && r->hosts[0].high[k].at != q->hosts[0].high[i].at)
			k++;
		assert_true(k < 50000);
		assert_int_equal(r->hosts[0].high[k].offset_ns, q->hosts[0].high[i].offset_ns);
	}
	sync_result_free(r);
	sync_result_free(q);
	mer_str_fini(&s);
}

/* Number after key, from text on. */
static const char *number(const char *text, const char *key, double *d, int64_t *i)
{
	const char *p = strstr(text, key);
	assert_non_null(p);
	p += strlen(key);
	if (i)
		*i = strtoll(p, NULL, 10);
	if (d)
		*d = strtod(p, NULL);
	return p;
}

/* reference = t + offset_ns + drift_ppm * 1e-6 * (t - begin), as printed. */
static void pieces_are_the_map(void **state)
{
	(void)state;
	struct sync_result *r = make(0);
	struct mer_str s = written(r, false);
	const char *p = strstr(s.data, "\"pieces\":[");
	int64_t end = 0, first = 0;
	unsigned n = 0;
	const char *stop = strstr(p, "]");
	while (strstr(p, "\"begin\":") < stop && strstr(p, "\"begin\":")) {
		int64_t begin, offset;
		double drift;
		int64_t last = end;
		p = number(p, "\"begin\":", NULL, &begin);
		p = number(p, "\"end\":", NULL, &end);
		p = number(p, "\"offset_ns\":", NULL, &offset);
		p = number(p, "\"drift_ppm\":", &drift, NULL);
		if (n++)
			assert_int_equal(begin, last);
		else
			first = begin;
		assert_true(begin <= end);
		for (int k = 0; k <= 10; k++) {
			int64_t t = begin + (end - begin) / 10 * k - (k == 10 && end > begin);
			int64_t want = trace_map_time(&r->hosts[0].map, t);
			long double got = (long double)(t - begin) * (long double)drift * 1e-6L +
					  (long double)(offset + t - want);
			assert_true(got > -1.001L && got < 1.001L);
		}
	}
	assert_true(n > 100);
	assert_int_equal(first, r->hosts[0].span.begin);
	assert_int_equal(end, r->hosts[0].span.end);
	assert_int_equal(
		sync_host_offset(&r->hosts[0]), trace_map_time(&r->hosts[0].map, first) - first);
	sync_result_free(r);
	mer_str_fini(&s);
}

static void hosts_by_id(void **state)
{
	(void)state;
	/* Other names, another order, one that is new, two that are missing. */
	static const struct mer_host other[] = { { "new", "id-x", 1 }, { "beta2", "id-b", 1 },
		{ "alpha2", "id-a", 1 } };
	struct sync_result *r = make(5), *q;
	struct mer_str s = written(r, true);
	q = read_back(s.data, other, 3);
	assert_int_equal(q->n_hosts, 3);
	assert_int_equal(q->n_groups, 2);
	assert_string_equal(q->hosts[2].name, "alpha2");
	assert_int_equal(q->hosts[2].map.n, 200);
	assert_int_equal(q->hosts[2].group, q->hosts[1].group);
	assert_int_not_equal(q->hosts[0].group, q->hosts[1].group);
	assert_int_equal(q->references[q->hosts[1].group], 1);
	assert_int_equal(q->references[q->hosts[0].group], 0);
	assert_int_equal(q->hosts[0].quality, SYNC_ABSENT);
	assert_int_equal(q->hosts[0].map.n, 0);
	assert_int_equal(q->n_pairs, 1);
	assert_int_equal(q->pairs[0].a, 2);
	assert_int_equal(q->pairs[0].b, 1);
	/* A VM whose guest is missing; one without its hypervisor is none. */
	assert_int_equal(q->n_vms, 1);
	assert_int_equal(q->vms[0].hypervisor, 2);
	assert_int_equal(q->vms[0].guest, SYNC_NO_GUEST);
	assert_int_equal(q->vms[0].how, SYNC_VM_UNKNOWN);
	assert_int_equal(q->vms[0].vcpus[1].tid, 4000000000);
	bool said = false;
	for (size_t i = 0; i < q->diags.n; i++)
		said |= strcmp(q->diags.rows[i].code, "sync-unknown-host") == 0 &&
			strcmp(q->diags.rows[i].host, "new") == 0;
	assert_true(said);
	sync_result_free(r);
	sync_result_free(q);
	mer_str_fini(&s);
}

/* The text with one replacement must be refused, with the place and the word. */
static void refuse(const char *text, const char *from, const char *to, const char *why)
{
	const char *at = strstr(text, from);
	struct mer_str s = { 0 };
	struct sync_result *r = NULL;
	struct mer_err err = { 0 };
	assert_non_null(at);
	mer_str_add(&s, text, (size_t)(at - text));
	mer_str_puts(&s, to);
	mer_str_puts(&s, at + strlen(from));
	assert_int_equal(sync_result_read(s.data, s.len, "saved.json", hosts, N_HOSTS, &r, &err),
		MER_ERR_INPUT);
	assert_null(r);
	if (strncmp(err.text, "saved.json:", 11) != 0 || !strstr(err.text, why) ||
		!strchr("12", err.text[11]) || err.text[12] != ':')
		fail_msg("for %s: %s", to, err.text);
	mer_str_fini(&s);
}

/* The same with another text in it can be read. */
static void accept(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	struct mer_str s = { 0 };
	struct sync_result *r = NULL;
	struct mer_err err = { 0 };
	assert_non_null(at);
	mer_str_add(&s, text, (size_t)(at - text));
	mer_str_puts(&s, to);
	mer_str_puts(&s, at + strlen(from));
	if (sync_result_read(s.data, s.len, "saved.json", hosts, N_HOSTS, &r, &err))
		fail_msg("for %s: %s", to, err.text);
	sync_result_free(r);
	mer_str_fini(&s);
}

/* What is just possible; wrong_files has what just is not. */
static void at_the_limits(void **state)
{
	(void)state;
	struct sync_result *r = make(5);
	struct mer_str s = written(r, true);
	accept(s.data, "\"pid\":4242", "\"pid\":0");
	accept(s.data, "\"pid\":4242", "\"pid\":4294967295");
	refuse(s.data, "\"pid\":4242", "\"pid\":4294967296", "pid");
	accept(s.data, "\"vcpu\":7", "\"vcpu\":0");
	accept(s.data, "\"max_drift_ppm\":1000", "\"max_drift_ppm\":1");
	accept(s.data, "\"group\":1", "\"group\":0");
	mer_str_fini(&s);
	sync_result_free(r);
}

static void wrong_files(void **state)
{
	(void)state;
	struct sync_result *r = make(5);
	struct mer_str s = written(r, true);
	refuse(s.data, "\"known_by\":\"schedule\"", "\"known_by\":\"magic\"", "known_by");
	refuse(s.data, "\"pid\":4242", "\"pid\":-1", "pid");
	refuse(s.data, "\"hypervisor\":\"alpha\"", "\"hypervisor\":\"gam\\\"ma\"", "own guest");
	refuse(s.data, "\"vcpu\":7", "\"vcpu\":4294967295", "too large");
	refuse(s.data, "\"schema_version\":2", "\"schema_version\":3", "newer");
	refuse(s.data, "\"schema_version\":2", "\"schema_version\":0", "newer");
	refuse(s.data, "\"schema_version\":2", "\"schema\":2", "schema_version");
	/* What --json prints now. */
	refuse(s.data, "\"schema_version\":2", "\"schema_version\":3,\"tables\":[]",
		"not a file of clocks");
	refuse(s.data, "\"method\":\"auto\"", "\"method\":\"magic\"", "method");
	refuse(s.data, "\"max_drift_ppm\":1000", "\"max_drift_ppm\":-1", "max_drift_ppm");
	refuse(s.data, "\"name\":\"beta\"", "\"name\":\"alpha\"", "duplicate host");
	refuse(s.data, "\"id\":\"id-b\"", "\"id\":\"id-a\"", "duplicate host");
	refuse(s.data, "\"group\":1", "\"group\":4", "group");
	refuse(s.data, "\"quality\":\"accurate\"", "\"quality\":true", "quality");
	refuse(s.data, "\"min\":10", "\"min\":11000", "order");
	refuse(s.data, "\"min\":10", "\"min\":1e1", "64 bits");
	refuse(s.data, "\"clock_map\":[", "\"clock_map\":[1,", "rows of 3");
	refuse(s.data, "\"clock_map\":[", "\"clock_map\":[9000000000000000000,1,1,", "");
	refuse(s.data, "\"high\":[", "\"high\":[9000000000000000000,1,", "order of time");
	refuse(s.data, "\"ppm\":-37000.125", "\"ppm\":1e300", "slew");
	refuse(s.data, "\"max_rate_ppm\":", "\"max_rate_ppm\":1e10,\"x\":", "max_rate_ppm");
	refuse(s.data, "\"a\":\"alpha\"", "\"a\":\"nobody\"", "name");
	refuse(s.data, "\"a\":\"alpha\"", "\"a\":\"beta\"", "two hosts");
	refuse(s.data, "\"a\":\"gam\\\"ma\",\"b\":\"beta\"", "\"a\":\"alpha\",\"b\":\"beta\"",
		"duplicate pair");
	refuse(s.data, "\"hull_points\":[24,18]", "\"hull_points\":[24]", "hull_points");
	refuse(s.data, "\"alpha\":\"0.99", "\"alpha\":\"x0.99", "decimal");
	refuse(s.data, "\"p50_ns\":1000", "\"p50_ns\":-1000", "order");
	refuse(s.data, "\"severity\":\"warning\"", "\"severity\":\"bad\"", "severity");
	refuse(s.data, "}]}\n", "}]}\nmore", "saved.json:2:1: something");
	sync_result_free(r);
	mer_str_fini(&s);
}

/* Every shorter text is refused, whatever is missing. */
static void cut_anywhere(void **state)
{
	(void)state;
	struct sync_result *r = make(1), *q = NULL;
	struct mer_str s = written(r, true);
	struct mer_err err;
	size_t whole = strlen(s.data) - 1; /* without the line's end */
	for (size_t n = 0; n < whole; n += n < 3000 ? 1 : 97)
		assert_int_equal(sync_result_read(s.data, n, "cut", hosts, N_HOSTS, &q, &err),
			MER_ERR_INPUT);
	assert_int_equal(sync_result_read(s.data, whole, "cut", hosts, N_HOSTS, &q, &err), 0);
	sync_result_free(q);
	sync_result_free(r);
	mer_str_fini(&s);
}

/* ---- of some hosts alone ---- */

static struct mer_str lines_of(const struct sync_result *r, const bool *own)
{
	struct mer_str s = { 0 };
	struct mer_err err;
	assert_int_equal(sync_result_write_lines(r, own, &s, &err), 0);
	return s;
}

static int join_two(const struct mer_str *a, const struct mer_str *b, struct mer_str *out,
	uint32_t *n, struct mer_err *err)
{
	const struct sync_lines texts[] = { { a->data, a->len },
		{ b ? b->data : NULL, b ? b->len : 0 } };
	return sync_result_join(texts, b ? 2 : 1, out, n, err);
}

/* Hosts shared out in every way are the whole again; of some, what is of others is not there. */
static void shared_out(void **state)
{
	(void)state;
	struct sync_result *r = make(7), *q;
	struct mer_str whole = written(r, true);
	struct mer_err err;
	for (unsigned way = 1; way < 1U << N_HOSTS; way++) {
		bool own[2][N_HOSTS];
		uint32_t n = 0, n_own = 0;
		struct mer_str both = { 0 }, some = { 0 };
		for (unsigned h = 0; h < N_HOSTS; h++) {
			own[0][h] = way >> h & 1;
			own[1][h] = !own[0][h];
			n_own += own[0][h];
		}
		struct mer_str a = lines_of(r, own[0]), b = lines_of(r, own[1]);
		assert_int_equal(join_two(&b, &a, &both, &n, &err), 0);
		assert_int_equal(n, N_HOSTS);
		q = read_back(both.data, hosts, N_HOSTS);
		assert_true(q->is_of_some);
		struct mer_str again = written(q, true);
		assert_string_equal(again.data, whole.data);
		sync_result_free(q);
		assert_int_equal(join_two(&a, NULL, &some, &n, &err), 0);
		assert_int_equal(n, n_own);
		q = read_back(some.data, NULL, 0);
		assert_int_equal(q->n_hosts, n_own);
		for (size_t i = 0; i < q->n_pairs; i++)
			assert_true(q->pairs[i].a < n_own && q->pairs[i].b < n_own);
		sync_result_free(q);
		mer_str_fini(&again);
		mer_str_fini(&some);
		mer_str_fini(&both);
		mer_str_fini(&a);
		mer_str_fini(&b);
	}
	sync_result_free(r);
	mer_str_fini(&whole);
}

static void refuse_lines(const char *text, const char *why)
{
	struct mer_str out = { 0 };
	struct mer_err err = { 0 };
	uint32_t n;
	const struct sync_lines lines = { text, strlen(text) };
	assert_int_equal(sync_result_join(&lines, 1, &out, &n, &err), MER_ERR_INPUT);
	if (!strstr(err.text, why))
		fail_msg("'%s': %s", text, err.text);
	mer_str_fini(&out);
}

static void wrong_lines(void **state)
{
	(void)state;
	static const char *const wrong[] = { "", "\n", "head 0 0 0 {\"a\":1}", "head 0 0 0 {}\n",
		"head 0 0 0\n", "head 0 0 {\"a\":1}\n", "head -1 0 0 {\"a\":1}\n",
		"head 0 0 4294967296 {\"a\":1}\n", "heads 0 0 0 {\"a\":1}\n",
		"host 0 0 0 {\"a\":1}\n", "head 0 0 0 [\"a\",1]\n",
		"head 0 0 0 {\"a\":1}\nand 0 0 0 {\"a\":1}\n" };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		refuse_lines(wrong[i], "clocks that cannot be");
	refuse_lines("head 0 0 0 {\"a\":1}\nhost 3 3 3 {\"a\":1}\nhost 3 3 3 {\"a\":2}\n",
		"different clocks");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(first_version),
		cmocka_unit_test(thinned_limits_hold),
		cmocka_unit_test(pieces_are_the_map),
		cmocka_unit_test(hosts_by_id),
		cmocka_unit_test(at_the_limits),
		cmocka_unit_test(wrong_files),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(shared_out),
		cmocka_unit_test(wrong_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
