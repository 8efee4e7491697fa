/* Answers of a server in this process to small traces, as they are in tests/server/answers: files
 * of a scenario, a view where there is one, and questions ("GET /api/status", then the answer). */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/map.h"
#include "expected.h"
#include "given.h"
#include "scenario.h"
#include "server/state.h"
#include "server/tsp/state.h"
#include "server/tsp/tsp.h"

struct asked { /* what a server needs while it runs */
	struct scenario scenario;
	char path[100], view[100];
	const char *paths[1], *views[1];
	struct mer_session_options session;
	struct ask_asker asker;
	struct server *server;
	struct tsp_state *tsp;
};

static void open_server(struct asked *a, const char *scenario, const char *view)
{
	struct mer_err err = { 0 };
	scenario_open(&a->scenario, scenario);
	snprintf(a->path, sizeof(a->path), "%s/traces", a->scenario.dir);
	a->paths[0] = a->path;
	a->session = (struct mer_session_options){ .size = sizeof(a->session), .n_threads = 1 };
	if (*view) {
		snprintf(a->view, sizeof(a->view), "%s/case.view", a->scenario.dir);
		FILE *f = fopen(a->view, "w");
		assert_non_null(f);
		fputs(view, f);
		fclose(f);
		a->views[0] = a->view;
		a->session.views = a->views;
		a->session.n_views = 1;
	}
	a->asker = (struct ask_asker){ .traces = a->paths, .n_traces = 1 };
	struct server_options o = { .address = "127.0.0.1",
		.paths = a->paths,
		.n_paths = 1,
		.session = &a->session,
		.protocol = &tsp_protocol,
		.asker = &a->asker };
	if (server_open(&o, &a->server, &err))
		fail_msg("%s", err.text);
	/* Events are counted by a thread of their own. */
	a->tsp = a->server->protocol;
	tsp_state_start(&(struct tsp){ .s = a->server, .state = a->tsp });
	while (atomic_load(&a->tsp->index.stage) < TSP_INDEX_READY)
		usleep(1000);
}

static void close_server(struct asked *a)
{
	server_stop(a->server);
	scenario_close(&a->scenario);
}

/* Words of the files for what is long, or other on each machine. */
enum { WORDS = 12 };
struct word {
	const char *word, *text;
};

static void make_words(const struct asked *a, struct word *w)
{
#define LINUX "org.eclipse.tracecompass.internal.analysis.os.linux.core."
	const struct word words[WORDS] = { { "OUT", "/tsp/api/experiments/EXPERIMENT/outputs" },
		{ "EXPERIMENT", a->tsp->experiment }, { "DIR", a->scenario.dir },
		{ "TRACE0", a->tsp->traces[0] }, { "TRACE1", a->tsp->traces[a->tsp->n_traces > 1] },
		{ "THREADS", LINUX "threadstatus.ThreadStatusDataProvider" },
		{ "CPUS", LINUX "threadstatus.ResourcesStatusDataProvider" },
		{ "CRITICAL",
			"org.eclipse.tracecompass.analysis.graph.core.dataprovider.CriticalPathDataProvider" },
		{ "HISTOGRAM",
			"org.eclipse.tracecompass.internal.tmf.core.histogram.HistogramDataProvider" },
		{ "USAGE",
			"org.eclipse.tracecompass.analysis.os.linux.core.cpuusage.CpuUsageDataProvider" },
		{ "DISKS",
			"org.eclipse.tracecompass.analysis.os.linux.core.inputoutput.DisksIODataProvider" },
		{ "EVENTS", "org.eclipse.tracecompass.internal.provisional.tmf.core.model.events."
			    "TmfEventTableDataProvider" } };
	memcpy(w, words, sizeof(words));
}

/* From words to their texts, or back. */
static void put_words(
	const struct asked *a, const char *text, size_t len, bool is_back, struct mer_str *out)
{
	struct word words[WORDS];
	make_words(a, words);
	for (size_t i = 0; i < len;) {
		const char *to = NULL;
		for (size_t k = 0; k < WORDS && !to; k++) {
			const char *from = is_back ? words[k].text : words[k].word;
			size_t n = strlen(from);
			if (len - i < n || memcmp(text + i, from, n) != 0)
				continue;
			to = is_back ? words[k].word : words[k].text;
			i += n;
			if (k == 0 && !is_back)
				put_words(a, to, strlen(to), false, out);
			else
				mer_str_puts(out, to);
		}
		if (!to)
			mer_str_putc(out, text[i++]);
	}
}

