/* Tables of the library in full, as they are in tests/api/tables: files of a scenario and of
 * questions ("> path nth=2", "> table cpu top sort=+tid"), each with its rows. Times are from the
 * first event on. */
#include <inttypes.h>
#include <stdio.h>

#include "expected.h"
#include "scenario.h"

#include "ask.h" /* the last: its `err` is a macro */

enum { WORDS = 12, TEXT = 100 };

struct question {
	char words[WORDS][TEXT]; /* without "=" */
	size_t n;
	char options[WORDS][TEXT]; /* KEY=VALUE, a blank in a value is "~" */
	size_t n_options;
};

static int64_t t0;

static struct question read_question(const char *line)
{
	struct question q = { 0 };
	for (const char *p = line; *p;) {
		size_t n = strcspn(p, " ");
		char *to = memchr(p, '=', n) && q.n ? q.options[q.n_options++] : q.words[q.n++];
		assert_true(n < TEXT && q.n < WORDS && q.n_options < WORDS);
		memcpy(to, p, n);
		for (char *c = to; *c; c++)
			*c = *c == '~' ? ' ' : *c;
		p += n + (p[n] == ' ');
	}
	return q;
}

static const char *option(const struct question *q, const char *key)
{
	size_t n = strlen(key);
	for (size_t i = 0; i < q->n_options; i++)
		if (strncmp(q->options[i], key, n) == 0 && q->options[i][n] == '=')
			return q->options[i] + n + 1;
	return NULL;
}

static int64_t number(const struct question *q, const char *key)
{
	const char *text = option(q, key);
	return text ? strtoll(text, NULL, 10) : 0;
}

/* Without the folder, which is another one each time. */
static const char *below(const char *path)
{
	const char *end = strstr(path, "/traces/");
	return *path == '/' && end ? end + 1 : path;
}

static void put_cell(const struct mer_result *r, size_t row, size_t c, struct mer_str *out)
{
	const char *type = mer_result_type(r, c), *text;
	int64_t v;
	double real;
	if (mer_result_int(r, row, c, &v)) {
		bool is_time = strcmp(type, "date") == 0 || strcmp(type, "time") == 0;
		mer_str_printf(out, is_time ? "+%" PRId64 : "%" PRId64, is_time ? v - t0 : v);
	} else if (mer_result_real(r, row, c, &real))
		mer_str_printf(out, "%.6g", real);
	else if (mer_result_text(r, row, c, &text))
		mer_str_printf(out, "%s", *text ? below(text) : "''");
	else
		mer_str_putc(out, '-');
}

static void put_result(struct mer_result *r, bool with_types, struct mer_str *out)
{
	size_t n = mer_result_n_columns(r);
	mer_str_printf(out, "%s", mer_result_id(r) ? mer_result_id(r) : "-");
	if (with_types) {
		mer_str_printf(out, " '%s'", mer_result_title(r) ? mer_result_title(r) : "-");
		if (mer_result_sorted(r))
			mer_str_printf(out, " by %s", mer_result_sorted(r));
	}
	mer_str_puts(out, " |");
	for (size_t c = 0; c < n; c++) {
		mer_str_printf(out, " %s", mer_result_key(r, c));
		if (with_types)
			mer_str_printf(out, ":%s", mer_result_type(r, c));
	}
	mer_str_putc(out, '\n');
	for (size_t i = 0; i < mer_result_n_rows(r); i++)
		for (size_t c = 0; c < n; c++) {
			mer_str_puts(out, c ? " | " : "\t");
			put_cell(r, i, c, out);
			mer_str_puts(out, c + 1 == n ? "\n" : "");
		}
	if (mer_result_n_left_out(r))
		mer_str_printf(out, "\tand %" PRIu64 " more\n", mer_result_n_left_out(r));
	mer_result_free(r);
}

struct selected {
	struct mer_selection selection;
	const char *hosts[1], *comms[1];
	uint32_t cpu, tid, pid;
};

