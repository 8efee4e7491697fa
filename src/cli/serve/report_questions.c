#include "cli/serve/report_questions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_get.h"
#include "base/map.h"

/* What views ask for when they are opened. Words are separated by blanks. */
static const char *const commands[] = {
	"check --json",
	"requests --json",
	"requests --explain --json",
	"requests --list --limit 12 --json",
	"requests --list --limit 500 --format csv",
	"summary --limit 0 --json",
	"sync --limit 0 --json",
	"latency --json",
	"graph --limit 0 --json",
	"graph --format dot",
	"events --limit 300 --json",
	"events --limit 300",
	"stats --by name --limit 0 --json",
	"top cpu --bins 60 --json --leave-out",
	"top net --bins 60 --json --leave-out",
	"top disk --bins 60 --json --leave-out",
	"top cpu --limit 0 --json --leave-out",
	"top cpu --limit 60 --json --leave-out",
	"top cpu --bins 240 --json --leave-out",
	"top cpu --bins 150 --json --leave-out",
	"top cpu --limit 200 --json --leave-out",
	"top cpu --table processes --limit 200 --json --leave-out",
	"top cpu --table cpus --limit 200 --json --leave-out",
};

/* The same where there are rows of views, or ranks of MPI programs. */
static const char *const view_commands[] = { "top view --limit 60 --json --leave-out" };
static const char *const mpi_commands[] = {
	"top mpi --table ranks --limit 0 --json --leave-out",
	"top mpi --table states --limit 60 --json --leave-out",
	"top mpi --table matrix --limit 0 --json --leave-out",
	"top mpi --table pattern --json --leave-out",
	"top mpi --table messages --limit 100 --json --leave-out",
	"top mpi --table waits --limit 60 --json --leave-out",
};

/* Topics of the view of resources, as its TOPICS (ui/src/views/resources.tsx): tables, then what is
 * drawn over time and how many lasted how long. A topic of which no table has a row is not in the
 * report. */
static const struct {
	const char *tables[4];
	const char *over_time, *durations; /* NULL: none */
} topics[] = {
	{ { "top sched", "stats sched", "top rates" }, "top sched", "freq sched" },
	{ { "top disk", "log disk" }, "top disk", "freq disk" },
	{ { "top net", "top net --table interfaces", "top net --table sockets", "log net" },
		"top net", "freq net" },
	{ { "top io", "log io" }, "top io", "freq io" },
	{ { "stats syscall", "top syscall" }, "top syscall", "freq syscall" },
	{ { "stats irq", "top irq" }, "top irq", "freq irq" },
	{ { "top futex", "log futex" }, NULL, "freq futex" },
	{ { "top mem", "top faults" }, "top mem", NULL },
};

enum {
	KINDS = 32,	    /* of requests that are explained, and listed */
	CAUSES = 5,	    /* of an explanation that home shows, each with a request */
	LANES = 150,	    /* tasks that used most CPU time, in the picture of everything */
	LANE_BINS = 1024,   /* of that picture */
	PROGRAM_ROWS = 200, /* of views, and ranks */
	STATE_BINS = 1600
};

struct reporter {
	struct server *s;
	report_taker *take;
	void *ctx;
	struct mer_arena arena;
	struct mer_err *err;
	struct mer_map lanes; /* hash of host and tid -> number of the task there, plus 1 */
	const struct mer_json_value *hosts; /* of api/tasks */
	int64_t begin, end;
	bool out_of_memory;
};

/* ---- Asking ---- */

/* As encodeURIComponent of a page does it. */
static void encode(struct mer_str *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = s[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || (c && strchr("-_.!~*'()", c));
		if (plain)
			mer_str_putc(out, c);
		else
			mer_str_printf(out, "%%%02X", (unsigned)(unsigned char)c);
	}
}

/* An answer goes to the taker, and is read into *root if that is wanted and possible. What cannot
 * be answered (no such analysis for these traces) is not in the report. */
