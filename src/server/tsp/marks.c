/* Annotations: lost events (over all rows, or in the row of the CPU that lost them), findings of
 * the summary that have a time of their own, and the marks of the traces, which are bookmarks, too
 * (bookmarks.c). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "ask/library/api.h"
#include "server/state.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

enum { MAX_MARKS = 5000 };
static const char CATEGORY[] = "Lost events", FINDINGS[] = "Findings", MARKS[] = "Marks";

int tsp_annotation_categories(struct tsp *t, struct mer_err *err)
{
	const struct tsp_output *o = tsp_output_of(t, err);
	if (!o)
		return err->code;
	mer_json_begin_object(&t->j);
	mer_json_kv_array(&t->j, "annotationCategories");
	if (o->marks) {
		mer_json_text(&t->j, CATEGORY);
		mer_json_text(&t->j, FINDINGS);
		mer_json_text(&t->j, MARKS);
	}
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	return 0;
}

static bool is_wanted(const struct tsp *t, const char *category)
{
	bool found = !t->q.has_categories;
	for (size_t i = 0; i < t->q.n_categories; i++)
		found |= strcmp(t->q.categories[i], category) == 0;
	return found;
}

static void put_mark(struct tsp *t, const struct mer_loss *l, bool of_cpus)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	const struct mer_stream *s = &e->streams[l->stream];
	uint32_t h = e->traces[s->trace].host;
	const char *host = e->hosts[h].name;
	bool has_row = of_cpus && s->cpu >= 0 && h < TSP_MAX_HOSTS;
	char text[400];
	if (l->events)
		snprintf(text, sizeof(text), "%" PRIu64 " %s lost: %.200s CPU %" PRId32, l->events,
			l->events == 1 ? "event" : "events", host, s->cpu);
	else
		snprintf(text, sizeof(text), "%" PRIu64 " %s lost: %.200s CPU %" PRId32, l->packets,
			l->packets == 1 ? "packet" : "packets", host, s->cpu);
	mer_json_begin_object(&t->j);
	mer_json_kv_int(&t->j, "time", l->begin);
	mer_json_kv_int(&t->j, "duration", l->end - l->begin);
	mer_json_kv_int(&t->j, "entryId", has_row ? tsp_entry(TSP_CPU, h, (uint32_t)s->cpu) : -1);
	mer_json_kv_text(&t->j, "type", "CHART");
	mer_json_kv_text(&t->j, "label", text);
	tsp_put_style(&t->j, "lost");
	mer_json_end_object(&t->j);
}

static int put_marks(struct tsp *t, bool of_cpus)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	struct session_window w = tsp_window(t);
	size_t n = 0;
	mer_json_kv_array(&t->j, CATEGORY);
	for (size_t i = 0; i < e->n_losses && n < MAX_MARKS; i++) {
		const struct mer_loss *l = &e->losses[i];
		if (l->begin == MER_NO_TIME || l->end == MER_NO_TIME || l->begin >= w.end ||
			l->end < w.begin)
			continue;
		put_mark(t, l, of_cpus);
		n++;
	}
	mer_json_end_array(&t->j);
	return 0;
}

int tsp_loss_marks(struct tsp *t, struct mer_err *err)
{
	(void)err;
	return put_marks(t, false);
}

int tsp_cpu_loss_marks(struct tsp *t, struct mer_err *err)
{
	(void)err;
	return put_marks(t, true);
}

/* ---- Marks ---- */

/* An annotation over all rows. */
static void put_span(struct tsp *t, const char *text, int64_t begin, int64_t end, const char *style)
{
	struct session_window w = tsp_window(t);
	if (begin >= w.end || end < w.begin)
		return;
	mer_json_begin_object(&t->j);
	mer_json_kv_int(&t->j, "time", begin);
	mer_json_kv_int(&t->j, "duration", end - begin);
	mer_json_kv_int(&t->j, "entryId", -1);
	mer_json_kv_text(&t->j, "type", "CHART");
	mer_json_kv_text(&t->j, "label", text);
	tsp_put_style(&t->j, style);
	mer_json_end_object(&t->j);
}

static void put_note(void *ctx, unsigned line, const char *text, int64_t begin, int64_t end)
{
	(void)line;
	put_span(ctx, text, begin, end, "mark");
}

