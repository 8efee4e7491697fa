/* A synchronization as tables: exact numbers, names that say what they are. */
#include "ask/sync/sync_answer.h"

#include <math.h>
#include <string.h>

#include "ask/sync/sync_tables.h"
#include "ask/tables.h"
#include "sync/auto.h"
#include "sync/result_view.h"

static struct mer_cell least_cell(const struct sync_latency *l)
{
	return l->n ? MER_INT(l->min) : MER_NONE;
}

/* Decimals with more digits than a double has. */
static struct mer_cell decimal_cell(const char *text)
{
	return mer_text(text[0] ? text : NULL);
}

static void add_hosts(const struct sync_result *r, struct answer *a)
{
	enum {
		HOST,
		ID,
		GROUP,
		REFERENCE,
		METHOD,
		QUALITY,
		OFFSET,
		DRIFT,
		DRIFT_OFF,
		LIKELY,
		LIKELY_MAX,
		GUARANTEED,
		BOUND_MIN,
		BOUND_MEDIAN,
		BOUND_MAX,
		BOUND_MAX_AT,
		PIECES,
		STEPS,
		SLEWS,
		MATCHED,
		USED,
		ROUNDS,
		SOURCE,
		N
	};
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[ID] = { "id", "Id", MER_TEXT },
		[GROUP] = { "group", "Group", MER_ID },
		[REFERENCE] = { "reference", "Reference", MER_TEXT },
		[METHOD] = { "method", "Method", MER_TEXT },
		[QUALITY] = { "quality", "Quality", MER_TEXT },
		[OFFSET] = { "offset_ns", "Offset", MER_OFFSET },
		[DRIFT] = { "drift_ppm", "Drift", MER_PPM },
		[DRIFT_OFF] = { "drift_error_ppm", "Drift error", MER_PPM },
		[LIKELY] = { "likely_p50_ns", "Likely", MER_DURATION },
		[LIKELY_MAX] = { "likely_max_ns", "Likely max", MER_DURATION },
		[GUARANTEED] = { "guaranteed", "Guaranteed", MER_TEXT },
		[BOUND_MIN] = { "bound_min_ns", "Bound min", MER_DURATION },
		[BOUND_MEDIAN] = { "bound_p50_ns", "Bound", MER_DURATION },
		[BOUND_MAX] = { "bound_max_ns", "Bound max", MER_DURATION },
		[BOUND_MAX_AT] = { "bound_max_at", "Bound max at", MER_DATE },
		[PIECES] = { "pieces", "Pieces", MER_COUNT },
		[STEPS] = { "steps", "Steps", MER_COUNT },
		[SLEWS] = { "slews", "Slews", MER_COUNT },
		[MATCHED] = { "matched", "Messages", MER_COUNT },
		[USED] = { "used", "Used", MER_COUNT },
		[ROUNDS] = { "rounds", "Rounds", MER_COUNT },
		[SOURCE] = { "source", "Source", MER_TEXT },
	};
	struct mer_table *t = answer_add(a, "hosts", "Clocks of the hosts", columns);
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		const struct sync_host *h = &r->hosts[i];
		mer_table_add(t,
			(struct mer_cell[N]){
				[HOST] = mer_text(h->name),
				[ID] = mer_text(h->id),
				[GROUP] = MER_INT(h->group),
				[REFERENCE] = mer_text(r->hosts[r->references[h->group]].name),
				[METHOD] = mer_text(sync_method_name(h->method)),
				[QUALITY] = mer_text(sync_quality_name(h->quality)),
				[OFFSET] = MER_INT(sync_host_offset(h)),
				[DRIFT] = MER_REAL_CELL(sync_host_drift_ppm(h)),
				[DRIFT_OFF] = isfinite(h->drift_off_ppm)
						      ? MER_REAL_CELL(h->drift_off_ppm)
						      : MER_NONE,
				[LIKELY] = mer_int_unless(h->likely_off.median, INT64_MAX),
				[LIKELY_MAX] = mer_int_unless(h->likely_off.max, INT64_MAX),
				[GUARANTEED] = mer_text(sync_host_guaranteed(r, i) ? "yes" : "no"),
				[BOUND_MIN] = mer_int_unless(h->bound.min, INT64_MAX),
				[BOUND_MEDIAN] = mer_int_unless(h->bound.median, INT64_MAX),
				[BOUND_MAX] = mer_int_unless(h->bound.max, INT64_MAX),
				[BOUND_MAX_AT] = mer_int_unless(h->bound.max_at, MER_NO_TIME),
				[PIECES] = MER_INT(sync_host_pieces(h)),
				[STEPS] = MER_INT(h->n_steps),
				[SLEWS] = MER_INT(h->n_slews),
				[MATCHED] = MER_INT(h->n_matched),
				[USED] = MER_INT(h->n_used),
				[ROUNDS] = MER_INT(h->n_rounds),
				[SOURCE] = mer_text(sync_host_source(r, i)),
			});
	}
}

