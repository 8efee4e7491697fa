/* Annotations: lost events (over all rows, or in the row of the CPU that lost them), findings of
 * the summary that have a time of their own, and the marks of the traces, which are bookmarks, too
 * (bookmarks.c). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "api/api.h"
#include "server/state.h"
#include "server/tsp/command.h"
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

/* The output of a command, parsed as JSON. words NULL: none is run. The caller frees text, also
 * after an error. */
static int ask(struct tsp *t, const char *const *words, uint64_t limit, struct mer_str *text,
	struct mer_json_value *v, struct mer_err *err)
{
	const struct tsp_command command = { words, NULL, limit, true, 0 };
	*v = (struct mer_json_value){ .kind = MER_JSON_NULL };
	if (!words)
		return 0;
	int rc = tsp_command(t, &command, text, err);
	return rc ? rc : tsp_command_json(t, text, v, err);
}

static bool has_text(const struct mer_json_value *row, const char *key, const char *text)
{
	const struct mer_json_value *v = mer_json_find(row, key);
	return text && v && v->kind == MER_JSON_STRING && mer_json_is(v, text);
}

static bool has_number(const struct mer_json_value *row, const char *key, int64_t number)
{
	int64_t v;
	return mer_json_int_of(mer_json_find(row, key), &v) && v == number;
}

static bool has_rule(const struct mer_json_value *findings, const char *rule)
{
	bool found = false;
	for (uint32_t i = 0; findings && i < findings->n; i++)
		found |= has_text(&findings->u.items[i], "rule", rule);
	return found;
}

struct sources {					/* lists; NULL: none */
	const struct mer_json_value *requests, *delays; /* delays: longest scheduling latencies */
};

/* Draws a finding that is about one request, or one scheduling latency, at the time of that. */
static void put_finding(
	struct tsp *t, const struct mer_json_value *finding, const struct sources *from)
{
	const char *text = mer_json_text_of(mer_json_find(finding, "finding"), &t->arena),
		   *object = mer_json_text_of(mer_json_find(finding, "object"), &t->arena),
		   *host = mer_json_text_of(mer_json_find(finding, "host"), &t->arena);
	int64_t begin, end, ns;
	for (uint32_t i = 0; text && from->requests && i < from->requests->n; i++) {
		const struct mer_json_value *r = &from->requests->u.items[i];
		if (has_text(r, "id", object) &&
			mer_json_int_of(mer_json_find(r, "begin"), &begin) &&
			mer_json_int_of(mer_json_find(r, "end"), &end))
			put_span(t, text, begin, end, "finding");
	}
	if (!text || !from->delays || !has_text(finding, "rule", "scheduling-latency") ||
		!mer_json_int_of(mer_json_find(finding, "time_ns"), &ns))
		return;
	for (uint32_t i = 0; i < from->delays->n; i++) {
		const struct mer_json_value *d = &from->delays->u.items[i];
		if (has_text(d, "host", host) && has_number(d, "latency_ns", ns) &&
			mer_json_int_of(mer_json_find(d, "begin"), &begin)) {
			put_span(t, text, begin, begin + ns, "finding");
			return;
		}
	}
}

/* Most findings are about the whole recording, and not drawn. */
static int put_findings(struct tsp *t, struct mer_err *err)
{
	enum { MOST_REQUESTS = 2000 };
	const struct server_words *words = &t->s->o.words;
	const struct server_table *sched = tsp_server_table(t, "meridian.top.sched");
	struct mer_str text[3] = { 0 };
	struct mer_json_value summary, requests, delays;
	int rc = ask(t, words->summary, 0, &text[0], &summary, err);
	const struct mer_json_value *rows =
		rc ? NULL : tsp_list_of(tsp_table_of(&summary, "findings"), "rows");
	if (rc == 0)
		rc = ask(t, has_rule(rows, "slow-request") ? words->requests : NULL, MOST_REQUESTS,
			&text[1], &requests, err);
	if (rc == 0)
		rc = ask(t, sched && has_rule(rows, "scheduling-latency") ? sched->words : NULL,
			sched ? sched->limit : 0, &text[2], &delays, err);
	struct sources from = { NULL, NULL };
	if (rc == 0)
		from = (struct sources){ tsp_list_of(tsp_table_of(&requests, "requests"), "rows"),
			tsp_list_of(tsp_table_of(&delays, NULL), "rows") };
	mer_json_kv_array(&t->j, FINDINGS);
	for (uint32_t i = 0; rows && i < rows->n; i++)
		put_finding(t, &rows->u.items[i], &from);
	mer_json_end_array(&t->j);
	for (size_t i = 0; i < 3; i++)
		mer_str_fini(&text[i]);
	return rc;
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
