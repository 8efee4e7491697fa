/* /metrics: what is worth watching of the traces, for Prometheus and its like.
 *
 * Figures are those of commands, as everywhere: of their tables some columns, of 'requests' all. A
 * scrape never waits for the first reading: until that is done, it gets how far it is. */
#include <string.h>
#include "ask/answer.h"
#include "ask/print/openmetrics.h"
#include "server/state.h"

/* A table of a command; columns: keys with blanks between, the labels among them. */
static const struct figures {
	const char *words[6];
	const char *table, *prefix, *columns;
} all[] = {
	{ { "info" }, "traces", "meridian_trace",
		"host path domain format bytes lost_events lost_packets begin end" },
	{ { "sync" }, "hosts", "meridian_clock",
		"host group reference quality offset_ns drift_ppm likely_p50_ns bound_p50_ns bound_max_ns matched" },
	{ { "top", "cpu", "--table", "hosts" }, "hosts", "meridian_cpu",
		"host cpus user_ns syscall_ns kernel_ns running_ns irq_ns softirq_ns idle_ns unknown_ns stolen_ns percent switches" },
	{ { "top", "sched", "--table", "hosts" }, "hosts", "meridian_runqueue",
		"host count total_ns max_ns p50_ns p99_ns" },
	{ { "top", "waits", "--group-by", "host,class,cause" }, "top", "meridian_wait",
		"host class cause count total_ns max_ns" },
	{ { "requests", "--format", "openmetrics" }, NULL, NULL, NULL },
};

static bool is_one_of(const char *key, const char *columns)
{
	size_t n = strlen(key);
	for (const char *p = columns; (p = strstr(p, key)) != NULL; p += n)
		if ((p == columns || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

/* A copy with these columns alone; texts are borrowed of t. */
static void add_part(const struct mer_table *t, const struct figures *f, struct mer_str *out)
{
	enum { MOST = 64 };
	struct mer_column columns[MOST + 1] = { 0 };
	size_t from[MOST], n = 0;
	for (size_t c = 0; c < t->n_columns && n < MOST; c++)
		if (is_one_of(t->columns[c].key, f->columns)) {
			columns[n] = t->columns[c];
			from[n++] = c;
		}
	struct mer_table part;
	mer_table_init(&part, t->id, t->title, columns, NULL);
	for (size_t r = 0; r < t->n_rows; r++) {
		struct mer_cell cells[MOST];
		for (size_t c = 0; c < n; c++)
			cells[c] = t->cells[r * t->n_columns + from[c]];
		mer_table_add(&part, cells);
	}
	ask_openmetrics_add(&part, f->prefix, out);
	mer_table_fini(&part);
}

static size_t n_words(const struct figures *f)
{
	size_t n = 0;
	while (n < sizeof(f->words) / sizeof(*f->words) && f->words[n])
		n++;
	return n;
}

static int add_figures(
	struct server *s, const struct figures *f, struct mer_str *out, struct mer_err *err)
{
	struct answer answer;
	answer_init(&answer, NULL);
	int rc = server_tables(s, f->words, n_words(f), &answer, err);
	for (size_t i = 0; rc == 0 && i < answer.n; i++) {
		const struct mer_table *t = answer.tables[i].table;
		struct mer_str prefix = { 0 };
		if (f->table && strcmp(t->id, f->table) == 0)
			add_part(t, f, out);
		if (!f->table && !answer.tables[i].is_beside) {
			ask_openmetrics_prefix(f->words[0], t->id, &prefix);
			ask_openmetrics_add(t, prefix.data ? prefix.data : "", out);
		}
		out->failed |= prefix.failed;
		mer_str_fini(&prefix);
	}
	answer_fini(&answer);
	return rc;
}

/* Without labels, and known while the traces are read. */
static void add_progress(struct server *s, unsigned stage, struct mer_str *out)
{
	enum { READY, FAILED, DONE, TOTAL, N };
	static const struct mer_column columns[N + 1] = {
		[READY] = { "ready", "1: the traces have been read, and all figures are here",
			MER_COUNT },
		[FAILED] = { "failed", "1: the traces cannot be read", MER_COUNT },
		[DONE] = { "read_bytes", "read of the traces so far", MER_BYTES },
		[TOTAL] = { "traces_bytes", "size of the traces", MER_BYTES },
	};
	uint64_t done, total;
	struct mer_table t;
	server_progress(s, &done, &total);
	mer_table_init(&t, "progress", "Progress", columns, NULL);
	mer_table_add(&t, (struct mer_cell[N]){ [READY] = MER_INT(stage == SERVER_READY),
				  [FAILED] = MER_INT(stage == SERVER_FAILED),
				  [DONE] = stage == SERVER_READING ? MER_INT(done) : MER_NONE,
				  [TOTAL] = stage == SERVER_READING ? MER_INT(total) : MER_NONE });
	ask_openmetrics_add(&t, "meridian", out);
	mer_table_fini(&t);
}

void server_metrics(struct server *s, const struct http_request *r, struct http_answer *a)
{
	unsigned stage = atomic_load(&s->traces[SERVER_CLOCKS_ALIGNED].stage);
	struct mer_err err = { 0 };
	int rc = 0;
	(void)r;
	add_progress(s, stage, &a->body);
	for (size_t i = 0; stage == SERVER_READY && rc == 0 && i < sizeof(all) / sizeof(*all); i++)
		rc = add_figures(s, &all[i], &a->body, &err);
	if (rc) {
		mer_str_clear(&a->body);
		server_refuse_err(a, rc, err.text);
		return;
	}
	ask_openmetrics_end(&a->body);
	a->status = 200;
	a->type = ASK_OPENMETRICS_TYPE;
}