static void add_pairs(const struct sync_result *r, struct answer *a)
{
	enum {
		A,
		B,
		QUALITY,
		AB,
		BA,
		USED,
		REJECTED,
		MIN_AB,
		MIN_BA,
		BOUND,
		INVERSIONS_BEFORE,
		INVERSIONS_AFTER,
		ALPHA,
		BETA,
		HULL_UPPER,
		HULL_LOWER,
		N
	};
	static const struct mer_column columns[N + 1] = {
		[A] = { "a", "From", MER_TEXT },
		[B] = { "b", "To", MER_TEXT },
		[QUALITY] = { "quality", "Quality", MER_TEXT },
		[AB] = { "matched_ab", "Forward", MER_COUNT },
		[BA] = { "matched_ba", "Reverse", MER_COUNT },
		[USED] = { "used", "Used", MER_COUNT },
		[REJECTED] = { "rejected", "Rejected", MER_COUNT },
		[MIN_AB] = { "min_latency_ab_ns", "Min forward", MER_DURATION },
		[MIN_BA] = { "min_latency_ba_ns", "Min reverse", MER_DURATION },
		[BOUND] = { "bound_ns", "Bound", MER_DURATION },
		[INVERSIONS_BEFORE] = { "inversions_before", "Inversions before", MER_COUNT },
		[INVERSIONS_AFTER] = { "inversions_after", "Inversions", MER_COUNT },
		[ALPHA] = { "alpha", "Alpha", MER_TEXT }, /* exact decimals */
		[BETA] = { "beta_ns", "Beta", MER_TEXT },
		[HULL_UPPER] = { "hull_upper", "Hull upper", MER_COUNT },
		[HULL_LOWER] = { "hull_lower", "Hull lower", MER_COUNT },
	};
	struct mer_table *t = answer_add(a, "pairs", "Pairs of hosts with messages", columns);
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		const struct sync_line *l = &p->line;
		uint64_t after = p->ab.after.n_inversions + p->ba.after.n_inversions;
		mer_table_add(t, (struct mer_cell[N]){
					 [A] = mer_text(r->hosts[p->a].name),
					 [B] = mer_text(r->hosts[p->b].name),
					 [QUALITY] = mer_text(sync_quality_name(p->quality)),
					 [AB] = MER_INT(p->ab.after.n),
					 [BA] = MER_INT(p->ba.after.n),
					 [USED] = MER_INT(p->n_used),
					 [REJECTED] = MER_INT(p->n_rejected),
					 [MIN_AB] = least_cell(&p->ab.after),
					 [MIN_BA] = least_cell(&p->ba.after),
					 [BOUND] = mer_int_unless(p->bound.max, INT64_MAX),
					 [INVERSIONS_BEFORE] = MER_INT(p->ab.before.n_inversions +
								       p->ba.before.n_inversions),
					 [INVERSIONS_AFTER] = MER_INT(after),
					 [ALPHA] = mer_text(l->alpha[0] ? l->alpha : NULL),
					 [BETA] = mer_text(l->beta[0] ? l->beta : NULL),
					 [HULL_UPPER] = MER_INT(l->n_upper),
					 [HULL_LOWER] = MER_INT(l->n_lower),
				 });
	}
}

