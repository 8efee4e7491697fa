/* Names of requests (requests/names): how lines are read, and which request they are of. In the
 * worlds of this file each line knows its request: none may get another one's name, whatever was
 * done to the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "requests/names/fit.h"
#include "requests/names/pattern.h"

#define MS 1000000LL
#define SECOND 1000000000LL

/* ---- lines ---- */

static const char *text_of(const struct names_lines *l, uint32_t number)
{
	const char *text = names_text(l, number);
	return text ? text : "-";
}

/* "name status begin end resolution client_port trace parent", times in us; "": it is not read. */
static void reads(const char *format, const char *line, const char *expected)
{
	struct names_lines l;
	struct names_pattern p;
	struct names_line x = { 0 };
	struct mer_err err;
	char got[600] = "";
	names_lines_init(&l);
	assert_int_equal(names_pattern_of(&p, format, &l.arena, &err), 0);
	if (names_pattern_read(&p, &l, line, strlen(line), &x))
		snprintf(got, sizeof(got), "%s|%s|%lld|%lld|%lld|%u|%.6s|%.4s", text_of(&l, x.name),
			text_of(&l, x.status), x.has_begin ? (long long)x.begin / 1000 : -1,
			x.has_end ? (long long)x.end / 1000 : -1, (long long)x.resolution_ns / 1000,
			(unsigned)x.client_port, text_of(&l, x.trace_id),
			text_of(&l, x.parent_span_id));
	assert_string_equal(got, expected);
	names_lines_fini(&l);
}

static void formats(void **state)
{
	(void)state;
	reads("nginx",
		"10.0.0.1 - - [02/Nov/2026:14:54:24 +0100] \"GET /a?x=1 HTTP/1.1\" 200 5 \"-\" \"curl\"",
		"GET /a|200|-1|1793627664000000|1000000|0|-|-");
	reads("apache", "::1 - bob [29/Feb/2024:23:59:59 -0030] \"POST /a HTTP/1.0\" 404 -",
		"POST /a|404|1709252999000000|-1|1000000|0|-|-");
	reads("envoy",
		"[2026-11-02T14:54:24.250Z] \"GET /u/17/x HTTP/2\" 503 UF 0 91 12 - \"-\" \"curl\" \"id\" \"host\" \"-\"",
		"GET /u/*/x|503|1793631264250000|1793631264262000|1000|0|-|-");
	/* One's own. */
	reads("$msec $remote_addr:$remote_port \"$request\" $status rt=$request_time",
		"1793631264.250 10.0.0.1:4711 \"GET /a\\\" b HTTP/1.1\" 200 rt=0.050",
		"GET /a\\\" b|200|1793631264200000|1793631264250000|1000|4711|-|-");
	reads("log_format x '$msec \"$request\" ' '$status';", "5.000 \"GET / HTTP/1.1\" 200",
		"GET /|200|-1|5000000|1000|0|-|-");
	reads("{\"t\":\"$time_iso8601\",\"u\":\"$request_uri\"}",
		"{\"t\":\"2026-11-02T15:54:24+01:00\",\"u\":\"/a/0123456789abcdef\"}",
		"/a/*|-|-1|1793631264000000|1000000|0|-|-");
	reads("%{usec}t %D %{remote}p %>s %m %U%q", "1793631264250001 1500 80 200 GET /a?b",
		"GET /a|200|1793631264250001|1793631264251501|1|80|-|-");
	reads("$msec $http_traceparent",
		"1.000 00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"-|-|-1|1000000|1000|0|0af765|b7ad");
	/* What it took is known to the second only. */
	reads("%{msec}t %T %U", "5000 1 /", "/|-|5000000|-1|1000|0|-|-");
}

static void hostile(void **state)
{
	(void)state;
	reads("nginx", "", "");
	reads("nginx", "10.0.0.1 - - [02/Nov/2026:14:54:24 +0100]", "");
	reads("nginx", "10.0.0.1 - - [02/Xyz/2026:14:54:24 +0100] \"GET / HTTP/1.1\" 200 5", "");
	reads("$msec $status", "99999999999999999999999999.0 200", "");
	reads("$msec $status", "12x 200", "");
	/* Nothing that a terminal would obey. */
	reads("$msec $request_uri", "1.000 /\x1b[31m", "/\\x1b[31m|-|-1|1000000|1000|0|-|-");
	reads("$msec $remote_port $request_uri", "1.000 99999 /", "/|-|-1|1000000|1000|0|-|-");
}

static void refuses(const char *format)
{
	struct names_pattern p;
	struct mer_arena arena;
	struct mer_err err = { 0 };
	mer_arena_init(&arena);
	assert_int_equal(names_pattern_of(&p, format, &arena, &err), MER_ERR_USAGE);
	assert_non_null(strstr(err.text, "format"));
	mer_arena_fini(&arena);
}

static void no_formats(void **state)
{
	char many[4 * (NAMES_MOST_FIELDS + 1) + 8] = "$msec";
	(void)state;
	refuses("");
	refuses("what");
	refuses("$status $request"); /* no time */
	for (int i = 0; i <= NAMES_MOST_FIELDS; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), " $a");
	refuses(many);
}