/* ---- Findings ---- */

static const struct mer_result *ask(struct tsp *t, const char *verb, const char *more,
	uint32_t limit, const char *table, struct mer_err *err)
{
	return tsp_ask(t, &(struct tsp_question){ { verb, more }, .limit = limit }, table, err);
}

static bool is_text(const struct mer_result *r, size_t row, const char *key, const char *text)
{
	return strcmp(tsp_cell_text(r, row, key), text) == 0;
}

static bool has_rule(const struct mer_result *findings, const char *rule)
{
	bool found = false;
	for (size_t i = 0; i < mer_result_n_rows(findings); i++)
		found |= is_text(findings, i, "rule", rule);
	return found;
}

/* Draws the finding of this row if it is about one request, or one scheduling latency, at the time
 * of that. requests, delays (the longest latencies): NULL: none. */
static void put_finding(struct tsp *t, const struct mer_result *findings, size_t row,
	const struct mer_result *requests, const struct mer_result *delays)
{
	const char *text = tsp_cell_text(findings, row, "finding"),
		   *object = tsp_cell_text(findings, row, "object"),
		   *host = tsp_cell_text(findings, row, "host");
	int64_t ns = tsp_cell_int(findings, row, "time_ns", -1);
	for (size_t i = 0; *object && requests && i < mer_result_n_rows(requests); i++) {
		int64_t begin = tsp_cell_int(requests, i, "begin", MER_NO_TIME),
			end = tsp_cell_int(requests, i, "end", MER_NO_TIME);
		if (is_text(requests, i, "id", object) && begin != MER_NO_TIME &&
			end != MER_NO_TIME)
			put_span(t, text, begin, end, "finding");
	}
	if (!delays || !is_text(findings, row, "rule", "scheduling-latency"))
		return;
	for (size_t i = 0; i < mer_result_n_rows(delays); i++) {
		int64_t begin = tsp_cell_int(delays, i, "begin", MER_NO_TIME);
		if (is_text(delays, i, "host", host) && begin != MER_NO_TIME &&
			tsp_cell_int(delays, i, "latency_ns", -2) == ns) {
			put_span(t, text, begin, begin + ns, "finding");
			return;
		}
	}
}

/* Most findings are about the whole recording, and not drawn. */
static int put_findings(struct tsp *t, struct mer_err *err)
{
	enum { MOST_REQUESTS = 2000, MOST_DELAYS = 200 }; /* as requests.c and tables.c ask */
	const struct mer_result *requests = NULL, *delays = NULL,
				*findings = ask(t, "summary", NULL, 0, "findings", err);
	if (findings && has_rule(findings, "slow-request"))
		requests = ask(t, "requests", "--list", MOST_REQUESTS, "requests", err);
	if (findings && !err->code && has_rule(findings, "scheduling-latency"))
		delays = ask(t, "top", "sched", MOST_DELAYS, NULL, err);
	if (err->code)
		return err->code;
	mer_json_kv_array(&t->j, FINDINGS);
	for (size_t i = 0; i < mer_result_n_rows(findings); i++)
		put_finding(t, findings, i, requests, delays);
	mer_json_end_array(&t->j);
	return 0;
}

/* ---- Answers ---- */

int tsp_annotations(struct tsp *t, struct mer_err *err)
{
	const struct tsp_output *o = tsp_output_of(t, err);
	struct mer_err why = { 0 };
	int rc = 0;
	if (!o)
		return err->code;
	mer_json_begin_object(&t->j);
	mer_json_kv_object(&t->j, "annotations");
	if (o->marks && is_wanted(t, CATEGORY))
		rc = o->marks(t, err);
	if (rc == 0 && o->marks && is_wanted(t, FINDINGS))
		rc = put_findings(t, err);
	if (rc == 0 && o->marks && is_wanted(t, MARKS)) {
		mer_json_kv_array(&t->j, MARKS);
		server_marks_each(t->s, api_session(t->traces->session), put_note, t, &why);
		mer_json_end_array(&t->j);
	}
	mer_json_end_object(&t->j);
	mer_json_end_object(&t->j);
	return rc;
}
