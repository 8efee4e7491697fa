#include "cli/tui/picture.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

/* ---- Bytes ---- */

static uint32_t u32(const unsigned char *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static int64_t i64(const unsigned char *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return (int64_t)le64toh(v);
}

bool tui_picture_read(struct tui_picture *p, const void *bytes, size_t len)
{
	enum { HEAD = 32, EACH = 4 + 4 + 4 + 1 + 1 + 1 };
	const unsigned char *b = bytes;
	*p = (struct tui_picture){ 0 };
	if (len < HEAD || memcmp(b, "MLN1", 4) != 0)
		return false;
	size_t lanes = u32(b + 4), spans = u32(b + 8), rest = len - HEAD;
	if (lanes >= rest / 4 || spans != (rest - 4 * (lanes + 1)) / EACH ||
		rest != 4 * (lanes + 1) + spans * EACH)
		return false;
	*p = (struct tui_picture){ .first = b + HEAD,
		.n_lanes = lanes,
		.n_spans = spans,
		.in_bins = u32(b + 12) != 0,
		.origin = i64(b + 16),
		.unit = i64(b + 24) };
	/* Times that can be added up. */
	int64_t most = INT64_C(1) << 62;
	if (p->unit < 1 || p->unit > INT64_C(1) << 28 || p->origin > most || p->origin < -most) {
		*p = (struct tui_picture){ 0 };
		return false;
	}
	p->begin = p->first + 4 * (lanes + 1);
	p->end = p->begin + 4 * spans;
	p->task = p->end + 4 * spans;
	p->state = p->task + 4 * spans;
	p->cause = p->state + spans;
	p->share = p->cause + spans;
	return true;
}

/* Spans of a lane: from..to. */
static void find_spans(const struct tui_picture *p, size_t lane, size_t *from, size_t *to)
{
	*from = *to = 0;
	if (lane >= p->n_lanes)
		return;
	*from = u32(p->first + 4 * lane);
	*to = u32(p->first + 4 * (lane + 1));
	*to = *to < p->n_spans ? *to : p->n_spans;
	*from = *from < *to ? *from : *to;
}

static struct tui_span span_at(const struct tui_picture *p, size_t i)
{
	return (struct tui_span){ .begin = p->origin + p->unit * u32(p->begin + 4 * i),
		.end = p->origin + p->unit * u32(p->end + 4 * i),
		.task = u32(p->task + 4 * i),
		.state = p->state[i] < KERNEL_N_STATES ? p->state[i] : KERNEL_UNKNOWN,
		.cause = p->cause[i] < KERNEL_N_CAUSES ? p->cause[i] : KERNEL_NO_CAUSE,
		.share = p->share[i] / 255.0 };
}

bool tui_is_asleep(uint8_t state)
{
	return state == KERNEL_BLOCKED || state == KERNEL_DEAD || state == KERNEL_UNKNOWN ||
	       state == KERNEL_STOPPED || state == KERNEL_NEW;
}

/* Waits that are shown before sleep, the greatest first. */
static unsigned rank_of_cause(uint8_t cause)
{
	return cause == KERNEL_DISK ? 3 : cause == KERNEL_FUTEX ? 2 : cause == KERNEL_NETWORK;
}

static unsigned rank_of(const struct tui_span *s)
{
	if (!tui_is_asleep(s->state))
		return 6;
	if (s->state == KERNEL_UNKNOWN || s->state == KERNEL_DEAD)
		return 1;
	return 2 + (s->state == KERNEL_BLOCKED ? rank_of_cause(s->cause) : 0);
}

/* The first span of the lane that ends after this moment. */
static size_t first_after(const struct tui_picture *p, size_t from, size_t to, int64_t at)
{
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (p->origin + p->unit * u32(p->end + 4 * middle) > at)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

bool tui_picture_at(const struct tui_picture *p, size_t lane, int64_t at, struct tui_span *s)
{
	size_t from, to;
	find_spans(p, lane, &from, &to);
	from = first_after(p, from, to, at);
	if (from == to)
		return false;
	*s = span_at(p, from);
	/* Of a bin the one that a column would show. */
	for (size_t i = from + 1; i < to; i++) {
		struct tui_span other = span_at(p, i);
		if (other.begin != s->begin || other.end != s->end)
			break;
		unsigned rank = rank_of(&other), most = rank_of(s);
		if (rank > most || (rank == most && other.share > s->share))
			*s = other;
	}
	return s->begin <= at;
}

/* ---- Columns ---- */

struct sums { /* ns of each state, and of waits by cause */
	double awake, state[KERNEL_N_STATES], cause[KERNEL_N_CAUSES];
};

static void add(struct sums *x, const struct tui_span *s, int64_t begin, int64_t end)
{
	begin = s->begin > begin ? s->begin : begin;
	end = s->end < end ? s->end : end;
	double ns = end > begin ? (double)(end - begin) * s->share : 0;
	x->state[s->state] += ns;
	if (!tui_is_asleep(s->state))
		x->awake += ns;
	if (s->state == KERNEL_BLOCKED)
		x->cause[s->cause] += ns;
}

static size_t most(const double *v, size_t n)
{
	size_t best = 0;
	for (size_t i = 1; i < n; i++)
		best = v[i] > v[best] ? i : best;
	return best;
}

/* The wait to show: for the disk, a lock, the network; else what took longest. */
static uint8_t wait_of(const double *v)
{
	size_t best = most(v, KERNEL_N_CAUSES);
	for (size_t i = 0; i < KERNEL_N_CAUSES; i++)
		if (v[i] > 0 && rank_of_cause((uint8_t)i) > rank_of_cause((uint8_t)best))
			best = i;
	return (uint8_t)best;
}

static struct tui_column column_of(struct sums *x, double whole)
{
	double asleep = 0;
	for (uint8_t i = 0; i < KERNEL_N_STATES; i++)
		if (tui_is_asleep(i)) {
			asleep += x->state[i];
			x->state[i] = x->awake > 0 ? 0 : x->state[i];
		}
	uint8_t state = (uint8_t)most(x->state, KERNEL_N_STATES);
	double share = (x->awake > 0 ? x->awake : asleep) / whole;
	return (struct tui_column){ .state = state,
		.cause = state == KERNEL_BLOCKED ? wait_of(x->cause) : KERNEL_NO_CAUSE,
		.share = share < 1 ? share : 1 };
}

void tui_picture_columns(const struct tui_picture *p, size_t from, size_t to, int64_t begin,
	int64_t end, struct tui_column *columns, size_t n)
{
	for (size_t c = 0; c < n; c++) {
		int64_t left = begin + (int64_t)((double)(end - begin) * (double)c / (double)n);
		int64_t right =
			begin + (int64_t)((double)(end - begin) * (double)(c + 1) / (double)n);
		struct sums x = { 0 };
		right = right > left ? right : left + 1;
		for (size_t lane = from; lane < to; lane++) {
			size_t i, last;
			find_spans(p, lane, &i, &last);
			for (i = first_after(p, i, last, left); i < last; i++) {
				struct tui_span s = span_at(p, i);
				if (s.begin >= right)
					break;
				add(&x, &s, left, right);
			}
		}
		columns[c] = column_of(&x, (double)(right - left) * (double)(to - from));
	}
}

/* ---- How states look ---- */

enum tui_style tui_state_style(uint8_t state, uint8_t cause)
{
	switch (state) {
	case KERNEL_RUNNING:
	case KERNEL_USER: return TUI_USER;
	case KERNEL_SYSCALL: return TUI_SYSCALL;
	case KERNEL_THREAD: return TUI_THREAD;
	case KERNEL_INTERRUPTED: return TUI_INTERRUPTED;
	case KERNEL_RUNNABLE: return TUI_RUNNABLE;
	case KERNEL_BLOCKED:
	case KERNEL_STOPPED:
	case KERNEL_NEW: break;
	case KERNEL_DEAD: return TUI_PLAIN;
	default: return TUI_UNKNOWN;
	}
	return cause == KERNEL_DISK			       ? TUI_DISK
	       : cause == KERNEL_NETWORK		       ? TUI_NETWORK
	       : cause == KERNEL_TIMER			       ? TUI_TIMER
	       : cause == KERNEL_FUTEX || cause == KERNEL_PIPE ? TUI_LOCK
							       : TUI_BLOCKED;
}

char tui_state_letter(uint8_t state, uint8_t cause, double share)
{
	static const char awake[KERNEL_N_STATES] = { [KERNEL_RUNNING] = 'U',
		[KERNEL_USER] = 'U',
		[KERNEL_SYSCALL] = 'S',
		[KERNEL_THREAD] = 'K',
		[KERNEL_INTERRUPTED] = 'I',
		[KERNEL_RUNNABLE] = 'R' };
	static const char waits[KERNEL_N_CAUSES] = { [KERNEL_DISK] = 'd',
		[KERNEL_NETWORK] = 'n',
		[KERNEL_TIMER] = 't',
		[KERNEL_FUTEX] = 'l',
		[KERNEL_PIPE] = 'p' };
	if (share <= 0)
		return ' ';
	if (state < KERNEL_N_STATES && awake[state])
		return share < 0.5 ? (char)(awake[state] + 'a' - 'A') : awake[state];
	if (state == KERNEL_BLOCKED)
		return cause < KERNEL_N_CAUSES && waits[cause] ? waits[cause] : '-';
	return state == KERNEL_UNKNOWN ? '?' : state == KERNEL_DEAD ? ' ' : '-';
}

const char *tui_state_words(uint8_t state, uint8_t cause, char *to, size_t size)
{
	static const char *const words[KERNEL_N_STATES] = { "unknown", "running", "user mode",
		"system call", "kernel thread", "interrupted", "runnable", "blocked", "new",
		"stopped", "exited" };
	bool has_cause = cause && cause < KERNEL_N_CAUSES;
	snprintf(to, size, "%s%s%s", state < KERNEL_N_STATES ? words[state] : "unknown",
		has_cause ? ": " : "",
		has_cause ? kernel_cause_name((enum kernel_cause)cause) : "");
	return to;
}