/* ---- files ---- */

static int read_text(const char *text, size_t len, const char *format, struct names_lines *l)
{
	char path[] = "/tmp/test_names.XXXXXX";
	struct mer_err err;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), (ssize_t)len);
	close(fd);
	names_lines_init(l);
	int rc = names_read(l, path, format, &err);
	unlink(path);
	return rc;
}

static void files(void **state)
{
	struct names_lines l;
	size_t n_long = NAMES_MOST_BYTES + 10;
	char *text = malloc(n_long + 100);
	(void)state;
	assert_non_null(text);
	memcpy(text, "1.000 /a\r\n\n", 11);
	memset(text + 11, 'x', n_long);
	memcpy(text + 11 + n_long, "\n2.000 /b\nnothing", 17);
	assert_int_equal(read_text(text, 11 + n_long + 17, "$msec $uri", &l), 0);
	free(text);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.n_unread, 2);
	assert_int_equal(l.first_unread, 3);
	assert_string_equal(names_text(&l, l.item[0].name), "/a");
	assert_int_equal(l.item[1].number, 4);
	names_lines_fini(&l);
	/* A text without a format is no JSON; a NUL is no end. */
	assert_int_equal(read_text("1.0 /a", 6, NULL, &l), MER_ERR_USAGE);
	names_lines_fini(&l);
	assert_int_equal(read_text("1.000 /\0b", 9, "$msec $uri", &l), 0);
	assert_string_equal(names_text(&l, l.item[0].name), "/\\x00b");
	names_lines_fini(&l);
}

