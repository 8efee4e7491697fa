#include "ask/sync/sync_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/sync/sync_print.h"
#include "ask/print/text.h"
#include "sync/result_view.h"

static struct mer_cell least_cell(const struct sync_latency *l)
{
	return l->n ? MER_INT(l->min) : MER_NONE;
}

/* So that a row fits. */
const char *ask_sync_brief_quality(enum sync_quality q)
{
	return q == SYNC_APPROXIMATE ? "approx." : sync_quality_name(q);
}

/* The largest bound first; what cannot be compared, or is not limited, is worse than any. */
static int by_worst(const void *a, const void *b)
{
	const struct sync_host *p = *(const struct sync_host *const *)a,
			       *q = *(const struct sync_host *const *)b;
	bool p_absent = p->quality == SYNC_ABSENT, q_absent = q->quality == SYNC_ABSENT;
	if (p_absent != q_absent)
		return p_absent ? -1 : 1;
	if (p->bound.max != q->bound.max)
		return p->bound.max > q->bound.max ? -1 : 1;
	return p < q ? -1 : p > q;
}

/* The hosts to show, malloc'ed: all in their order, or if there are too many, the worst ones. */
static const struct sync_host **choose_hosts(const struct sync_result *r, size_t limit, size_t *n)
{
	const struct sync_host **hosts = calloc(r->n_hosts + 1u, sizeof(*hosts));
	for (uint32_t i = 0; hosts && i < r->n_hosts; i++)
		hosts[i] = &r->hosts[i];
	*n = r->n_hosts < limit ? r->n_hosts : limit;
	if (hosts && *n < r->n_hosts)
		qsort(hosts, r->n_hosts, sizeof(*hosts), by_worst);
	return hosts;
}

static bool has_rounds(const struct sync_result *r)
{
	for (uint32_t i = 0; i < r->n_hosts; i++)
		if (r->hosts[i].n_rounds)
			return true;
	return false;
}

void ask_sync_fill_hosts(const struct sync_result *r, size_t limit, size_t width,
	struct mer_table *t, struct mer_arena *arena)
{
	enum {
		HOST,
		OFFSET,
		DRIFT,
		DRIFT_OFF,
		LIKELY,
		MEDIAN,
		BOUND_MAX,
		PIECES,
		MATCHED,
		USED,
		ROUNDS,
		QUALITY,
		N
	};
	enum { ALL_COLUMNS = 100 }; /* of a line that has room for all of them */
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[OFFSET] = { "offset_ns", "Offset, s", MER_OFFSET },
		[DRIFT] = { "drift_ppm", "ppm", MER_PPM },
		[DRIFT_OFF] = { "drift_error_ppm", "±", MER_PPM },
		[LIKELY] = { "likely_p50_ns", "Likely", MER_DURATION },
		[MEDIAN] = { "bound_p50_ns", "Bound", MER_DURATION },
		[BOUND_MAX] = { "bound_max_ns", "Max", MER_DURATION },
		[PIECES] = { "pieces", "Pieces", MER_COUNT },
		[MATCHED] = { "matched", "Msgs", MER_COUNT },
		[USED] = { "used", "Used", MER_COUNT },
		[ROUNDS] = { "rounds", "Rounds", MER_COUNT },
		[QUALITY] = { "quality", "Quality", MER_TEXT },
	};
	mer_table_init(t, "hosts", NULL, columns, arena);
	if (width < ALL_COLUMNS) {
		mer_table_hide(t, PIECES);
		mer_table_hide(t, USED);
	}
	if (!has_rounds(r))
		mer_table_hide(t, ROUNDS);
	else if (width < ALL_COLUMNS)
		mer_table_hide(t, DRIFT_OFF);
	size_t n;
	const struct sync_host **hosts = choose_hosts(r, limit, &n);
	t->failed |= !hosts;
	for (size_t i = 0; hosts && i < n; i++) {
		const struct sync_host *h = hosts[i];
		struct mer_cell row[N] = {
			[HOST] = mer_text(h->name),
			[PIECES] = MER_INT(sync_host_pieces(h)),
			[MATCHED] = MER_INT(h->n_matched),
			[USED] = MER_INT(h->n_used),
			[ROUNDS] = MER_INT(h->n_rounds),
			[QUALITY] = mer_text(ask_sync_brief_quality(h->quality)),
		};
		/* With nobody to compare it with, 0 would say that nothing is uncertain. */
		if (h->quality != SYNC_ABSENT || h->n_matched || h->n_rounds) {
			row[OFFSET] = MER_INT(sync_host_offset(h));
			row[DRIFT] = MER_REAL_CELL(sync_host_drift_ppm(h));
			row[DRIFT_OFF] = isfinite(h->drift_off_ppm)
						 ? MER_REAL_CELL(h->drift_off_ppm)
						 : MER_NONE;
			row[LIKELY] = mer_int_unless(h->likely_off.median, INT64_MAX);
			row[MEDIAN] = mer_int_unless(h->bound.median, INT64_MAX);
			row[BOUND_MAX] = mer_int_unless(h->bound.max, INT64_MAX);
		}
		mer_table_add(t, row);
	}
	free(hosts);
}

