/* Histogram: events over time, of all hosts: the overview above all other views. */
#include "server/tsp/state.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

static const char NAME[] = "Total";

static bool has_index(struct tsp *t)
{
	if (!tsp_index_is_ready(&t->state->index))
		t->running = "the events are being counted";
	return !t->running;
}

int tsp_histogram_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "Events", NULL, NULL } };
	const char *label = NAME;
	(void)err;
	tsp_begin_tree(&t->j, headers, 1, -1);
	tsp_begin_entry(&t->j, tsp_entry(TSP_HOST, 0, 0), -1, &label, 1, 1, 0, true);
	mer_json_kv_bool(&t->j, "isDefault", true);
	mer_json_end_object(&t->j);
	tsp_end_tree(&t->j);
	has_index(t);
	return 0;
}

static uint64_t in_parts(uint64_t length, uint64_t n)
{
	return length / n + (length % n != 0);
}

struct bins { /* the last one is cut at the end of the window */
	int64_t begin, width;
	size_t n;
};

/* At most n_times bins; made of whole bins of the index, unless they are narrower than these. */
static struct bins choose_bins(
	const struct tsp_index *x, const struct session_window *w, uint32_t n_times)
{
	uint64_t length = (uint64_t)w->end - (uint64_t)w->begin;
	uint64_t own = (uint64_t)1 << x->shift, each = in_parts(length, n_times), unit = 1;
	struct bins b = { .begin = w->begin };
	if (each >= own) {
		b.begin = tsp_index_bin_begin(x, tsp_index_bin(x, w->begin));
		length = (uint64_t)w->end - (uint64_t)b.begin;
		unit = own;
		each = in_parts(length, n_times);
	}
	each = in_parts(each, unit) * unit;
	b.width = (int64_t)each;
	b.n = (size_t)in_parts(length, each);
	return b;
}

int tsp_histogram_xy(struct tsp *t, struct mer_err *err)
{
	const struct tsp_index *x = &t->state->index;
	struct mer_experiment *e = tsp_experiment_of(t);
	struct session_window w = tsp_window(t);
	int rc = 0;
	w.begin = w.begin > e->begin ? w.begin : e->begin;
	w.end = w.end <= e->end ? w.end : e->end + 1;
	mer_json_begin_object(&t->j);
	mer_json_kv_text(&t->j, "title", "Histogram");
	mer_json_kv_array(&t->j, "series");
	if (has_index(t) && w.begin < w.end) {
		const struct bins b = choose_bins(x, &w, tsp_bins(t, 0));
		uint64_t *counts = mer_arena_zalloc(&t->arena, b.n, sizeof(*counts));
		int64_t *xs = mer_arena_zalloc(&t->arena, b.n, sizeof(*xs));
		double *ys = mer_arena_zalloc(&t->arena, b.n, sizeof(*ys));
		rc = counts && xs && ys
			     ? tsp_index_count(x, e, b.begin, b.width, b.n, w.end, counts, err)
			     : mer_fail_nomem(err);
		for (size_t i = 0; rc == 0 && i < b.n; i++) {
			xs[i] = b.begin + (int64_t)i * b.width;
			ys[i] = (double)counts[i];
		}
		if (rc == 0)
			tsp_put_series(&t->j, &(struct tsp_series){ .id = tsp_entry(TSP_HOST, 0, 0),
						      .name = NAME,
						      .y_label = "Events",
						      .y_unit = "",
						      .x = xs,
						      .y = ys,
						      .n = b.n });
	}
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	return rc;
}
