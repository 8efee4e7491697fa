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
	int rc;		      /* of the first failure; nothing is asked after it */
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

/* An answer as bytes goes to the taker, and target is emptied. What cannot be answered (no such
 * analysis for these traces) is not in the report; marks say why in any case: their file is the
 * user's, and may have mistakes. */
static void ask_bytes(struct reporter *r, struct mer_str *target)
{
	struct http_answer a = { 0 };
	struct mer_str address = { 0 };
	mer_str_printf(&address, "/%s", target->data ? target->data : "");
	if (r->rc == 0 && (target->failed || address.failed))
		r->rc = mer_fail_nomem(r->err);
	if (r->rc == 0)
		server_ask(r->s, address.data, &a);
	if (r->rc == 0 && (a.status == 200 || strcmp(target->data, "api/marks") == 0))
		r->rc = r->take(r->ctx, target->data, &a, r->err);
	mer_str_fini(&a.body);
	mer_str_fini(&address);
	mer_str_fini(target);
}

static void ask_plain(struct reporter *r, const char *target)
{
	struct mer_str copy = { 0 };
	mer_str_puts(&copy, target);
	ask_bytes(r, &copy);
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

static void take_json(struct reporter *r, const char *target, struct answer *a)
{
	struct http_answer json = { .status = 200, .type = "application/json" };
	r->rc = answer_json(a, 0, a->n, &json.body, NULL, r->err);
	if (r->rc == 0)
		r->rc = r->take(r->ctx, target, &json, r->err);
	mer_str_fini(&json.body);
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
static void find(struct reporter *r, const char *line, const char *last, enum wanted wanted,
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
	if (r->rc == 0 && q.target.failed)
		r->rc = mer_fail_nomem(r->err);
	if (r->rc == 0 && server_tables(r->s, q.words, q.n, a, &none)) {
		answer_fini(a);
		answer_init(a, NULL);
	} else if (r->rc == 0 && (wanted == IN_ANY_CASE || (wanted == IF_FILLED && is_filled(a)))) {
		take_json(r, q.target.data, a);
	}
	mer_str_fini(&q.target);
}

static void ask(struct reporter *r, const char *line, const char *last)
{
	struct answer a;
	find(r, line, last, IN_ANY_CASE, &a);
	answer_fini(&a);
}

static void ask_each(struct reporter *r, const char *const *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ask(r, lines[i], NULL);
}

/* ---- Topics: one of which no table has a row is not in the report ---- */

static bool ask_of_topic(struct reporter *r, const struct ask_topic *t, const char *line)
{
	struct answer a;
	bool always = t == &ask_topics[0];
	find(r, line, NULL, always ? IN_ANY_CASE : IF_FILLED, &a);
	bool any = always || is_filled(&a);
	answer_fini(&a);
	return any;
}

static void ask_topic(struct reporter *r, const struct ask_topic *t)
{
	char line[LINE];
	bool any = false;
	for (size_t i = 0; i < ASK_TOPIC_QUESTIONS && t->questions[i]; i++) {
		snprintf(
			line, sizeof(line), "%s --limit %" PRIu32, t->questions[i], t->report_rows);
		any |= ask_of_topic(r, t, line);
	}
	snprintf(line, sizeof(line), "top %s --bins %" PRIu32, t->id, t->report_bins);
	if (any && t->curves[0].title)
		ask_of_topic(r, t, line);
	snprintf(line, sizeof(line), "freq %s --limit 0", t->id);
	if (any && t->durations)
		ask_of_topic(r, t, line);
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
static void index_tasks(struct reporter *r)
{
	int64_t tid;
	for (size_t i = 0; i < answer_rows(r->tasks); i++) {
		if (!answer_int(r->tasks, i, "tid", &tid))
			continue;
		const char *host = answer_text(r->hosts, host_of(r->tasks, i), "host");
		uint32_t *at = mer_map_put(&r->lanes, hash_of(host, tid));
		if (at)
			*at = (uint32_t)i + 1;
		else
			r->rc = mer_fail_nomem(r->err);
	}
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

/* All CPUs, and the tasks of rows with a host and a tid; in a time within the traces'. */
static void ask_lanes(struct reporter *r, const struct mer_table *rows, int64_t begin, int64_t end)
{
	const struct mer_table *cpus = answer_find(&r->all, "cpus");
	struct picture p = { .n = 0 };
	struct mer_str target = { 0 };
	int64_t number;
	begin = begin > r->all.begin ? begin : r->all.begin;
	end = end < r->all.end ? end : r->all.end;
	if (begin >= end)
		return;
	for (size_t i = 0; i < answer_rows(cpus); i++)
		if (answer_int(cpus, i, "cpu", &number))
			add_lane(&p, 'c', host_of(cpus, i), number);
	for (size_t i = 0; i < answer_rows(rows) && p.n < LANES; i++) {
		const char *host = answer_text(rows, i, "host");
		const uint32_t *at = host && answer_int(rows, i, "tid", &number)
					     ? mer_map_get(&r->lanes, hash_of(host, number))
					     : NULL;
		if (at && answer_int(r->tasks, *at - 1, "task", &number))
			add_lane(&p, 't', host_of(r->tasks, *at - 1), number);
	}
	mer_str_printf(&target, "api/lanes?begin=%" PRId64 "&end=%" PRId64 "&bins=%d&lanes=", begin,
		end, LANE_BINS);
	encode(&target, p.list.data ? p.list.data : "");
	target.failed |= p.list.failed;
	ask_bytes(r, &target);
	mer_str_fini(&p.list);
	mer_map_fini(&p.there);
}

/* ---- What is asked ---- */

static void ask_programs(struct reporter *r)
{
	struct mer_str rows = { 0 }, target = { 0 };
	unsigned n_views = 0, n_ranks = 0;
	ask_plain(r, "api/programs?");
	if (r->rc == 0)
		r->rc = server_program_rows(r->s, PROGRAM_ROWS, &rows, &n_views, &n_ranks, r->err);
	if (n_views)
		ask_each(r, view_commands, sizeof(view_commands) / sizeof(*view_commands));
	if (n_ranks)
		ask_each(r, mpi_commands, sizeof(mpi_commands) / sizeof(*mpi_commands));
	if (rows.len) {
		mer_str_printf(&target,
			"api/states?begin=%" PRId64 "&end=%" PRId64 "&bins=%d&rows=", r->all.begin,
			r->all.end + 1, STATE_BINS);
		encode(&target, rows.data);
		ask_bytes(r, &target);
	}
	mer_str_fini(&rows);
}

static void ask_everything(struct reporter *r)
{
	static const char *const targets[] = { "api/status", "api/overview", "api/catalog",
		"api/tasks?", "api/marks" };
	struct answer top;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++)
		ask_plain(r, targets[i]);
	ask_each(r, commands, sizeof(commands) / sizeof(*commands));
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct question q;
		begin_question(&q, texts[i], NULL);
		ask_bytes(r, &q.target);
	}
	find(r, "top cpu --limit 0", NULL, IN_ANY_CASE, &top);
	ask_lanes(r, top.n ? top.tables[0].table : NULL, r->all.begin, r->all.end);
	answer_fini(&top);
}

static void ask_kinds(struct reporter *r)
{
	struct answer all;
	find(r, "requests", NULL, IN_ANY_CASE, &all);
	const struct mer_table *kinds = answer_find(&all, "kinds");
	for (size_t i = 0; i < answer_rows(kinds) && i < KINDS; i++) {
		struct question q;
		const char *kind = answer_text(kinds, i, "kind");
		if (!kind)
			continue;
		ask(r, "requests --explain --kind", kind);
		begin_question(&q, "requests --list --limit 500 --kind", kind);
		add_word(&q, "--format");
		add_word(&q, "csv");
		ask_bytes(r, &q.target);
	}
	answer_fini(&all);
}

/* Its tree, its path, and the picture of that: as the page opens it. */
static void ask_request(struct reporter *r, const char *id)
{
	struct answer path;
	ask(r, "requests --tree --request", id);
	find(r, "path --request", id, IN_ANY_CASE, &path);
	int64_t room = path.n ? (path.end - path.begin) / 10 : 0;
	if (path.n)
		ask_lanes(r, answer_find(&path, "segments"), path.begin - room, path.end + room);
	answer_fini(&path);
}

static void ask_requests(struct reporter *r, unsigned most)
{
	struct answer all;
	char line[LINE];
	snprintf(line, sizeof(line), "requests --list --limit %u", most);
	find(r, line, NULL, TO_LOOK_AT, &all);
	const struct mer_table *requests = answer_find(&all, "requests");
	for (size_t i = 0; i < answer_rows(requests) && i < most; i++)
		if (answer_text(requests, i, "id"))
			ask_request(r, answer_text(requests, i, "id"));
	answer_fini(&all);
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
static void ask_shown(struct reporter *r)
{
	struct answer why;
	int64_t group;
	find(r, "requests --explain", NULL, IN_ANY_CASE, &why);
	const struct mer_table *causes = answer_find(&why, "causes");
	for (size_t i = 0; i < CAUSES && answer_int(causes, i, "group", &group) && group == 1;
		i++) {
		const char *id = shown_of_cause(answer_find(&why, "culprits"), (int64_t)i + 1);
		if (id)
			ask_request(r, id);
	}
	answer_fini(&why);
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
	index_tasks(&r);
	ask_everything(&r);
	for (const struct ask_topic *t = ask_topics; t->id; t++)
		if (t->report_rows)
			ask_topic(&r, t);
	ask_programs(&r);
	ask_kinds(&r);
	if (n_requests) {
		ask_requests(&r, n_requests);
		ask_shown(&r);
	}
	mer_map_fini(&r.lanes);
	answer_fini(&r.all);
	return r.rc;
}