static int ask_for(struct reporter *r, const char *target, struct mer_json_value *root)
{
	struct http_answer a = { 0 };
	struct mer_str address = { 0 };
	mer_str_printf(&address, "/%s", target);
	server_ask(r->s, address.data ? address.data : "/", &a);
	mer_str_fini(&address);
	int rc = a.status == 200 ? r->take(r->ctx, target, &a, r->err) : 0;
	if (root) {
		struct mer_err none = { 0 };
		char *text = a.status == 200 && a.body.data
				     ? mer_arena_strdup(&r->arena, a.body.data)
				     : NULL;
		struct mer_json_get g = { .text = text ? text : "{}",
			.path = target,
			.len = text ? a.body.len : 2,
			.err = &none };
		mer_json_get_root(&g, &r->arena, root);
		if (g.rc)
			*root = (struct mer_json_value){ .kind = MER_JSON_OBJECT };
	}
	mer_str_fini(&a.body);
	return rc;
}

/* Words separated by blanks; last: one more that may have blanks, NULL: none; then format. */
static int run_as(struct reporter *r, const char *words, const char *last, const char *format,
	struct mer_json_value *root)
{
	struct mer_str target = { 0 };
	mer_str_puts(&target, "api/run?");
	for (const char *p = words; *p;) {
		size_t n = strcspn(p, " ");
		mer_str_puts(&target, p == words ? "w=" : "&w=");
		encode(&target, p, n);
		p += n + (p[n] == ' ');
	}
	if (last) {
		mer_str_puts(&target, "&w=");
		encode(&target, last, strlen(last));
		mer_str_puts(&target, format);
	}
	int rc = target.failed ? mer_fail_nomem(r->err) : ask_for(r, target.data, root);
	mer_str_fini(&target);
	return rc;
}

static int run(struct reporter *r, const char *words, const char *last, struct mer_json_value *root)
{
	return run_as(r, words, last, "&w=--json", root);
}

/* ---- Reading answers ---- */

/* Items of an array; 0: it is none. */
static uint32_t items(const struct mer_json_value *v, const struct mer_json_value **first)
{
	bool is = v && v->kind == MER_JSON_ARRAY;
	*first = is ? v->u.items : NULL;
	return is ? v->n : 0;
}

/* The rows of a table of an answer; NULL: it has no such table. */
static const struct mer_json_value *rows_of(const struct mer_json_value *answer, const char *table)
{
	const struct mer_json_value *tables;
	uint32_t n = items(mer_json_find(answer, "tables"), &tables);
	for (uint32_t i = 0; i < n; i++) {
		const struct mer_json_value *id = mer_json_find(&tables[i], "id");
		if (id && id->kind == MER_JSON_STRING && mer_json_is(id, table))
			return mer_json_find(&tables[i], "rows");
	}
	return NULL;
}

/* An answer that is taken only if its first table has a row. */
static int ask_filled(struct reporter *r, const char *target, bool *is_filled)
{
	struct http_answer a = { 0 };
	struct mer_json_value root;
	const struct mer_json_value *tables, *rows;
	struct mer_err none = { 0 };
	struct mer_str address = { 0 };
	mer_str_printf(&address, "/%s", target);
	server_ask(r->s, address.data ? address.data : "/", &a);
	mer_str_fini(&address);
	struct mer_json_get g = { .text = a.status == 200 && a.body.data ? a.body.data : "{}",
		.path = target,
		.err = &none };
	g.len = strlen(g.text);
	mer_json_get_root(&g, &r->arena, &root);
	*is_filled = g.rc == 0 && items(mer_json_find(&root, "tables"), &tables) &&
		     items(mer_json_find(&tables[0], "rows"), &rows);
	int rc = *is_filled ? r->take(r->ctx, target, &a, r->err) : 0;
	mer_str_fini(&a.body);
	return rc;
}

/* As the page asks for tables: --leave-out is of lists of the largest and of each. */
static void put_command(struct mer_str *target, const char *words, const char *more)
{
	bool is_list = strncmp(words, "top ", 4) == 0 || strncmp(words, "log ", 4) == 0;
	const char *parts[] = { words, more, is_list ? "--json --leave-out" : "--json" };
	mer_str_puts(target, "api/run?");
	bool is_first = true;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (const char *p = parts[i]; *p;) {
			size_t n = strcspn(p, " ");
			mer_str_puts(target, is_first ? "w=" : "&w=");
			encode(target, p, n);
			is_first = false;
			p += n + (p[n] == ' ');
		}
}

static int ask_command(struct reporter *r, const char *words, const char *more, bool *is_filled)
{
	struct mer_str target = { 0 };
	put_command(&target, words, more);
	int rc = target.failed ? mer_fail_nomem(r->err) : ask_filled(r, target.data, is_filled);
	mer_str_fini(&target);
	return rc;
}

