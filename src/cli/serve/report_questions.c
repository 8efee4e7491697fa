#include "cli/serve/report_questions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ask/catalog.h"
#include "base/map.h"

/* What views ask for when they are opened, in words, besides topics of the catalog. */
static const char *const commands[] = { "check", "requests --list --limit 12", "summary --limit 0",
	"sync --limit 0", "latency", "graph --limit 0", "stats --by name --limit 0",
	"top cpu --bins 60", "top net --bins 60", "top disk --bins 60", "top cpu --limit 60",
	"top cpu --bins 240", "requests --explain" };

/* The same, in a form of their own. */
static const char *const texts[] = { "requests --list --limit 500 --format csv",
	"graph --format dot", "events --limit 300 --json", "events --limit 300" };

/* The same where there are rows of views, or ranks of MPI programs. */
static const char *const view_commands[] = { "top view --limit 60" };
static const char *const mpi_commands[] = { "top mpi --table ranks --limit 0",
	"top mpi --table states --limit 60", "top mpi --table matrix --limit 0",
	"top mpi --table pattern", "top mpi --table messages --limit 100",
	"top mpi --table waits --limit 60" };

enum {
	KINDS = 32,	    /* of requests that are explained, and listed */
	CAUSES = 5,	    /* of an explanation that home shows, each with a request */
	LANES = 150,	    /* tasks that used most CPU time, in the picture of everything */
	LANE_BINS = 1024,   /* of that picture */
	PROGRAM_ROWS = 200, /* of views, and ranks */
	STATE_BINS = 1600,
	WORDS = 12,
	LINE = 100
};

struct reporter {
	struct server *s;
	report_taker *take;
	void *ctx;
	struct mer_err *err;
	struct mer_map lanes; /* hash of host and tid -> row in `tasks`, plus 1 */
	struct answer all;    /* hosts, cpus, tasks: server_all_tasks */
	const struct mer_table *hosts, *tasks;
};

/* ---- Asking ---- */

/* As encodeURIComponent of a page does it. */
static void encode(struct mer_str *out, const char *s)
{
	for (; *s; s++) {
		char c = *s;
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || strchr("-_.!~*'()", c);
		if (plain)
			mer_str_putc(out, c);
		else
			mer_str_printf(out, "%%%02X", (unsigned)(unsigned char)c);
	}
}

/* An answer as bytes goes to the taker. What cannot be answered (no such analysis for these traces)
 * is not in the report. */
static int ask_bytes(struct reporter *r, struct mer_str *target)
{
	struct http_answer a = { 0 };
	struct mer_str address = { 0 };
	mer_str_printf(&address, "/%s", target->data ? target->data : "");
	int rc = target->failed || address.failed ? mer_fail_nomem(r->err) : 0;
	if (rc == 0)
		server_ask(r->s, address.data, &a);
	if (rc == 0 && a.status == 200)
		rc = r->take(r->ctx, target->data, &a, r->err);
	mer_str_fini(&a.body);
	mer_str_fini(&address);
	mer_str_fini(target);
	return rc;
}

static int ask_plain(struct reporter *r, const char *target)
{
	struct mer_str copy = { 0 };
	mer_str_puts(&copy, target);
	return ask_bytes(r, &copy);
}

/* Words, and their address as the page asks them. */
struct question {
	char line[LINE];
	const char *words[WORDS];
	size_t n;
	struct mer_str target;
};

static void add_word(struct question *q, const char *word)
{
	mer_str_puts(&q->target, q->n ? "&w=" : "api/run?w=");
	encode(&q->target, word);
	q->words[q->n++] = word;
}