/* ---- The whole ---- */

static struct session_synced synced_of(const struct ask_sync *s)
{
	const char *file = s->ask->sync;
	bool is_file = file && strcmp(file, "auto") != 0 && strcmp(file, "none") != 0;
	struct session_synced x = { .summary = sync_summary_of(s->result),
		.method = s->result->method,
		.file = is_file ? file : NULL };
	x.reference = s->e->hosts[x.summary.reference].name;
	return x;
}

void ask_sync_answer_init(struct ask_sync *s, struct answer *a)
{
	answer_init(a, s->e);
	a->found = &s->result->diags;
	if (s->result->method == SYNC_NONE || s->e->n_hosts == 0)
		return;
	s->synced = synced_of(s);
	a->synced = &s->synced;
}

void ask_sync_add_clocks(const struct sync_result *r, struct answer *a)
{
	enum { METHOD, REFERENCE, MAX_DRIFT, GUARANTEED, N };
	static const struct mer_column columns[N + 1] = {
		[METHOD] = { "method", "Method", MER_TEXT },
		[REFERENCE] = { "reference", "Reference", MER_TEXT },
		[MAX_DRIFT] = { "max_drift_ppm", "Largest drift", MER_PPM },
		[GUARANTEED] = { "guaranteed", "Guaranteed", MER_ID },
	};
	struct mer_table *t = answer_add_beside(a, "clocks", "How clocks were aligned", columns);
	mer_table_add(t, (struct mer_cell[N]){
				 [METHOD] = mer_text(sync_method_name(r->method)),
				 [REFERENCE] = mer_text(
					 r->n_groups ? r->hosts[r->references[0]].name : NULL),
				 [MAX_DRIFT] = MER_REAL_CELL(r->max_drift_ppm),
				 [GUARANTEED] = MER_INT(sync_is_guaranteed(r)),
			 });
}

/* ---- Hosts ---- */

static void add_host_details(const struct sync_result *r, struct answer *a)
{
	enum {
		ROW,
		HOST,
		IS_REFERENCE,
		LIKELY_MIN,
		LIKELY_MAX_AT,
		MAX_RATE,
		BEGIN,
		END,
		SENT,
		RECEIVED,
		UNMATCHED_SENT,
		UNMATCHED_RECEIVED,
		DUPLICATES,
		TOO_OLD,
		WITHOUT_KEY,
		N
	};
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[HOST] = { "host", "Host", MER_TEXT },
		[IS_REFERENCE] = { "is_reference", "Reference", MER_ID },
		[LIKELY_MIN] = { "likely_min_ns", "Likely min", MER_DURATION },
		[LIKELY_MAX_AT] = { "likely_max_at", "Likely max at", MER_DATE },
		[MAX_RATE] = { "max_rate_ppm", "Largest drift", MER_PPM },
		[BEGIN] = { "begin", "Begin", MER_DATE },
		[END] = { "end", "End", MER_DATE },
		[SENT] = { "sent", "Sent", MER_COUNT },
		[RECEIVED] = { "received", "Received", MER_COUNT },
		[UNMATCHED_SENT] = { "unmatched_sent", "Unmatched sent", MER_COUNT },
		[UNMATCHED_RECEIVED] = { "unmatched_received", "Unmatched received", MER_COUNT },
		[DUPLICATES] = { "duplicates", "Duplicates", MER_COUNT },
		[TOO_OLD] = { "too_old", "Too old", MER_COUNT },
		[WITHOUT_KEY] = { "without_key", "Without key", MER_COUNT },
	};
	struct mer_table *t =
		answer_add_beside(a, "host_details", "Clocks and packets of hosts", columns);
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		const struct sync_host *h = &r->hosts[i];
		const struct sync_host_counts *c = &r->counts[i];
		mer_table_add(t,
			(struct mer_cell[N]){
				[ROW] = MER_INT(i + 1),
				[HOST] = mer_text(h->name),
				[IS_REFERENCE] = MER_INT(r->references[h->group] == i),
				[LIKELY_MIN] = mer_int_unless(h->likely_off.min, INT64_MAX),
				[LIKELY_MAX_AT] = mer_int_unless(h->likely_off.max_at, MER_NO_TIME),
				[MAX_RATE] = MER_REAL_CELL(h->max_rate_ppm),
				[BEGIN] = mer_int_unless(h->span.begin, MER_NO_TIME),
				[END] = mer_int_unless(h->span.end, MER_NO_TIME),
				[SENT] = MER_INT(c->n_sent),
				[RECEIVED] = MER_INT(c->n_received),
				[UNMATCHED_SENT] = MER_INT(c->n_unmatched_sent),
				[UNMATCHED_RECEIVED] = MER_INT(c->n_unmatched_received),
				[DUPLICATES] = MER_INT(c->n_duplicates),
				[TOO_OLD] = MER_INT(c->n_too_old),
				[WITHOUT_KEY] = MER_INT(c->n_without_key),
			});
	}
}

