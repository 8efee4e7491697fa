/* JSON as clients of the protocol want it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/human.h"
#include "server/tsp/tsp.h"

void tsp_put_real(struct mer_json *j, double v)
{
	enum { MOST = 15 };
	char text[40];
	if (!isfinite(v)) { /* charts cannot show a missing value */
		mer_json_int(j, 0);
		return;
	}
	double short_one = v;
	for (int digits = MOST; digits > 0; digits--) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		short_one = strtod(text, NULL);
		/* As it will be printed. Whole numbers of more characters are no fractions. */
		snprintf(text, sizeof(text), "%.15g", short_one);
		if (strlen(text) <= MOST)
			break;
	}
	mer_json_double(j, short_one);
}

void tsp_begin_entry(struct mer_json *j, int64_t id, int64_t parent, const char *const *labels,
	size_t n_labels, int64_t begin, int64_t end, bool has_data)
{
	mer_json_begin_object(j);
	mer_json_kv_int(j, "id", id);
	mer_json_kv_int(j, "parentId", parent);
	mer_json_kv_array(j, "labels");
	for (size_t i = 0; i < n_labels; i++)
		mer_json_text(j, labels[i] ? labels[i] : "");
	mer_json_end_array(j);
	if (begin <= end) {
		mer_json_kv_int(j, "start", begin);
		mer_json_kv_int(j, "end", end);
	}
	mer_json_kv_bool(j, "hasData", has_data);
}

void tsp_begin_tree(struct mer_json *j, const struct tsp_header *h, size_t n, int expand)
{
	mer_json_begin_object(j);
	mer_json_kv_array(j, "headers");
	for (size_t i = 0; i < n; i++) {
		mer_json_begin_object(j);
		mer_json_kv_text(j, "name", h[i].name);
		mer_json_kv_text(j, "tooltip", h[i].help ? h[i].help : "");
		mer_json_kv_text(j, "dataType", h[i].type ? h[i].type : "STRING");
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_kv_int(j, "autoExpandLevel", expand);
	mer_json_kv_array(j, "entries");
}

void tsp_end_tree(struct mer_json *j)
{
	mer_json_end_array(j);
	mer_json_end_object(j);
}

void tsp_begin_row(struct mer_json *j, int64_t id)
{
	mer_json_begin_object(j);
	mer_json_kv_int(j, "entryId", id);
	mer_json_kv_array(j, "states");
}

void tsp_end_row(struct mer_json *j)
{
	mer_json_end_array(j);
	mer_json_end_object(j);
}

struct tsp_shown tsp_shown(const struct session_window *w, int64_t width)
{
	static const struct session_window ever = { INT64_MIN, INT64_MAX };
	return (struct tsp_shown){ w ? *w : ever, width, { INT64_MIN, INT64_MIN } };
}

bool tsp_put_state(struct tsp *t, struct tsp_shown *shown, struct tsp_state_of *s)
{
	int64_t begin = s->begin > shown->window.begin ? s->begin : shown->window.begin;
	int64_t end = s->end < shown->window.end ? s->end : shown->window.end;
	if (begin >= end)
		return false;
	s->facts.texts[TSP_OF_LABEL] = s->label;
	s->facts.texts[TSP_OF_STATE] = s->style;
	s->facts.numbers[TSP_OF_DURATION] = end - s->begin;
	unsigned tag = tsp_chosen_tag(&t->chosen, &s->facts);
	if (tag == TSP_EXCLUDED)
		return false;
	if (end - begin < shown->width) {
		if (end < shown->until[tag])
			return false;
		shown->until[tag] = begin + shown->width;
	}
	mer_json_begin_object(&t->j);
	mer_json_kv_int(&t->j, "start", begin);
	mer_json_kv_int(&t->j, "end", end);
	if (s->label && *s->label)
		mer_json_kv_text(&t->j, "label", s->label);
	tsp_put_tag(&t->j, tag);
	tsp_put_style(&t->j, s->style);
	mer_json_end_object(&t->j);
	return true;
}

void tsp_put_tag(struct mer_json *j, unsigned tag)
{
	if (tag)
		mer_json_kv_uint(j, "tags", tag);
}

void tsp_put_style(struct mer_json *j, const char *key)
{
	mer_json_kv_object(j, "style");
	mer_json_kv_text(j, "parentKey", key);
	mer_json_kv_object(j, "values");
	mer_json_end_object(j);
	mer_json_end_object(j);
}

static void put_axis(
	struct mer_json *j, const char *key, const char *label, const char *unit, const char *type)
{
	mer_json_kv_object(j, key);
	mer_json_kv_text(j, "label", label);
	mer_json_kv_text(j, "unit", unit);
	mer_json_kv_text(j, "dataType", type);
	mer_json_end_object(j);
}

void tsp_put_series(struct mer_json *j, const struct tsp_series *s)
{
	mer_json_begin_object(j);
	mer_json_kv_int(j, "seriesId", s->id);
	mer_json_kv_text(j, "seriesName", s->name);
	put_axis(j, "xValuesDescription", "Time", "ns", "TIMESTAMP");
	put_axis(j, "yValuesDescription", s->y_label, s->y_unit,
		s->is_duration ? "DURATION" : "NUMBER");
	if (s->is_scattered) {
		mer_json_kv_object(j, "style");
		mer_json_kv_object(j, "values");
		mer_json_kv_text(j, "series-type", "scatter");
		mer_json_end_object(j);
		mer_json_end_object(j);
	} else {
		tsp_put_style(j, "line");
	}
	mer_json_kv_array(j, "xValues");
	for (size_t i = 0; i < s->n; i++)
		mer_json_int(j, s->x[i]);
	mer_json_end_array(j);
	mer_json_kv_array(j, "yValues");
	for (size_t i = 0; i < s->n; i++)
		tsp_put_real(j, s->y[i]);
	mer_json_end_array(j);
	mer_json_end_object(j);
}

void tsp_put_duration(struct mer_json *j, const char *key, int64_t ns)
{
	struct mer_str text = { 0 };
	mer_put_duration(&text, ns);
	mer_json_kv_text(j, key, text.data);
	mer_str_fini(&text);
}

void tsp_put_clock(struct mer_str *out, int64_t ns)
{
	int64_t second = ns / 1000000000, rest = ns % 1000000000;
	if (rest < 0) {
		second--;
		rest += 1000000000;
	}
	int64_t of_day = ((second % 86400) + 86400) % 86400;
	mer_str_printf(out, "%02d:%02d:%02d.%09" PRId64, (int)(of_day / 3600),
		(int)(of_day / 60 % 60), (int)(of_day % 60), rest);
}