static const struct mer_selection *selection_of(const struct question *q, struct selected *s)
{
	*s = (struct selected){ .selection = { .size = sizeof(s->selection) } };
	struct mer_selection *to = &s->selection;
	to->begin = option(q, "begin");
	to->end = option(q, "end");
	if ((s->hosts[0] = option(q, "host"))) {
		to->hosts = s->hosts;
		to->n_hosts = 1;
	}
	if ((s->comms[0] = option(q, "comm"))) {
		to->comms = s->comms;
		to->n_comms = 1;
	}
	s->cpu = (uint32_t)number(q, "cpu");
	s->tid = (uint32_t)number(q, "tid");
	s->pid = (uint32_t)number(q, "pid");
	to->cpus = &s->cpu;
	to->n_cpus = option(q, "cpu") != NULL;
	to->tids = &s->tid;
	to->n_tids = option(q, "tid") != NULL;
	to->pids = &s->pid;
	to->n_pids = option(q, "pid") != NULL;
	return to;
}

static int table_of(struct mer_session *s, const struct question *q,
	const struct mer_selection *sel, const char *analysis, const char *table,
	struct mer_result **r)
{
	const char *names[1] = { option(q, "name") };
	struct mer_table_options o = { .size = sizeof(o),
		.selection = sel,
		.filter = option(q, "filter"),
		.group_by = option(q, "group"),
		.limit = (uint64_t)number(q, "limit"),
		.min_ns = number(q, "min"),
		.max_ns = number(q, "max"),
		.names = names,
		.n_names = names[0] != NULL,
		.n_bins = (uint64_t)number(q, "bins"),
		.interval_ns = number(q, "interval"),
		.max_bins = (uint64_t)number(q, "most"),
		.min_bytes = (uint64_t)number(q, "min_bytes"),
		.max_bytes = (uint64_t)number(q, "max_bytes"),
		.sort = option(q, "sort"),
		.reverse = number(q, "reverse") != 0,
		.leave_out = number(q, "leave_out") != 0,
		.period = option(q, "period"),
		.all = number(q, "all") != 0 };
	return mer_session_table(s, analysis, table, &o, r, &err);
}

/* Each table of each analysis that the traces have rows for. */
static int every_table(struct mer_session *s, const struct question *q,
	const struct mer_selection *sel, struct mer_str *out)
{
	struct mer_result *catalog, *r;
	int rc = mer_session_catalog(s, &catalog, &err);
	for (size_t i = 0; rc == 0 && i < mer_result_n_rows(catalog); i++) {
		const char *analysis = ask_text_of(catalog, i, "analysis"),
			   *table = ask_text_of(catalog, i, "table");
		if (ask_int(catalog, i, "periods") || ask_int(catalog, i, "views"))
			continue;
		rc = table_of(s, q, sel, analysis, table, &r);
		if (rc == 0 && mer_result_n_rows(r)) {
			mer_str_printf(out, "%s ", analysis);
			put_result(r, false, out);
		} else if (rc == 0)
			mer_result_free(r);
	}
	mer_result_free(catalog);
	return rc;
}