/* The reference's time is t + offset_ns + drift_ppm * 1e-6 * (t - begin). */
static void add_pieces(const struct sync_result *r, struct answer *a)
{
	enum { ROW, HOST, BEGIN, END, OFFSET, DRIFT, N };
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[HOST] = { "host", "Host", MER_TEXT },
		[BEGIN] = { "begin", "Begin", MER_DATE },
		[END] = { "end", "End", MER_DATE },
		[OFFSET] = { "offset_ns", "Offset", MER_OFFSET },
		[DRIFT] = { "drift_ppm", "Drift", MER_PPM },
	};
	struct mer_table *t = answer_add_beside(a, "pieces", "Pieces of the offsets", columns);
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		struct sync_piece p;
		for (size_t next = 0; sync_host_next_piece(&r->hosts[i], &next, &p);)
			mer_table_add(
				t, (struct mer_cell[N]){
					   [ROW] = MER_INT(i + 1),
					   [HOST] = mer_text(r->hosts[i].name),
					   [BEGIN] = mer_int_unless(p.range.begin, MER_NO_TIME),
					   [END] = mer_int_unless(p.range.end, MER_NO_TIME),
					   [OFFSET] = MER_INT(p.offset_ns),
					   [DRIFT] = MER_REAL_CELL(p.drift_ppm),
				   });
	}
}

static void add_steps(const struct sync_result *r, struct answer *a)
{
	enum { ROW, HOST, BEGIN, END, SIZE, N };
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[HOST] = { "host", "Host", MER_TEXT },
		[BEGIN] = { "begin", "Begin", MER_DATE },
		[END] = { "end", "End", MER_DATE },
		[SIZE] = { "size_ns", "Stepped by", MER_OFFSET },
	};
	struct mer_table *t = answer_add_beside(a, "steps", "Steps of clocks", columns);
	for (uint32_t i = 0; i < r->n_hosts; i++)
		for (size_t k = 0; k < r->hosts[i].n_steps; k++) {
			const struct sync_step *s = &r->hosts[i].steps[k];
			mer_table_add(
				t, (struct mer_cell[N]){
					   [ROW] = MER_INT(i + 1),
					   [HOST] = mer_text(r->hosts[i].name),
					   [BEGIN] = mer_int_unless(s->range.begin, MER_NO_TIME),
					   [END] = mer_int_unless(s->range.end, MER_NO_TIME),
					   [SIZE] = MER_INT(s->size_ns),
				   });
		}
}

static void add_slews(const struct sync_result *r, struct answer *a)
{
	enum { ROW, HOST, BEGIN, END, RATE, ALLOWED, N };
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[HOST] = { "host", "Host", MER_TEXT },
		[BEGIN] = { "begin", "Begin", MER_DATE },
		[END] = { "end", "End", MER_DATE },
		[RATE] = { "ppm", "Drift", MER_PPM },
		[ALLOWED] = { "allowed_ppm", "Allowed", MER_PPM },
	};
	struct mer_table *t =
		answer_add_beside(a, "slews", "Where clocks drift more than allowed", columns);
	for (uint32_t i = 0; i < r->n_hosts; i++)
		for (size_t k = 0; k < r->hosts[i].n_slews; k++) {
			const struct sync_slew *s = &r->hosts[i].slews[k];
			mer_table_add(
				t, (struct mer_cell[N]){
					   [ROW] = MER_INT(i + 1),
					   [HOST] = mer_text(r->hosts[i].name),
					   [BEGIN] = mer_int_unless(s->range.begin, MER_NO_TIME),
					   [END] = mer_int_unless(s->range.end, MER_NO_TIME),
					   [RATE] = MER_REAL_CELL(s->ppm),
					   [ALLOWED] = MER_REAL_CELL(s->allowed_ppm),
				   });
		}
}