/* line: words separated by blanks; last: one more that may have blanks, NULL: none. */
static void begin_question(struct question *q, const char *line, const char *last)
{
	char *rest = NULL;
	*q = (struct question){ .n = 0 };
	snprintf(q->line, sizeof(q->line), "%s", line);
	for (char *w = strtok_r(q->line, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		add_word(q, w);
	if (last)
		add_word(q, last);
}

static int ask_text_of(struct reporter *r, const char *line, const char *last, bool is_csv)
{
	struct question q;
	begin_question(&q, line, last);
	if (is_csv) {
		add_word(&q, "--format");
		add_word(&q, "csv");
	}
	return ask_bytes(r, &q.target);
}

static int take_json(struct reporter *r, const char *target, struct answer *a)
{
	struct http_answer json = { .status = 200, .type = "application/json" };
	int rc = answer_json(a, 0, a->n, &json.body, NULL, r->err);
	if (rc == 0)
		rc = r->take(r->ctx, target, &json, r->err);
	mer_str_fini(&json.body);
	return rc;
}

enum wanted {
	IN_ANY_CASE,
	IF_FILLED, /* its first table has a row */
	TO_LOOK_AT /* no view asks for it */
};

static bool is_filled(const struct answer *a)
{
	return a->n && a->tables[0].table->n_rows;
}

/* The same for tables, which the report has as JSON, and *a is to be looked at: without tables if
 * there is no answer. answer_fini in any case. */
static int find(struct reporter *r, const char *line, const char *last, enum wanted wanted,
	struct answer *a)
{
	struct question q;
	struct mer_err none = { 0 };
	begin_question(&q, line, last);
	add_word(&q, "--json");
	/* As the page asks: this is of lists of the largest and of each. */
	if (strcmp(q.words[0], "top") == 0 || strcmp(q.words[0], "log") == 0)
		add_word(&q, "--leave-out");
	answer_init(a, NULL);
	int rc = q.target.failed ? mer_fail_nomem(r->err) : 0;
	if (rc == 0 && server_tables(r->s, q.words, q.n, a, &none)) {
		answer_fini(a);
		answer_init(a, NULL);
	} else if (rc == 0 && (wanted == IN_ANY_CASE || (wanted == IF_FILLED && is_filled(a)))) {
		rc = take_json(r, q.target.data, a);
	}
	mer_str_fini(&q.target);
	return rc;
}

static int ask(struct reporter *r, const char *line, const char *last)
{
	struct answer a;
	int rc = find(r, line, last, IN_ANY_CASE, &a);
	answer_fini(&a);
	return rc;
}

static int ask_each(struct reporter *r, const char *const *lines, size_t n)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = ask(r, lines[i], NULL);
	return rc;
}

/* ---- Topics: one of which no table has a row is not in the report ---- */

static int ask_of_topic(struct reporter *r, const struct ask_topic *t, const char *line, bool *any)
{
	struct answer a;
	bool always = t == &ask_topics[0];
	int rc = find(r, line, NULL, always ? IN_ANY_CASE : IF_FILLED, &a);
	*any |= always || is_filled(&a);
	answer_fini(&a);
	return rc;
}

static int ask_topic(struct reporter *r, const struct ask_topic *t)
{
	char line[LINE];
	bool any = false;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < ASK_TOPIC_QUESTIONS && t->questions[i]; i++) {
		snprintf(
			line, sizeof(line), "%s --limit %" PRIu32, t->questions[i], t->report_rows);
		rc = ask_of_topic(r, t, line, &any);
	}
	snprintf(line, sizeof(line), "top %s --bins %" PRIu32, t->id, t->report_bins);
	if (rc == 0 && any && t->curves[0].title)
		rc = ask_of_topic(r, t, line, &any);
	snprintf(line, sizeof(line), "freq %s --limit 0", t->id);
	if (rc == 0 && any && t->durations)
		rc = ask_of_topic(r, t, line, &any);
	return rc;
}

static int ask_topics_of_catalog(struct reporter *r)
{
	int rc = 0;
	for (const struct ask_topic *t = ask_topics; rc == 0 && t->id; t++)
		if (t->report_rows)
			rc = ask_topic(r, t);
	return rc;
}

/* ---- Lanes ---- */

static uint64_t hash_of(const char *host, int64_t tid)
{
	uint64_t parts[2] = { mer_hash(host, strlen(host)), (uint64_t)tid };
	return mer_hash(parts, sizeof(parts));
}

/* The number of the host of a row of cpus or tasks. */
static uint32_t host_of(const struct mer_table *t, size_t row)
{
	int64_t host = 1;
	answer_int(t, row, "row", &host);
	return (uint32_t)(host - 1);
}

/* A thread of a host has the last of the tasks that had its number. */
static int index_tasks(struct reporter *r)
{
	for (size_t i = 0; i < answer_rows(r->tasks); i++) {
		int64_t tid;
		if (!answer_int(r->tasks, i, "tid", &tid))
			continue;
		const char *host = answer_text(r->hosts, host_of(r->tasks, i), "host");
		uint32_t *at = mer_map_put(&r->lanes, hash_of(host, tid));
		if (!at)
			return mer_fail_nomem(r->err);
		*at = (uint32_t)i + 1;
	}
	return 0;
}

struct picture { /* its lanes */
	struct mer_str list;
	struct mer_map there;
	unsigned n;
};