static int answer(struct mer_session *s, const struct question *q, struct mer_str *out)
{
	struct selected selected;
	const struct mer_selection *sel = selection_of(q, &selected);
	const char *what = q->words[0];
	struct mer_result *r = NULL;
	int rc;
	if (strcmp(what, "every") == 0)
		return every_table(s, q, sel, out);
	if (strcmp(what, "offset") == 0) {
		int64_t offset = 7, bound = 7;
		rc = mer_session_offset(
			s, q->words[1], t0 + number(q, "at"), &offset, &bound, &err);
		if (rc == 0)
			mer_str_printf(out, "\t%" PRId64 " %" PRId64 "\n", offset, bound);
		return rc;
	}
	if (strcmp(what, "hosts") == 0)
		rc = mer_session_hosts(s, &r, &err);
	else if (strcmp(what, "capabilities") == 0)
		rc = mer_session_capabilities(s, &r, &err);
	else if (strcmp(what, "diagnostics") == 0)
		rc = mer_session_diagnostics(s, &r, &err);
	else if (strcmp(what, "catalog") == 0)
		rc = mer_session_catalog(s, &r, &err);
	else if (strcmp(what, "clocks") == 0)
		rc = mer_session_clocks(s, &r, &err);
	else if (strcmp(what, "tasks") == 0)
		rc = mer_session_tasks(s, sel, &r, &err);
	else if (strcmp(what, "messages") == 0)
		rc = mer_session_messages(s, q->words[1], q->words[2], (uint64_t)number(q, "first"),
			(uint64_t)number(q, "limit"), &r, &err);
	else if (strcmp(what, "path") == 0)
		rc = mer_session_path(s,
			&(struct mer_path_options){ .size = sizeof(struct mer_path_options),
				.selection = sel,
				.nth = (uint64_t)number(q, "nth") },
			&r, &err);
	else if (strcmp(what, "blocked") == 0)
		rc = mer_session_blocked(s,
			&(struct mer_blocked_options){ .size = sizeof(struct mer_blocked_options),
				.selection = sel,
				.all = number(q, "all") != 0,
				.depth = (uint32_t)number(q, "depth"),
				.limit = (uint64_t)number(q, "limit") },
			&r, &err);
	else if (strcmp(what, "task") == 0) {
		const char *table = q->words[1];
		rc = mer_session_task(s, &table, 1,
			&(struct mer_task_options){ .size = sizeof(struct mer_task_options),
				.selection = sel,
				.nth = (uint64_t)number(q, "nth"),
				.all = number(q, "all") != 0 },
			&r, &err);
	} else if (strcmp(what, "lanes") == 0)
		rc = mer_session_lanes(s,
			&(struct mer_lane_options){ .size = sizeof(struct mer_lane_options),
				.selection = sel,
				.lanes = strcmp(q->words[1], "cpus") == 0 ? MER_LANES_CPUS
									  : MER_LANES_TASKS,
				.max_bins = (uint32_t)number(q, "bins") },
			&r, &err);
	else if (strcmp(what, "counts") == 0)
		rc = mer_session_counts(s,
			&(struct mer_count_options){ .size = sizeof(struct mer_count_options),
				.selection = sel,
				.kinds = option(q, "kinds"),
				.max_bins = (uint32_t)number(q, "bins") },
			&r, &err);
	else
		rc = table_of(s, q, sel, q->words[1], q->words[2], &r);
	if (rc == 0)
		put_result(r, true, out);
	return rc;
}

static void tables_of(const char *file)
{
	struct scenario scenario;
	struct mer_session *s;
	struct mer_str out = { 0 };
	char path[100], *text = expected_read(file), *given = expected_part(text, "scenario");
	const char *paths[] = { path }, *answers = strstr(text, "== answers\n");
	assert_non_null(answers);
	answers += strlen("== answers\n");
	scenario_open(&scenario, given);
	snprintf(path, sizeof(path), "%s/traces", scenario.dir);
	OK(mer_session_new(paths, 1, NULL, &s, &err));
	OK(mer_session_open(s, &err));
	t0 = mer_session_experiment(s)->begin;
	mer_str_add(&out, text, (size_t)(answers - text));
	for (const char *p = answers; *p;) {
		size_t n = strcspn(p, "\n");
		if (p[0] == '>') {
			char *line = strndup(p, n);
			const struct question q = read_question(line + 2);
			mer_str_printf(&out, "%s\n", line);
			memset(&err, 0, sizeof(err));
			if (answer(s, &q, &out))
				mer_str_printf(&out, "\terror %d: %s\n", err.code, err.text);
			free(line);
		}
		p += n + (p[n] == '\n');
	}
	mer_session_free(s);
	scenario_close(&scenario);
	expected_is(file, &out);
	mer_str_fini(&out);
	free(given);
	free(text);
}

static void as_they_are_written(void **state)
{
	(void)state;
	expected_each("tests/api/tables", tables_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_they_are_written) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