/* The map itself, as integers: from begin (of the host's clock) on, the reference's time is `time`
 * plus what has passed, plus that times rate / 2^TRACE_RATE_BITS. */
static void add_clock_map(const struct sync_result *r, struct answer *a)
{
	enum { ROW, HOST, BEGIN, TIME, RATE, N };
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[HOST] = { "host", "Host", MER_TEXT },
		[BEGIN] = { "begin", "Begin", MER_DATE },
		[TIME] = { "time", "Time", MER_DATE },
		[RATE] = { "rate", "Rate", MER_ID },
	};
	struct mer_table *t = answer_add_beside(a, "clock_map", "Maps of clocks, exact", columns);
	for (uint32_t i = 0; i < r->n_hosts; i++)
		for (size_t k = 0; k < r->hosts[i].map.n; k++) {
			const struct trace_clock_piece *p = &r->hosts[i].map.pieces[k];
			mer_table_add(t, (struct mer_cell[N]){
						 [ROW] = MER_INT(i + 1),
						 [HOST] = mer_text(r->hosts[i].name),
						 [BEGIN] = MER_INT(p->begin),
						 [TIME] = MER_INT(p->time),
						 [RATE] = MER_INT(p->rate),
					 });
		}
}

/* ---- Messages ---- */

/* Of n == 0 nothing is known. */
enum { COUNT, MIN, MAX, MEAN, STDDEV, P50, P90, P99, INVERSIONS, N_STATISTICS };
#define STATISTICS(first, prefix, title)                                                           \
	[first + COUNT] = { prefix "count", title "Messages", MER_COUNT },                         \
		 [first + MIN] = { prefix "min_ns", title "Min", MER_DURATION },                   \
		 [first + MAX] = { prefix "max_ns", title "Max", MER_DURATION },                   \
		 [first + MEAN] = { prefix "mean_ns", title "Mean", MER_MEAN },                    \
		 [first + STDDEV] = { prefix "stddev_ns", title "Std dev", MER_MEAN },             \
		 [first + P50] = { prefix "p50_ns", title "p50", MER_DURATION },                   \
		 [first + P90] = { prefix "p90_ns", title "p90", MER_DURATION },                   \
		 [first + P99] = { prefix "p99_ns", title "p99", MER_DURATION },                   \
		 [first + INVERSIONS] = { prefix "inversions", title "Inversions", MER_COUNT }

static void put_statistics(const struct sync_latency *l, struct mer_cell *cells)
{
	cells[COUNT] = MER_INT(l->n);
	if (!l->n)
		return;
	cells[MIN] = MER_INT(l->min);
	cells[MAX] = MER_INT(l->max);
	cells[MEAN] = MER_REAL_CELL(l->mean);
	cells[STDDEV] = MER_REAL_CELL(l->stddev);
	cells[P50] = MER_INT(l->median);
	cells[P90] = MER_INT(l->p90);
	cells[P99] = MER_INT(l->p99);
	cells[INVERSIONS] = MER_INT(l->n_inversions);
}

static void add_loopback(const struct sync_result *r, struct answer *a)
{
	enum { ROW, HOST, FIRST, N = FIRST + N_STATISTICS };
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[HOST] = { "host", "Host", MER_TEXT },
		STATISTICS(FIRST, "", ""),
	};
	struct mer_table *t =
		answer_add_beside(a, "loopback", "Messages of hosts to themselves", columns);
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		struct mer_cell row[N] = {
			[ROW] = MER_INT(i + 1),
			[HOST] = mer_text(r->hosts[i].name),
		};
		put_statistics(&r->loopback[i], row + FIRST);
		mer_table_add(t, row);
	}
}