static uint64_t inversions_before(const struct sync_pair *p)
{
	return p->ab.before.n_inversions + p->ba.before.n_inversions;
}

void ask_sync_fill_pairs(
	const struct sync_result *r, size_t limit, struct mer_table *t, struct mer_arena *arena)
{
	enum { A, B, AB, BA, MIN_AB, MIN_BA, BOUND, HULL, REJECTED, INVERSIONS, N };
	static const struct mer_column columns[N + 1] = {
		[A] = { "a", "From", MER_TEXT },
		[B] = { "b", "To", MER_TEXT },
		[AB] = { "matched_ab", "Fwd", MER_COUNT },
		[BA] = { "matched_ba", "Rev", MER_COUNT },
		[MIN_AB] = { "min_latency_ab_ns", "Min fwd", MER_DURATION },
		[MIN_BA] = { "min_latency_ba_ns", "Min rev", MER_DURATION },
		[BOUND] = { "bound_p50_ns", "Bound", MER_DURATION },
		[HULL] = { "hull", "Hull", MER_TEXT },
		[REJECTED] = { "rejected", "Rejected", MER_COUNT },
		[INVERSIONS] = { "inversions_before", "Inversions", MER_COUNT },
	};
	mer_table_init(t, "pairs", NULL, columns, arena);
	for (size_t i = 0; i < r->n_pairs && i < limit; i++) {
		const struct sync_pair *p = &r->pairs[i];
		const char *hull =
			mer_arena_printf(arena, "%zu/%zu", p->line.n_upper, p->line.n_lower);
		t->failed |= !hull;
		mer_table_add(t, (struct mer_cell[N]){
					 [A] = mer_text(r->hosts[p->a].name),
					 [B] = mer_text(r->hosts[p->b].name),
					 [AB] = MER_INT(p->ab.after.n),
					 [BA] = MER_INT(p->ba.after.n),
					 [MIN_AB] = least_cell(&p->ab.after),
					 [MIN_BA] = least_cell(&p->ba.after),
					 [BOUND] = mer_int_unless(p->bound.median, INT64_MAX),
					 [HULL] = mer_text(hull),
					 [REJECTED] = MER_INT(p->n_rejected),
					 [INVERSIONS] = MER_INT(inversions_before(p)),
				 });
	}
}

enum { GUEST, HYPERVISOR, PID, COMM, VCPUS, EVENTS, CERTAIN, BAD, KNOWN_BY, N_VM };
const struct mer_column ask_sync_vm_columns[N_VM + 1] = {
	[GUEST] = { "guest", "Guest", MER_TEXT },
	[HYPERVISOR] = { "hypervisor", "Runs on", MER_TEXT },
	[PID] = { "pid", "PID", MER_ID },
	[COMM] = { "comm", "Process", MER_TEXT },
	[VCPUS] = { "vcpus", "vCPUs", MER_COUNT },
	[EVENTS] = { "events", "Events", MER_COUNT },
	[CERTAIN] = { "certain", "Certain", MER_COUNT },
	[BAD] = { "contradicting", "Bad", MER_COUNT },
	[KNOWN_BY] = { "known_by", "Known by", MER_TEXT },
};

void ask_sync_add_vms(const struct sync_result *r, bool all, struct mer_table *t)
{
	for (uint32_t i = 0; i < r->n_vms; i++) {
		const struct sync_vm *vm = &r->vms[i];
		bool paired = vm->guest != SYNC_NO_GUEST;
		if (!paired && !all)
			continue;
		mer_table_add(
			t, (struct mer_cell[N_VM]){
				   [GUEST] = mer_text(paired ? r->hosts[vm->guest].name : NULL),
				   [HYPERVISOR] = mer_text(r->hosts[vm->hypervisor].name),
				   [PID] = vm->pid == SYNC_NO_PID ? MER_NONE : MER_INT(vm->pid),
				   [COMM] = mer_text(vm->name),
				   [VCPUS] = MER_INT(vm->n_vcpus),
				   [EVENTS] = MER_INT(vm->n_events),
				   [CERTAIN] = MER_INT(vm->n_certain),
				   [BAD] = MER_INT(vm->n_bad),
				   [KNOWN_BY] = mer_text(sync_vm_how_name(vm->how)),
			   });
	}
}