/* JSON with a line for each object; bytes in hexadecimal, of many only the hash. */
static void put_answer(const struct asked *a, const struct http_answer *answer, struct mer_str *out)
{
	enum { MANY = 16384 };
	struct mer_str s = { 0 };
	mer_str_puts(&s, "");
	mer_str_printf(out, "%u %s\n", answer->status, answer->type ? answer->type : "-");
	if (answer->body.len > MANY) {
		mer_str_printf(out, "%zu bytes, hash %016" PRIx64 "\n", answer->body.len,
			mer_hash(answer->body.data, answer->body.len));
		mer_str_fini(&s);
		return;
	}
	bool is_json = answer->type && strcmp(answer->type, "application/json") == 0;
	for (size_t i = 0; i < answer->body.len; i++) {
		char c = answer->body.data[i];
		if (is_json) {
			mer_str_putc(&s, c);
			if (c == ',' && i && strchr("}]", answer->body.data[i - 1]))
				mer_str_putc(&s, '\n');
		} else
			mer_str_printf(&s, "%02x%s", (unsigned)(unsigned char)c,
				i % 32 == 31 ? "\n"
				: i % 4 == 3 ? " "
					     : "");
	}
	put_words(a, s.data, s.len, true, out);
	if (!out->len || out->data[out->len - 1] != '\n')
		mer_str_putc(out, '\n');
	mer_str_fini(&s);
}

/* "METHOD TARGET [BODY]" */
static void ask(struct asked *a, const char *line, struct mer_str *out)
{
	struct http_answer answer = { 0 };
	struct http_argument args[HTTP_MAX_ARGUMENTS];
	struct http_request r = { .arguments = args, .socket = -1 };
	struct mer_str s = { 0 };
	put_words(a, line, strlen(line), false, &s);
	char *target = strchr(s.data, ' '), *body;
	assert_non_null(target);
	*target++ = '\0';
	body = strchr(target, ' ');
	if (body)
		*body++ = '\0';
	if (strcmp(s.data, "GET") == 0) {
		server_ask(a->server, target, &answer);
	} else {
		r.method = s.data;
		char *query = strchr(target, '?'), *rest = NULL;
		if (query)
			*query++ = '\0';
		for (char *one = query ? strtok_r(query, "&", &rest) : NULL; one;
			one = strtok_r(NULL, "&", &rest)) {
			char *value = strchr(one, '=');
			if (value)
				*value++ = '\0';
			args[r.n_arguments++] = (struct http_argument){ one, value ? value : "" };
		}
		r.path = target;
		r.body = body ? body : "";
		r.body_len = strlen(r.body);
		server_find(a->server, &r, target, &answer);
	}
	put_answer(a, &answer, out);
	mer_str_fini(&answer.body);
	mer_str_fini(&s);
}

static void answers_of(const char *file)
{
	struct mer_str out = { 0 };
	struct asked a = { 0 };
	char *text = expected_read(file), *scenario = expected_part(text, "scenario");
	char *view = expected_part(text, "view");
	const char *answers = strstr(text, "== answers\n");
	assert_non_null(answers);
	answers += strlen("== answers\n");
	open_server(&a, scenario, view);
	mer_str_add(&out, text, (size_t)(answers - text));
	for (const char *p = answers; *p;) {
		size_t n = strcspn(p, "\n");
		if (p[0] == '>' || p[0] == '#') {
			char *line = strndup(p, n);
			mer_str_printf(&out, "%s\n", line);
			if (p[0] == '>')
				ask(&a, line + 2, &out);
			free(line);
		}
		p += n + (p[n] == '\n');
	}
	close_server(&a);
	expected_is(file, &out);
	mer_str_fini(&out);
	free(scenario);
	free(view);
	free(text);
}

static void as_they_are_written(void **state)
{
	(void)state;
	expected_each("tests/server/answers", answers_of);
}

/* ---- Answers that the Trace Server Protocol keeps ---- */

static const struct mer_result *ask_top(struct tsp *t, int64_t end)
{
	const struct session_window w = { INT64_C(1000000000000000000), end };
	const struct tsp_question q = { { "top", "cpu" }, .window = end ? &w : NULL };
	struct mer_err err = { 0 };
	const struct mer_result *r = tsp_ask(t, &q, "top", &err);
	if (!r)
		fail_msg("%s", err.text);
	return r;
}

static size_t count_kept(const struct tsp *t)
{
	size_t n = 0;
	for (const struct tsp_kept_answer *x = t->state->answers; x; x = x->next)
		n++;
	return n;
}