static void add_messages(const struct sync_result *r, struct answer *a)
{
	enum {
		ROW,
		FROM,
		TO,
		AFTER,
		BEFORE = AFTER + N_STATISTICS,
		DUPLICATES = BEFORE + N_STATISTICS,
		REORDERED,
		UNMATCHED,
		N
	};
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[FROM] = { "from", "From", MER_TEXT },
		[TO] = { "to", "To", MER_TEXT },
		STATISTICS(AFTER, "", ""),
		STATISTICS(BEFORE, "before_", "Before: "),
		[DUPLICATES] = { "duplicates", "Duplicates", MER_COUNT },
		[REORDERED] = { "reordered", "Reordered", MER_COUNT },
		[UNMATCHED] = { "unmatched", "Unmatched", MER_COUNT },
	};
	struct mer_table *t =
		answer_add_beside(a, "messages", "Messages of pairs, by direction", columns);
	for (size_t i = 0; i < 2 * r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i / 2];
		bool is_back = i % 2;
		const struct sync_direction *d = is_back ? &p->ba : &p->ab;
		struct mer_cell row[N] = {
			[ROW] = MER_INT(i / 2 + 1),
			[FROM] = mer_text(r->hosts[is_back ? p->b : p->a].name),
			[TO] = mer_text(r->hosts[is_back ? p->a : p->b].name),
			[DUPLICATES] = MER_INT(d->n_duplicates),
			[REORDERED] = MER_INT(d->n_reordered),
			[UNMATCHED] = MER_INT(d->n_unmatched),
		};
		put_statistics(&d->after, row + AFTER);
		put_statistics(&d->before, row + BEFORE);
		mer_table_add(t, row);
	}
}

static void add_pair_details(const struct sync_result *r, struct answer *a)
{
	enum {
		ROW,
		ROUNDS,
		ROUNDS_REJECTED,
		BOUND_MIN,
		BOUND_MEDIAN,
		BOUND_MAX_AT,
		QUALITY,
		MESSAGES,
		ACCURATE,
		ACCURACY,
		ALPHA_MIN,
		ALPHA_MAX,
		SLOPE,
		OFFSET,
		N
	};
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[ROUNDS] = { "rounds", "Rounds", MER_COUNT },
		[ROUNDS_REJECTED] = { "rounds_rejected", "Rounds rejected", MER_COUNT },
		[BOUND_MIN] = { "bound_min_ns", "Bound min", MER_DURATION },
		[BOUND_MEDIAN] = { "bound_p50_ns", "Bound p50", MER_DURATION },
		[BOUND_MAX_AT] = { "bound_max_at", "Bound max at", MER_DATE },
		[QUALITY] = { "line_quality", "Quality of the line", MER_TEXT },
		[MESSAGES] = { "line_messages", "Messages", MER_COUNT },
		[ACCURATE] = { "line_accurate", "Accurate", MER_COUNT },
		[ACCURACY] = { "accuracy", "Accuracy", MER_TEXT }, /* exact decimals */
		[ALPHA_MIN] = { "alpha_min", "Alpha min", MER_TEXT },
		[ALPHA_MAX] = { "alpha_max", "Alpha max", MER_TEXT },
		[SLOPE] = { "slope", "Slope", MER_TEXT },
		[OFFSET] = { "offset", "Offset", MER_TEXT },
	};
	struct mer_table *t =
		answer_add_beside(a, "pair_details", "Pairs of hosts: bounds and lines", columns);
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		const struct sync_line *l = &p->line;
		mer_table_add(
			t, (struct mer_cell[N]){
				   [ROW] = MER_INT(i + 1),
				   [ROUNDS] = MER_INT(p->n_rounds),
				   [ROUNDS_REJECTED] = MER_INT(p->n_rounds_rejected),
				   [BOUND_MIN] = mer_int_unless(p->bound.min, INT64_MAX),
				   [BOUND_MEDIAN] = mer_int_unless(p->bound.median, INT64_MAX),
				   [BOUND_MAX_AT] = mer_int_unless(p->bound.max_at, MER_NO_TIME),
				   [QUALITY] = mer_text(sync_quality_name(l->quality)),
				   [MESSAGES] = MER_INT(l->n_messages),
				   [ACCURATE] = MER_INT(l->n_accurate),
				   [ACCURACY] = decimal_cell(l->accuracy),
				   [ALPHA_MIN] = decimal_cell(l->alpha_min),
				   [ALPHA_MAX] = decimal_cell(l->alpha_max),
				   [SLOPE] = decimal_cell(l->slope),
				   [OFFSET] = decimal_cell(l->offset),
			   });
	}
}