static int ask_topics(struct reporter *r)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < sizeof(topics) / sizeof(*topics); i++) {
		bool any = false, is_filled = false;
		for (size_t k = 0; rc == 0 && k < 4 && topics[i].tables[k]; k++) {
			rc = ask_command(r, topics[i].tables[k], "--limit 60", &is_filled);
			any |= is_filled;
		}
		if (rc == 0 && any && topics[i].over_time)
			rc = ask_command(r, topics[i].over_time, "--bins 60", &is_filled);
		if (rc == 0 && any && topics[i].durations)
			rc = ask_command(r, topics[i].durations, "--limit 0", &is_filled);
	}
	return rc;
}

/* ---- Lanes ---- */

static uint64_t hash_of(const struct mer_json_value *host, int64_t tid)
{
	uint64_t parts[2] = { mer_hash(host->u.text, host->n), (uint64_t)tid };
	return mer_hash(parts, sizeof(parts));
}

/* Which number in lanes has a thread of a host: the task's, plus 1. */
static void index_tasks(struct reporter *r)
{
	const struct mer_json_value *hosts, *tasks;
	uint32_t n_hosts = items(r->hosts, &hosts);
	for (uint32_t h = 0; h < n_hosts; h++) {
		const struct mer_json_value *name = mer_json_find(&hosts[h], "name");
		uint32_t n = items(mer_json_find(&hosts[h], "tasks"), &tasks);
		for (uint32_t i = 0; name && i < n; i++) {
			int64_t tid, task;
			if (!mer_json_int_of(mer_json_find(&tasks[i], "tid"), &tid) ||
				!mer_json_int_of(mer_json_find(&tasks[i], "task"), &task))
				continue;
			uint32_t *at = mer_map_put(&r->lanes, hash_of(name, tid));
			if (at)
				*at = (uint32_t)task + 1;
		}
	}
}

struct wanted { /* lanes of a picture */
	struct mer_str list;
	struct mer_map there;
	unsigned n;
};

static void add_lane(struct wanted *w, char kind, uint32_t host, uint32_t number)
{
	uint64_t key = (uint64_t)(kind == 'c') << 63 | (uint64_t)host << 32 | number;
	uint32_t *there = mer_map_put(&w->there, mer_hash(&key, sizeof(key)));
	if (!there || *there)
		return;
	*there = 1;
	mer_str_printf(&w->list, "%s%c%%3A%" PRIu32 "%%3A%" PRIu32, w->n++ ? "%2C" : "", kind, host,
		number);
}

static void add_cpus(const struct reporter *r, struct wanted *w)
{
	const struct mer_json_value *hosts, *cpus;
	uint32_t n_hosts = items(r->hosts, &hosts);
	for (uint32_t h = 0; h < n_hosts; h++) {
		uint32_t n = items(mer_json_find(&hosts[h], "cpus"), &cpus);
		for (uint32_t i = 0; i < n; i++) {
			int64_t cpu;
			if (mer_json_int_of(&cpus[i], &cpu))
				add_lane(w, 'c', h, (uint32_t)cpu);
		}
	}
}

/* Rows or segments with a host and a tid. */
static void add_tasks(
	struct reporter *r, struct wanted *w, const struct mer_json_value *rows, unsigned most)
{
	const struct mer_json_value *row, *hosts;
	uint32_t n = items(rows, &row), n_hosts = items(r->hosts, &hosts);
	for (uint32_t i = 0; i < n && w->n < most; i++) {
		const struct mer_json_value *host = mer_json_find(&row[i], "host");
		int64_t tid;
		if (!host || host->kind != MER_JSON_STRING ||
			!mer_json_int_of(mer_json_find(&row[i], "tid"), &tid))
			continue;
		const uint32_t *task = mer_map_get(&r->lanes, hash_of(host, tid));
		for (uint32_t h = 0; task && h < n_hosts; h++) {
			const struct mer_json_value *name = mer_json_find(&hosts[h], "name");
			if (name && name->n == host->n &&
				memcmp(name->u.text, host->u.text, host->n) == 0)
				add_lane(w, 't', h, *task - 1);
		}
	}
}