#define OTLP_HEAD                                                                                    \
	"{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":"    \
	"{\"stringValue\":\"cart\"}},{\"key\":\"host.name\",\"value\":{\"stringValue\":\"web\"}}]}," \
	"\"scopeSpans\":[{\"spans\":["
#define OTLP_SPAN                                                                                             \
	"{\"traceId\":\"0af7651916cd43dd8448eb211c80319c\",\"spanId\":\"b7ad6b7169203331\","                  \
	"\"parentSpanId\":\"\",\"name\":\"GET /cart\",\"kind\":2,\"startTimeUnixNano\":\"1000\","             \
	"\"endTimeUnixNano\":\"2000\",\"attributes\":[{\"key\":\"http.status_code\",\"value\":{\"intValue\":" \
	"\"201\"}},{\"key\":\"client.port\",\"value\":{\"intValue\":4711}}]}"

static void spans(void **state)
{
	static const char otlp[] = OTLP_HEAD OTLP_SPAN
		",{\"kind\":1,\"startTimeUnixNano\":\"1\",\"endTimeUnixNano\":\"2\"},{\"kind\":2}]}]}]}";
	static const char jaeger[] =
		"{\"data\":[{\"spans\":[{\"traceID\":\"1\",\"spanID\":\"a\",\"operationName\":\"op\",\"references\":"
		"[{\"refType\":\"CHILD_OF\",\"spanID\":\"b\"}],\"startTime\":5,\"duration\":3,\"processID\":\"p1\",\"tags\":"
		"[{\"key\":\"span.kind\",\"value\":\"client\"}]}],\"processes\":{\"p1\":{\"serviceName\":\"s\"}}}]}";
	struct names_lines l;
	char twice[2 * sizeof(otlp)];
	(void)state;
	assert_int_equal(read_text(otlp, sizeof(otlp) - 1, NULL, &l), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.n_unread, 1); /* without times; the inner one is no request */
	assert_string_equal(names_text(&l, l.item[0].name), "GET /cart");
	assert_string_equal(names_text(&l, l.item[0].status), "201");
	assert_string_equal(names_text(&l, l.item[0].source), "web cart");
	assert_string_equal(names_text(&l, l.item[0].span_id), "b7ad6b7169203331");
	assert_int_equal(l.item[0].client_port, 4711);
	assert_int_equal(l.item[0].begin, 1000);
	assert_false(l.item[0].is_client);
	names_lines_fini(&l);
	/* One on each line, the last one cut off. */
	int n = snprintf(twice, sizeof(twice), "%s\n%.100s", otlp, otlp);
	assert_int_equal(read_text(twice, (size_t)n, NULL, &l), 0);
	assert_int_equal(l.n, 1);
	assert_true(l.is_cut);
	names_lines_fini(&l);
	assert_int_equal(read_text(jaeger, sizeof(jaeger) - 1, NULL, &l), 0);
	assert_int_equal(l.n, 1);
	assert_true(l.item[0].is_client);
	assert_int_equal(l.item[0].end, 8000);
	assert_string_equal(names_text(&l, l.item[0].trace_id), "00000000000000000000000000000001");
	assert_string_equal(names_text(&l, l.item[0].parent_span_id), "000000000000000b");
	assert_string_equal(names_text(&l, l.item[0].source), "s (client)");
	names_lines_fini(&l);
	assert_int_equal(read_text("{\"a\":1}", 7, NULL, &l), MER_ERR_USAGE);
	names_lines_fini(&l);
	assert_int_equal(read_text("[[[[", 4, NULL, &l), MER_ERR_USAGE);
	names_lines_fini(&l);
}

/* ---- worlds ---- */

enum { N = 600, CLIENTS = 4, FIRST_PORT = 40000 };

struct world {
	struct names_requests r;
	struct names_lines l;
	uint32_t which[2 * N], *truth; /* by line: request, plus 1; 0: of another server */
	size_t n;
	uint64_t dice;
};

static int64_t dice(struct world *w, int64_t below)
{
	w->dice = w->dice * 6364136223846793005ULL + 1442695040888963407ULL;
	return (int64_t)((w->dice >> 33) % (uint64_t)below);
}

/* Each client sends one request after the other: 5 to 40 ms, after 1 to 15 ms. */
static void build(struct world *w, bool by_port, uint64_t seed)
{
	*w = (struct world){ .dice = seed };
	names_lines_init(&w->l);
	w->truth = calloc(2 * N, sizeof(*w->truth));
	w->r.item = calloc(N, sizeof(*w->r.item));
	w->r.last = calloc(N, sizeof(*w->r.last));
	assert_non_null(w->truth);
	assert_non_null(w->r.item);
	assert_non_null(w->r.last);
	w->r.by_port = by_port;
	for (unsigned c = 0; c < CLIENTS; c++) {
		int64_t now = 1000 * SECOND;
		for (unsigned i = 0; i < N / CLIENTS; i++) {
			struct names_request *x = &w->r.item[w->r.n];
			now += 1 * MS + dice(w, 14 * MS);
			*x = (struct names_request){ .begin = now,
				.read = now + MS / 4,
				.read_end = now + MS / 4,
				.done = now + 5 * MS + dice(w, 35 * MS),
				.exchange = w->r.n++,
				.port = by_port ? (uint16_t)(FIRST_PORT + c) : 0,
				.is_one = true };
			now = x->done + MS / 4;
		}
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct names_request *p = a, *q = b;
	if (p->port != q->port)
		return p->port < q->port ? -1 : 1;
	return p->begin < q->begin ? -1 : p->begin > q->begin;
}

static void add_line(struct world *w, const struct names_request *of, unsigned client, int64_t off)
{
	struct mer_err err;
	struct names_line *l = names_add_line(&w->l, "log", &err);
	char name[32];
	int n = snprintf(name, sizeof(name), "/%u", (unsigned)w->l.n);
	assert_non_null(l);
	l->begin = (of->read + off) / MS * MS;
	l->end = (of->done + off) / MS * MS;
	l->has_begin = l->has_end = true;
	l->resolution_ns = MS;
	l->name = names_keep(&w->l, name, (size_t)n);
	l->client_port = (uint16_t)client;
}

static const struct names_lines *compared;
static int by_end(const void *a, const void *b)
{
	const struct names_line *p = &compared->item[*(const uint32_t *)a],
				*q = &compared->item[*(const uint32_t *)b];
	return p->end < q->end ? -1 : p->end > q->end;
}

struct outcome {
	enum names_verdict verdict;
	size_t n_right, n_wrong;
	int64_t moved_ns;
};

/* Requests in order; lines in the order of their ends. */
static struct outcome join(struct world *w)
{
	struct names_fit f;
	struct names_source s = { 0 };
	w->r.first = INT64_MAX;
	w->r.end = INT64_MIN;
	qsort(w->r.item, w->r.n, sizeof(*w->r.item), by_begin);
	for (uint32_t i = 0; i < w->r.n; i++) {
		const struct names_request *x = &w->r.item[i];
		bool is_on = i && x[-1].port == x->port && w->r.last[i - 1] > x->done;
		w->r.last[i] = is_on ? w->r.last[i - 1] : x->done;
		w->r.first = x->read < w->r.first ? x->read : w->r.first;
		w->r.end = x->done > w->r.end ? x->done : w->r.end;
	}
	for (uint32_t i = 0; i < w->l.n; i++)
		w->which[i] = i;
	compared = &w->l;
	qsort(w->which, w->l.n, sizeof(*w->which), by_end);
	assert_true(names_fit_find(&w->r, &w->l, w->which, w->l.n, &f));
	struct outcome o = { f.verdict, 0, 0, f.moved_ns };
	s.moved_ns = f.moved_ns;
	if (f.verdict == NAMES_JOINED)
		assert_true(names_fit_assign(&w->r, &w->l, w->which, w->l.n, &s));
	for (uint32_t i = 0; i < w->l.n; i++)
		if (w->l.item[i].exchange)
			++*(w->l.item[i].exchange == w->truth[i] ? &o.n_right : &o.n_wrong);
	assert_int_equal(s.n_named, o.n_right + o.n_wrong);
	assert_int_equal(o.n_wrong, 0);
	names_lines_fini(&w->l);
	free(w->truth);
	free(w->r.item);
	free(w->r.last);
	return o;
}

/* Each line, unless the dice say that it was lost (a share of 100), moved by off. */
static void write_log(struct world *w, int64_t off, int lost)
{
	for (uint32_t i = 0; i < w->r.n; i++) {
		const struct names_request *x = &w->r.item[i];
		if (dice(w, 100) < lost)
			continue;
		w->truth[w->l.n] = x->exchange + 1;
		add_line(w, x, x->port, off);
	}
}

static void right(void **state)
{
	struct world w;
	(void)state;
	build(&w, true, 1);
	write_log(&w, 0, 0);
	struct outcome o = join(&w);
	assert_int_equal(o.verdict, NAMES_JOINED);
	assert_int_equal(o.n_right, N);
	assert_int_equal(o.moved_ns, 0);
	build(&w, true, 2);
	write_log(&w, 0, 40);
	o = join(&w);
	assert_in_range(o.n_right, N / 2, N * 7 / 10);
	/* Without ports, only what nothing else is near to. */
	build(&w, false, 3);
	write_log(&w, 0, 0);
	o = join(&w);
	assert_int_equal(o.verdict, NAMES_JOINED);
	assert_in_range(o.n_right, 1, N - 1);
}

/* Clocks that are wrong: the lines are moved, or not used. */
static void moved(void **state)
{
	static const int64_t offs[] = { 20 * MS, 100 * MS, -100 * MS, SECOND, -3600 * SECOND };
	struct world w;
	(void)state;
	for (size_t i = 0; i < sizeof(offs) / sizeof(*offs); i++)
		for (int by_port = 0; by_port < 2; by_port++) {
			build(&w, by_port, 10 + i);
			write_log(&w, offs[i], 10);
			struct outcome o = join(&w);
			assert_int_equal(o.verdict, NAMES_JOINED);
			assert_true(llabs(o.moved_ns + offs[i]) < 15 * MS);
			assert_true(!by_port || o.n_right > N * 8 / 10);
		}
	build(&w, true, 20);
	write_log(&w, 40 * 3600 * SECOND, 0);
	assert_int_equal(join(&w).verdict, NAMES_OTHER_TIME);
}

/* Twice as many lines are of another server as of this one, of the same time; a tenth of these are
 * lost. */
static void others(void **state)
{
	(void)state;
	for (uint64_t seed = 30; seed < 50; seed++) {
		struct world w, other;
		bool by_port = seed % 2;
		build(&w, by_port, seed);
		build(&other, false, seed + 100);
		write_log(&w, 0, 10);
		for (uint32_t i = 0; i < other.r.n; i++)
			add_line(&w, &other.r.item[i], 1000, 0);
		struct outcome o = join(&w);
		assert_true(by_port ? o.n_right > N * 8 / 10 : o.verdict != NAMES_JOINED);
		(void)join(&other);
	}
}

/* The clock was set while the log was written: the lines after that do not get names. */
static void stepped(void **state)
{
	(void)state;
	for (uint64_t seed = 60; seed < 100; seed++) {
		struct world w;
		int64_t at = 1000 * SECOND + (int64_t)(seed % 48) * 100 * MS;
		int64_t step = (int64_t)(20 + seed % 7 * 15) * MS;
		build(&w, true, seed);
		for (uint32_t i = 0; i < w.r.n; i++) {
			const struct names_request *x = &w.r.item[i];
			w.truth[w.l.n] = x->exchange + 1;
			add_line(&w, x, x->port, x->begin > at ? step : 0);
		}
		(void)join(&w);
	}
}

/* Lines that are there twice are one; two that differ are none. */
static void twice(void **state)
{
	struct world w;
	(void)state;
	build(&w, true, 70);
	for (uint32_t i = 0; i < w.r.n; i++) {
		const struct names_request *x = &w.r.item[i];
		for (int k = 0; k < 2; k++) {
			w.truth[w.l.n] = x->exchange + 1;
			add_line(&w, x, x->port, 0);
			if (k && i % 2)
				w.l.item[w.l.n - 1].name = w.l.item[w.l.n - 2].name;
		}
	}
	assert_int_equal(join(&w).n_right, N / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats),
		cmocka_unit_test(hostile),
		cmocka_unit_test(no_formats),
		cmocka_unit_test(files),
		cmocka_unit_test(spans),
		cmocka_unit_test(right),
		cmocka_unit_test(moved),
		cmocka_unit_test(others),
		cmocka_unit_test(stepped),
		cmocka_unit_test(twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