/* ---- Guests ---- */

static void add_vcpus(const struct sync_result *r, struct answer *a)
{
	enum { ROW, VCPU, TID, N };
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[VCPU] = { "vcpu", "vCPU", MER_ID },
		[TID] = { "tid", "tid", MER_ID },
	};
	struct mer_table *t = answer_add_beside(a, "vcpus", "vCPUs of the VMs", columns);
	for (uint32_t i = 0; i < r->n_vms; i++)
		for (uint32_t k = 0; k < r->vms[i].n_vcpus; k++)
			mer_table_add(t, (struct mer_cell[N]){
						 [ROW] = MER_INT(i + 1),
						 [VCPU] = MER_INT(r->vms[i].vcpus[k].id),
						 [TID] = MER_INT(r->vms[i].vcpus[k].tid),
					 });
}

static void add_vm_details(const struct sync_result *r, struct answer *a)
{
	enum { ROW, SEARCHED, N };
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[SEARCHED] = { "searched_ns", "Searched within", MER_DURATION },
	};
	struct mer_table *t = answer_add_beside(a, "vm_details",
		"How far around the recorded clocks offsets were searched", columns);
	for (uint32_t i = 0; i < r->n_vms; i++)
		mer_table_add(
			t, (struct mer_cell[N]){
				   [ROW] = MER_INT(i + 1),
				   [SEARCHED] = mer_int_unless(r->vms[i].searched_ns, INT64_MAX),
			   });
}

static void add_contradictions(const struct sync_result *r, struct answer *a)
{
	enum { ROW, BEGIN, END, N };
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[BEGIN] = { "begin", "Begin", MER_DATE },
		[END] = { "end", "End", MER_DATE },
	};
	struct mer_table *t = answer_add_beside(
		a, "contradictions", "When schedules of VMs contradict their events", columns);
	for (uint32_t i = 0; i < r->n_vms; i++)
		for (uint32_t k = 0; k < r->vms[i].n_contradictions; k++)
			mer_table_add(
				t, (struct mer_cell[N]){
					   [ROW] = MER_INT(i + 1),
					   [BEGIN] = mer_int_unless(
						   r->vms[i].contradictions[k].begin, MER_NO_TIME),
					   [END] = mer_int_unless(
						   r->vms[i].contradictions[k].end, MER_NO_TIME),
				   });
}

void ask_sync_add_result(const struct sync_result *r, struct answer *a)
{
	add_hosts(r, a);
	add_pairs(r, a);
	/* Traces without VMs have two tables in CSV, as ever. */
	if (r->n_vms)
		ask_sync_add_vms(r, true, answer_add(a, "vms", "VMs", ask_sync_vm_columns));
	else
		answer_add_beside(a, "vms", "VMs", ask_sync_vm_columns);
	ask_sync_add_clocks(r, a);
	add_host_details(r, a);
	add_pieces(r, a);
	add_steps(r, a);
	add_slews(r, a);
	add_clock_map(r, a);
	add_loopback(r, a);
	add_pair_details(r, a);
	add_messages(r, a);
	add_vcpus(r, a);
	add_vm_details(r, a);
	add_contradictions(r, a);
}

void ask_sync_tables(struct answer *a)
{
	const struct sync_result none = { 0 };
	ask_sync_add_result(&none, a);
}