static int ask_lanes(struct reporter *r, struct wanted *w, int64_t begin, int64_t end)
{
	struct mer_str target = { 0 };
	mer_str_printf(&target, "api/lanes?begin=%" PRId64 "&end=%" PRId64 "&bins=%d&lanes=%s",
		begin, end, LANE_BINS, w->list.data ? w->list.data : "");
	int rc = target.failed || w->list.failed ? mer_fail_nomem(r->err)
		 : begin < end			 ? ask_for(r, target.data, NULL)
						 : 0;
	mer_str_fini(&target);
	mer_str_fini(&w->list);
	mer_map_fini(&w->there);
	return rc;
}

/* ---- Rows of programs ---- */

/* Adds "s:HOST:ROW", as encodeURIComponent has it. */
static unsigned add_program_rows(const struct mer_json_value *all, const char *kind,
	const char *host_key, const char *row_key, unsigned n_before, struct mer_str *list)
{
	const struct mer_json_value *row;
	uint32_t n = items(all, &row);
	for (uint32_t i = 0; i < n && n_before < PROGRAM_ROWS; i++) {
		int64_t host = 0, number;
		if ((host_key && !mer_json_int_of(mer_json_find(&row[i], host_key), &host)) ||
			!mer_json_int_of(mer_json_find(&row[i], row_key), &number))
			continue;
		mer_str_printf(list, "%s%s%%3A%" PRId64 "%%3A%" PRId64, n_before++ ? "%2C" : "",
			kind, host, number);
	}
	return n_before;
}

static int ask_programs(struct reporter *r)
{
	struct mer_json_value all;
	struct mer_str rows = { 0 }, target = { 0 };
	int rc = ask_for(r, "api/programs?", &all);
	unsigned n_views =
		rc ? 0
		   : add_program_rows(mer_json_find(&all, "rows"), "s", "host", "row", 0, &rows);
	unsigned n = rc ? 0
			: add_program_rows(
				  mer_json_find(&all, "ranks"), "m", NULL, "line", n_views, &rows);
	for (size_t i = 0; rc == 0 && n_views && i < sizeof(view_commands) / sizeof(*view_commands);
		i++)
		rc = run(r, view_commands[i], NULL, NULL);
	for (size_t i = 0;
		rc == 0 && n > n_views && i < sizeof(mpi_commands) / sizeof(*mpi_commands); i++)
		rc = run(r, mpi_commands[i], NULL, NULL);
	mer_str_printf(&target, "api/states?begin=%" PRId64 "&end=%" PRId64 "&bins=%d&rows=%s",
		r->begin, r->end + 1, STATE_BINS, rows.data ? rows.data : "");
	if (rc == 0 && n)
		rc = target.failed || rows.failed ? mer_fail_nomem(r->err)
						  : ask_for(r, target.data, NULL);
	mer_str_fini(&target);
	mer_str_fini(&rows);
	return rc;
}

/* ---- What is asked ---- */

/* Also why there are none: their file is the user's, and may have mistakes. */
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
	struct mer_json_value status, tasks, top;
	const struct mer_json_value *tables;
	struct wanted w = { .n = 0 };
	int rc = ask_for(r, "api/status", &status);
	if (rc == 0)
		rc = ask_for(r, "api/overview", NULL);
	if (rc == 0)
		rc = ask_for(r, "api/catalog", NULL);
	if (rc == 0)
		rc = ask_for(r, "api/tasks?", &tasks);
	if (rc == 0)
		rc = ask_marks(r);
	mer_json_int_of(mer_json_find(&status, "begin"), &r->begin);
	mer_json_int_of(mer_json_find(&status, "end"), &r->end);
	for (size_t i = 0; rc == 0 && i < sizeof(commands) / sizeof(*commands); i++)
		rc = run(r, commands[i], NULL, NULL);
	if (rc)
		return rc;
	r->hosts = mer_json_find(&tasks, "hosts");
	if (r->hosts) { /* lives as long as the arena */
		struct mer_json_value *kept = mer_arena_alloc(&r->arena, sizeof(*kept));
		if (!kept)
			return mer_fail_nomem(r->err);
		*kept = *r->hosts;
		r->hosts = kept;
	}
	index_tasks(r);
	add_cpus(r, &w);
	rc = run(r, "top cpu --limit 0 --json --leave-out", NULL, &top);
	if (items(mer_json_find(&top, "tables"), &tables))
		add_tasks(r, &w, mer_json_find(&tables[0], "rows"), LANES);
	return rc ? rc : ask_lanes(r, &w, r->begin, r->end);
}

