#include "store/wait_columns.h"

#include "store/numbers.h"

enum { PIECE_BIT = 2 }; /* in column WHOLE of kept waits: it is above what the task started */

static enum store_packing packing_of(const struct store_waits_array *a)
{
	static const enum store_packing packings[STORE_WAIT_COLUMNS] = {
		[STORE_WAIT_BEGIN] = STORE_DELTA,
		[STORE_WAIT_END] = STORE_PLAIN,
		[STORE_WAIT_RUN] = STORE_PLAIN,
		[STORE_WAIT_ASKED] = STORE_PLAIN,
		[STORE_WAIT_TASK] = STORE_DICT,
		[STORE_WAIT_SPAN] = STORE_DELTA,
		[STORE_WAIT_WHOLE] = STORE_PLAIN,
		[STORE_WAIT_BY_HOST] = STORE_DICT,
		[STORE_WAIT_BY_TASK] = STORE_DICT,
		[STORE_WAIT_CALL] = STORE_DICT,
		[STORE_WAIT_FLAGS] = STORE_DICT,
		[STORE_WAIT_ASKER] = STORE_DICT,
	};
	return a->is_kept && a->column == STORE_WAIT_SPAN ? STORE_DICT : packings[a->column];
}

static uint64_t flags_of(const struct blocked_wait *w)
{
	return w->kind | (uint64_t)w->cause << 8 | (uint64_t)w->open << 16 |
	       (uint64_t)w->is_input << 17 | (uint64_t)w->is_for_work << 18 |
	       (uint64_t)w->is_felt << 19;
}

static uint64_t get(const void *array, size_t i)
{
	const struct store_waits_array *a = array;
	const struct blocked_wait *w = &a->waits[i];
	switch (a->column) {
	case STORE_WAIT_BEGIN: return (uint64_t)w->begin;
	case STORE_WAIT_END: return (uint64_t)w->end - (uint64_t)w->begin;
	case STORE_WAIT_RUN: return (uint64_t)w->run - (uint64_t)w->end;
	case STORE_WAIT_ASKED: return (uint64_t)w->end - (uint64_t)w->asked;
	case STORE_WAIT_TASK: return w->task;
	case STORE_WAIT_SPAN: return a->is_kept ? (uint32_t)(w->disk + 1) : w->span;
	case STORE_WAIT_WHOLE:
		return a->is_kept ? w->started | (uint64_t)w->whole << PIECE_BIT
				  : (uint64_t)w->whole - w->span;
	case STORE_WAIT_BY_HOST: return (uint32_t)(w->by_host + 1);
	case STORE_WAIT_BY_TASK: return (uint32_t)(w->by_task + 1);
	case STORE_WAIT_CALL: return (uint32_t)(w->call + 1);
	case STORE_WAIT_FLAGS: return flags_of(w);
	case STORE_WAIT_ASKER:
	default: return (uint32_t)(w->asker + 1);
	}
}

void store_put_wait_column(struct store_writer *w, const struct store_waits_array *a,
	enum store_wait_column column, uint32_t type, uint32_t number)
{
	struct store_waits_array one = *a;
	one.column = column;
	store_put_numbers(w, type, a->host, number, packing_of(&one), get, &one, a->n);
}

static uint32_t below(struct store_waits_array *a, uint64_t number, uint64_t n)
{
	a->bad |= number >= n;
	return (uint32_t)number;
}

static uint32_t below_or_none(struct store_waits_array *a, uint64_t number_plus_1, uint64_t n)
{
	a->bad |= number_plus_1 > n;
	return (uint32_t)number_plus_1 - 1;
}

static void set_flags(struct store_waits_array *a, struct blocked_wait *w, uint64_t v)
{
	w->kind = (uint8_t)v;
	w->cause = (uint8_t)(v >> 8);
	w->open = v >> 16 & 1;
	w->is_input = v >> 17 & 1;
	w->is_for_work = v >> 18 & 1;
	w->is_felt = v >> 19 & 1;
	a->bad |= w->kind >= BLOCKED_N_KINDS || w->cause >= KERNEL_N_CAUSES;
}

/* Columns SPAN and WHOLE of waits without spans. */
static void set_kept(struct store_waits_array *a, struct blocked_wait *w, uint64_t v)
{
	if (a->column == STORE_WAIT_SPAN) {
		w->disk = below_or_none(a, v, a->world->hosts[a->host].names.n);
		return;
	}
	w->started = (uint8_t)(v & ((1u << PIECE_BIT) - 1));
	w->whole = below(a, v >> PIECE_BIT, STORE_WAIT_PIECES);
	a->bad |= w->started > BLOCKED_CHILD;
}

static void set(void *array, size_t i, uint64_t v)
{
	struct store_waits_array *a = array;
	struct blocked_wait *w = &a->waits[i];
	const struct kernel_world *world = a->world;
	const struct kernel_host *h = &world->hosts[a->host];
	switch (a->column) {
	case STORE_WAIT_BEGIN: w->begin = (int64_t)v; break;
	case STORE_WAIT_END: w->end = (int64_t)((uint64_t)w->begin + v); break;
	case STORE_WAIT_RUN: w->run = (int64_t)((uint64_t)w->end + v); break;
	case STORE_WAIT_ASKED: w->asked = (int64_t)((uint64_t)w->end - v); break;
	case STORE_WAIT_TASK: w->task = below(a, v, h->n_tasks); break;
	case STORE_WAIT_SPAN:
		if (a->is_kept)
			set_kept(a, w, v);
		else
			w->span = below(a, v, h->n_spans);
		break;
	case STORE_WAIT_WHOLE:
		if (a->is_kept)
			set_kept(a, w, v);
		else
			w->whole = below(a, w->span + v, h->n_spans);
		break;
	case STORE_WAIT_BY_HOST: w->by_host = below_or_none(a, v, world->n_hosts); break;
	case STORE_WAIT_BY_TASK:
		w->by_task = w->by_host == KERNEL_NONE || a->bad
				     ? below_or_none(a, v, 0)
				     : below_or_none(a, v, world->hosts[w->by_host].n_tasks);
		break;
	case STORE_WAIT_CALL: w->call = below_or_none(a, v, h->n_calls); break;
	case STORE_WAIT_FLAGS: set_flags(a, w, v); break;
	case STORE_WAIT_ASKER:
	default: w->asker = below_or_none(a, v, a->n_processes); break;
	}
}

bool store_get_wait_column(const struct store_file *f, struct store_waits_array *a,
	enum store_wait_column column, uint32_t type, uint32_t number)
{
	a->column = column;
	return store_get_numbers(f, type, a->host, number, set, a, a->n) && !a->bad;
}