static void open_request(struct asked *a, struct tsp *t)
{
	struct http_answer none = { 0 };
	open_server(a,
		"epoch 1000000000s\nhost a\n"
		"10us a 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0 next_comm=\"app\" next_tid=1\n"
		"25us a 0 sched_switch prev_comm=\"app\" prev_tid=1 prev_state=1 next_comm=\"other\" next_tid=2\n"
		"30us a 0 sched_switch prev_comm=\"other\" prev_tid=2 prev_state=1 next_comm=\"swapper/0\" next_tid=0\n",
		"");
	*t = (struct tsp){ .s = a->server, .state = a->tsp };
	t->traces = server_traces_use(a->server, SERVER_CLOCKS_ALIGNED, &none);
	assert_non_null(t->traces);
}

static void are_kept(void **state)
{
	struct asked a = { 0 };
	struct mer_err err = { 0 };
	struct tsp t;
	(void)state;
	open_request(&a, &t);
	const struct mer_result *all = ask_top(&t, 0);
	assert_int_equal(mer_result_n_rows(all), 2);
	assert_string_equal(tsp_cell_text(all, 0, "comm"), "app");
	assert_int_equal(tsp_cell_int(all, 0, "self_ns", -1), 15000);
	assert_int_equal(tsp_cell_int(all, 0, "nothing", -1), -1);
	t.state->answers->n_cells = 7; /* that it is the same one is seen by this */
	/* Only as many as there is room for, those that were used last. */
	for (int i = 1; i < 2 * TSP_KEPT_ANSWERS; i++) {
		assert_int_equal(
			tsp_cell_int(ask_top(&t, 1000000000000010000 + i), 0, "self_ns", -1), i);
		assert_ptr_equal(ask_top(&t, 0), all);
		assert_int_equal(t.state->answers->n_cells, 7);
		assert_int_equal(count_kept(&t), i < TSP_KEPT_ANSWERS ? i + 1 : TSP_KEPT_ANSWERS);
	}
	/* Of large ones fewer, but those that a request may still look at. */
	for (struct tsp_kept_answer *x = t.state->answers; x; x = x->next)
		x->n_cells = TSP_KEPT_CELLS;
	assert_ptr_equal(ask_top(&t, 0), all);
	assert_int_equal(count_kept(&t), TSP_SURELY_KEPT);
	const struct mer_result *some = tsp_ask(
		&t, &(struct tsp_question){ .words = { "top", "cpu" }, .limit = 1 }, NULL, &err);
	assert_int_equal(mer_result_n_rows(some), 1);
	some = tsp_ask(
		&t, &(struct tsp_question){ .words = { "top", "cpu" }, .n_bins = 3 }, "bins", &err);
	assert_int_equal(tsp_cell_int(some, 0, "self_ns", -1), 6667);
	/* What it lacks is empty; what cannot be asked is none. */
	const struct mer_result *lacks =
		tsp_ask(&t, &(struct tsp_question){ .words = { "top", "cpu" } }, "nothing", &err);
	assert_non_null(lacks);
	assert_int_equal(mer_result_n_rows(lacks) + mer_result_n_columns(lacks), 0);
	assert_null(
		tsp_ask(&t, &(struct tsp_question){ .words = { "top", "nothing" } }, NULL, &err));
	assert_int_equal(err.code, MER_ERR_USAGE);
	assert_int_equal(count_kept(&t), TSP_SURELY_KEPT);
	server_traces_done(t.traces);
	close_server(&a);
}

/* What is cancelled has no answer, and is not kept; nor does anybody wait for all events. */
static void are_cancelled(void **state)
{
	struct asked a = { 0 };
	struct mer_err err = { 0 };
	struct tsp t;
	struct mer_str out = { 0 };
	(void)state;
	open_request(&a, &t);
	mer_json_init(&t.j, &out, NULL, 0);
	t.q = (struct tsp_query){ .has_index = true, .has_count = true, .count = 2 };
	mer_arena_init(&t.arena);
	assert_int_equal(tsp_event_lines(&t, &err), 0);
	assert_non_null(strstr(out.data, "next_comm=app"));
	mer_session_cancel(t.traces->session);
	assert_int_equal(tsp_event_lines(&t, &err), MER_ERR_CANCELLED);
	err = (struct mer_err){ 0 };
	assert_null(tsp_ask(&t, &(struct tsp_question){ .words = { "top", "cpu" } }, "top", &err));
	assert_int_equal(err.code, MER_ERR_CANCELLED);
	server_traces_resume(a.server, t.traces);
	assert_int_equal(mer_result_n_rows(ask_top(&t, 0)), 2);
	server_traces_done(t.traces);
	mer_arena_fini(&t.arena);
	mer_str_fini(&out);
	close_server(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_they_are_written),
		cmocka_unit_test(are_kept), cmocka_unit_test(are_cancelled) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