static void add_lane(struct picture *p, char kind, uint32_t host, int64_t number)
{
	uint64_t key = (uint64_t)(kind == 'c') << 63 | (uint64_t)host << 32 | (uint64_t)number;
	uint32_t *there = mer_map_put(&p->there, mer_hash(&key, sizeof(key)));
	p->list.failed |= !there;
	if (!there || *there)
		return;
	*there = 1;
	mer_str_printf(
		&p->list, "%s%c:%" PRIu32 ":%" PRId64, p->n++ ? "," : "", kind, host, number);
}

static void add_cpus(const struct reporter *r, struct picture *p)
{
	const struct mer_table *cpus = answer_find(&r->all, "cpus");
	int64_t cpu;
	for (size_t i = 0; i < answer_rows(cpus); i++)
		if (answer_int(cpus, i, "cpu", &cpu))
			add_lane(p, 'c', host_of(cpus, i), cpu);
}

/* Of rows with a host and a tid. */
static void add_tasks(struct reporter *r, struct picture *p, const struct mer_table *t)
{
	int64_t tid, task;
	for (size_t i = 0; i < answer_rows(t) && p->n < LANES; i++) {
		const char *host = answer_text(t, i, "host");
		const uint32_t *at = host && answer_int(t, i, "tid", &tid)
					     ? mer_map_get(&r->lanes, hash_of(host, tid))
					     : NULL;
		if (at && answer_int(r->tasks, *at - 1, "task", &task))
			add_lane(p, 't', host_of(r->tasks, *at - 1), task);
	}
}

/* Asks for the picture, and frees its lanes. */
static int ask_lanes(struct reporter *r, struct picture *p, int64_t begin, int64_t end)
{
	struct mer_str target = { 0 };
	mer_str_printf(&target, "api/lanes?begin=%" PRId64 "&end=%" PRId64 "&bins=%d&lanes=", begin,
		end, LANE_BINS);
	encode(&target, p->list.data ? p->list.data : "");
	target.failed |= p->list.failed;
	mer_str_fini(&p->list);
	mer_map_fini(&p->there);
	if (begin < end)
		return ask_bytes(r, &target);
	mer_str_fini(&target);
	return 0;
}

/* ---- What is asked ---- */

static int ask_programs(struct reporter *r)
{
	struct mer_str rows = { 0 }, target = { 0 };
	unsigned n_views, n_ranks;
	int rc = ask_plain(r, "api/programs?");
	if (rc == 0)
		rc = server_program_rows(r->s, PROGRAM_ROWS, &rows, &n_views, &n_ranks, r->err);
	if (rc == 0 && n_views)
		rc = ask_each(r, view_commands, sizeof(view_commands) / sizeof(*view_commands));
	if (rc == 0 && n_ranks)
		rc = ask_each(r, mpi_commands, sizeof(mpi_commands) / sizeof(*mpi_commands));
	if (rc == 0 && rows.len) {
		mer_str_printf(&target,
			"api/states?begin=%" PRId64 "&end=%" PRId64 "&bins=%d&rows=", r->all.begin,
			r->all.end + 1, STATE_BINS);
		encode(&target, rows.data);
		rc = ask_bytes(r, &target);
	}
	mer_str_fini(&rows);
	return rc;
}

/* Also why there are no marks: their file is the user's, and may have mistakes. */
static int ask_marks(struct reporter *r)
{
	struct http_answer a = { 0 };
	server_ask(r->s, "/api/marks", &a);
	int rc = r->take(r->ctx, "api/marks", &a, r->err);
	mer_str_fini(&a.body);
	return rc;
}

static int ask_everything(struct reporter *r)
{
	static const char *const targets[] = { "api/status", "api/overview", "api/catalog",
		"api/tasks?" };
	struct picture p = { .n = 0 };
	struct answer top;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < sizeof(targets) / sizeof(*targets); i++)
		rc = ask_plain(r, targets[i]);
	if (rc == 0)
		rc = ask_marks(r);
	if (rc == 0)
		rc = ask_each(r, commands, sizeof(commands) / sizeof(*commands));
	for (size_t i = 0; rc == 0 && i < sizeof(texts) / sizeof(*texts); i++)
		rc = ask_text_of(r, texts[i], NULL, false);
	if (rc)
		return rc;
	rc = find(r, "top cpu --limit 0", NULL, IN_ANY_CASE, &top);
	add_cpus(r, &p);
	if (top.n)
		add_tasks(r, &p, top.tables[0].table);
	answer_fini(&top);
	int rc_lanes = ask_lanes(r, &p, r->all.begin, r->all.end);
	return rc ? rc : rc_lanes;
}