static int ask_kinds(struct reporter *r)
{
	struct mer_json_value all;
	const struct mer_json_value *kinds;
	int rc = run(r, "requests --json", NULL, &all);
	uint32_t n = items(rows_of(&all, "kinds"), &kinds);
	for (uint32_t i = 0; rc == 0 && i < n && i < KINDS; i++) {
		const char *kind = mer_json_text_of(mer_json_find(&kinds[i], "kind"), &r->arena);
		if (kind)
			rc = run(r, "requests --explain --kind", kind, NULL);
		if (rc == 0 && kind)
			rc = run_as(r, "requests --list --limit 500 --kind", kind,
				"&w=--format&w=csv", NULL);
	}
	return rc;
}

/* Its tree, its path, and the picture of that: as the page opens it. */
static int ask_request(struct reporter *r, const char *id)
{
	struct mer_json_value path;
	struct wanted w = { .n = 0 };
	int64_t begin, end;
	int rc = run(r, "requests --tree --request", id, NULL);
	if (rc == 0)
		rc = run(r, "path --request", id, &path);
	if (rc || !mer_json_int_of(mer_json_find(&path, "begin"), &begin) ||
		!mer_json_int_of(mer_json_find(&path, "end"), &end))
		return rc;
	int64_t room = (end - begin) / 10;
	add_cpus(r, &w);
	add_tasks(r, &w, rows_of(&path, "segments"), LANES);
	return ask_lanes(r, &w, begin - room > r->begin ? begin - room : r->begin,
		end + room < r->end ? end + room : r->end);
}

static int ask_requests(struct reporter *r, unsigned most)
{
	struct mer_json_value all;
	const struct mer_json_value *requests;
	char words[64];
	snprintf(words, sizeof(words), "requests --list --json --limit %u", most);
	int rc = most ? run(r, words, NULL, &all) : 0;
	uint32_t n = most ? items(rows_of(&all, "requests"), &requests) : 0;
	for (uint32_t i = 0; rc == 0 && i < n && i < most; i++) {
		const char *id = mer_json_text_of(mer_json_find(&requests[i], "id"), &r->arena);
		if (id)
			rc = ask_request(r, id);
	}
	return rc;
}

/* The first culprit of a cause that names a request: the one that the page offers to show. row: of
 * the cause, from 1. */
static const char *shown_of_cause(
	struct reporter *r, const struct mer_json_value *culprits, uint32_t n, int64_t row)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t of = 0;
		if (!mer_json_int_of(mer_json_find(&culprits[i], "row"), &of) || of != row)
			continue;
		const char *id =
			mer_json_text_of(mer_json_find(&culprits[i], "request"), &r->arena);
		if (id)
			return id;
	}
	return NULL;
}

/* Requests that show why slow ones are slow: who reads the first sentence asks for these. The
 * causes of the first group come first. */
static int ask_shown(struct reporter *r)
{
	struct mer_json_value why;
	const struct mer_json_value *causes, *culprits;
	int rc = run(r, "requests --explain --json", NULL, &why);
	uint32_t n = items(rows_of(&why, "causes"), &causes);
	uint32_t n_culprits = items(rows_of(&why, "culprits"), &culprits);
	for (uint32_t i = 0; rc == 0 && i < n && i < CAUSES; i++) {
		int64_t group = 0;
		if (!mer_json_int_of(mer_json_find(&causes[i], "group"), &group) || group != 1)
			break;
		const char *id = shown_of_cause(r, culprits, n_culprits, (int64_t)i + 1);
		if (id)
			rc = ask_request(r, id);
	}
	return rc;
}

int cli_report_ask(
	struct server *s, unsigned n_requests, report_taker *take, void *ctx, struct mer_err *err)
{
	struct reporter r = { .s = s, .take = take, .ctx = ctx, .err = err };
	mer_arena_init(&r.arena);
	int rc = ask_everything(&r);
	if (rc == 0)
		rc = ask_topics(&r);
	if (rc == 0)
		rc = ask_programs(&r);
	if (rc == 0)
		rc = ask_kinds(&r);
	if (rc == 0)
		rc = ask_requests(&r, n_requests);
	if (rc == 0 && n_requests)
		rc = ask_shown(&r);
	mer_map_fini(&r.lanes);
	mer_arena_fini(&r.arena);
	return rc;
}