static int ask_kinds(struct reporter *r)
{
	struct answer all;
	int rc = find(r, "requests", NULL, IN_ANY_CASE, &all);
	const struct mer_table *kinds = answer_find(&all, "kinds");
	for (size_t i = 0; rc == 0 && i < answer_rows(kinds) && i < KINDS; i++) {
		const char *kind = answer_text(kinds, i, "kind");
		if (kind)
			rc = ask(r, "requests --explain --kind", kind);
		if (rc == 0 && kind)
			rc = ask_text_of(r, "requests --list --limit 500 --kind", kind, true);
	}
	answer_fini(&all);
	return rc;
}

/* Its tree, its path, and the picture of that: as the page opens it. */
static int ask_request(struct reporter *r, const char *id)
{
	struct answer path;
	struct picture p = { .n = 0 };
	int rc = ask(r, "requests --tree --request", id);
	if (rc)
		return rc;
	rc = find(r, "path --request", id, IN_ANY_CASE, &path);
	if (rc == 0 && path.begin != MER_NO_TIME) {
		int64_t room = (path.end - path.begin) / 10;
		int64_t begin = path.begin - room, end = path.end + room;
		add_cpus(r, &p);
		add_tasks(r, &p, answer_find(&path, "segments"));
		rc = ask_lanes(r, &p, begin > r->all.begin ? begin : r->all.begin,
			end < r->all.end ? end : r->all.end);
	}
	answer_fini(&path);
	return rc;
}

static int ask_requests(struct reporter *r, unsigned most)
{
	struct answer all;
	char line[LINE];
	snprintf(line, sizeof(line), "requests --list --limit %u", most);
	if (!most)
		return 0;
	int rc = find(r, line, NULL, TO_LOOK_AT, &all);
	const struct mer_table *requests = answer_find(&all, "requests");
	for (size_t i = 0; rc == 0 && i < answer_rows(requests) && i < most; i++)
		if (answer_text(requests, i, "id"))
			rc = ask_request(r, answer_text(requests, i, "id"));
	answer_fini(&all);
	return rc;
}

/* The first culprit of a cause that names a request: the one that the page offers to show. row: of
 * the cause, from 1. */
static const char *shown_of_cause(const struct mer_table *culprits, int64_t row)
{
	for (size_t i = 0; i < answer_rows(culprits); i++) {
		int64_t of;
		const char *id = answer_text(culprits, i, "request");
		if (id && answer_int(culprits, i, "row", &of) && of == row)
			return id;
	}
	return NULL;
}

/* Requests that show why slow ones are slow: who reads the first sentence asks for these. The
 * causes of the first group come first. */
static int ask_shown(struct reporter *r)
{
	struct answer why;
	int rc = find(r, "requests --explain", NULL, IN_ANY_CASE, &why);
	const struct mer_table *causes = answer_find(&why, "causes");
	for (size_t i = 0; rc == 0 && i < answer_rows(causes) && i < CAUSES; i++) {
		int64_t group;
		if (!answer_int(causes, i, "group", &group) || group != 1)
			break;
		const char *id = shown_of_cause(answer_find(&why, "culprits"), (int64_t)i + 1);
		if (id)
			rc = ask_request(r, id);
	}
	answer_fini(&why);
	return rc;
}

int cli_report_ask(
	struct server *s, unsigned n_requests, report_taker *take, void *ctx, struct mer_err *err)
{
	struct reporter r = { .s = s, .take = take, .ctx = ctx, .err = err };
	struct mer_err none = { 0 };
	if (server_all_tasks(s, &r.all, &none)) {
		answer_fini(&r.all);
		answer_init(&r.all, NULL);
	}
	r.hosts = answer_find(&r.all, "hosts");
	r.tasks = answer_find(&r.all, "tasks");
	int rc = index_tasks(&r);
	if (rc == 0)
		rc = ask_everything(&r);
	if (rc == 0)
		rc = ask_topics_of_catalog(&r);
	if (rc == 0)
		rc = ask_programs(&r);
	if (rc == 0)
		rc = ask_kinds(&r);
	if (rc == 0)
		rc = ask_requests(&r, n_requests);
	if (rc == 0 && n_requests)
		rc = ask_shown(&r);
	mer_map_fini(&r.lanes);
	answer_fini(&r.all);
	return rc;
}
