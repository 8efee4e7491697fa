/* A grid or ring explains on each of its edges as many messages as its edge with the fewest has;
 * none if an edge is missing. A master explains all messages from and to its rank, and would take
 * them from any other pattern: so it is tried after the others, unless it explains everything. */
#include "mpi/pattern.h"

#include <stdlib.h>

enum kind { RING_UP, RING_DOWN, RING_BOTH, LINE, GRID, TORUS, ALL, MASTER };

struct shape {
	enum kind kind;
	uint32_t x, y, z; /* of grids; x: the master */
};

struct found {
	struct shape shape;
	uint64_t messages, each;
};

/* The k-th neighbour of rank i, k below 6; n: none. */
static uint32_t neighbour(const struct shape *s, uint32_t n, uint32_t i, uint32_t k)
{
	uint32_t size[3] = { s->x, s->y, s->z }, step[3] = { 1, s->x, s->x * s->y };
	uint32_t axis = k / 2, at = i / step[axis] % size[axis], last = size[axis] - 1;
	bool wraps = s->kind == TORUS;
	if (size[axis] < 2 || (size[axis] == 2 && (wraps ? k & 1 : false)))
		return n; /* with two ranks in a dimension, both neighbours are the same rank */
	if (k & 1)
		return at ? i - step[axis] : wraps ? i + last * step[axis] : n;
	return at < last ? i + step[axis] : wraps ? i - last * step[axis] : n;
}

/* The k-th rank that rank i sends to in this shape; n: none. */
static uint32_t target(const struct shape *s, uint32_t n, uint32_t i, uint32_t k)
{
	switch (s->kind) {
	case RING_UP: return k == 0 ? (i + 1) % n : n;
	case RING_DOWN: return k == 0 ? (i + n - 1) % n : n;
	case RING_BOTH: return k == 0 ? (i + 1) % n : k == 1 ? (i + n - 1) % n : n;
	case LINE: return k == 0 ? i + 1 : k == 1 && i ? i - 1 : n;
	case ALL: return k == i ? n : k;
	default: return neighbour(s, n, i, k);
	}
}

static uint32_t most_targets(const struct shape *s, uint32_t n)
{
	return s->kind == ALL ? n : s->kind >= GRID ? 6 : 2;
}

static void measure(struct found *f, uint32_t n, const uint64_t *counts)
{
	uint64_t least = UINT64_MAX, edges = 0;
	for (uint32_t i = 0; i < n && least; i++)
		for (uint32_t k = 0; k < most_targets(&f->shape, n); k++) {
			uint32_t to = target(&f->shape, n, i, k);
			if (to >= n)
				continue;
			edges++;
			if (counts[(size_t)i * n + to] < least)
				least = counts[(size_t)i * n + to];
		}
	f->each = edges ? least : 0;
	f->messages = edges && least ? least * edges : 0;
}

static void measure_master(struct found *f, uint32_t n, const uint64_t *counts)
{
	uint32_t workers = 0, m = f->shape.x;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t both = counts[(size_t)m * n + i] + counts[(size_t)i * n + m];
		workers += i != m && counts[(size_t)m * n + i] && counts[(size_t)i * n + m];
		f->messages += i != m ? both : 0;
	}
	if (workers < 2 || workers + 1 < n)
		f->messages = 0;
}

static void try_shape(struct found *best, struct shape s, uint32_t n, const uint64_t *counts)
{
	struct found f = { .shape = s };
	if (s.kind == MASTER)
		measure_master(&f, n, counts);
	else
		measure(&f, n, counts);
	if (f.messages > best->messages)
		*best = f;
}

static void try_grids(struct found *best, uint32_t n, const uint64_t *counts)
{
	for (uint32_t z = 1; z <= n; z++)
		for (uint32_t y = 2; n % z == 0 && y <= n / z; y++) {
			uint32_t x = n / z / y;
			if (n / z % y || x < 2)
				continue;
			try_shape(best, (struct shape){ GRID, x, y, z }, n, counts);
			try_shape(best, (struct shape){ TORUS, x, y, z }, n, counts);
		}
}

static struct found find_best(uint32_t n, const uint64_t *counts, uint64_t left)
{
	struct found best = { 0 }, master = { 0 };
	if (n > 2) {
		try_shape(&best, (struct shape){ .kind = ALL }, n, counts);
		try_shape(&best, (struct shape){ .kind = RING_UP }, n, counts);
		try_shape(&best, (struct shape){ .kind = RING_DOWN }, n, counts);
		try_shape(&best, (struct shape){ .kind = RING_BOTH }, n, counts);
	}
	try_shape(&best, (struct shape){ .kind = LINE }, n, counts);
	try_grids(&best, n, counts);
	for (uint32_t m = 0; m < n && n > 2; m++)
		try_shape(&master, (struct shape){ .kind = MASTER, .x = m }, n, counts);
	bool is_all = master.messages == left && best.messages < left;
	return is_all || best.messages < left / 20 ? master : best;
}

static void take_out(const struct found *f, uint32_t n, uint64_t *counts)
{
	for (uint32_t i = 0; i < n && f->shape.kind == MASTER; i++)
		if (i != f->shape.x)
			counts[(size_t)f->shape.x * n + i] = counts[(size_t)i * n + f->shape.x] = 0;
	for (uint32_t i = 0; i < n && f->shape.kind != MASTER; i++)
		for (uint32_t k = 0; k < most_targets(&f->shape, n); k++) {
			uint32_t to = target(&f->shape, n, i, k);
			if (to < n)
				counts[(size_t)i * n + to] -= f->each;
		}
}

static void add_words(struct mer_str *out, const struct shape *s, uint32_t n)
{
	const char *way = s->kind == TORUS ? "periodic " : "";
	switch (s->kind) {
	case RING_UP:
	case RING_DOWN: mer_str_puts(out, "ring"); break;
	case RING_BOTH: mer_str_puts(out, "periodic halo 1-D"); break;
	case LINE: mer_str_puts(out, n == 2 ? "pair" : "halo 1-D"); break;
	case ALL: mer_str_puts(out, "all-to-all"); break;
	case MASTER: mer_str_printf(out, "master-worker (%u)", s->x); break;
	default:
		if (s->z > 1)
			mer_str_printf(out, "%shalo 3-D (%u x %u x %u)", way, s->x, s->y, s->z);
		else
			mer_str_printf(out, "%shalo 2-D (%u x %u)", way, s->x, s->y);
	}
}

static uint64_t sum_of(const uint64_t *counts, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += counts[i];
	return sum;
}

static void add_percent(struct mer_str *out, uint64_t part, uint64_t all)
{
	if (part < all)
		mer_str_printf(out, " %.0f %%", 100.0 * (double)part / (double)all);
}

int mpi_pattern(uint32_t n, uint64_t *counts, struct mer_str *words, struct mer_err *err)
{
	enum { PATTERNS = 3 };
	size_t cells = (size_t)n * n;
	uint64_t all = sum_of(counts, cells), left = all;
	for (unsigned i = 0; i < PATTERNS && left && n > 1; i++) {
		struct found f = find_best(n, counts, left);
		if (f.messages < all / 20 || f.messages == 0)
			break;
		mer_str_puts(words, i ? ", " : "");
		add_words(words, &f.shape, n);
		add_percent(words, f.messages, all);
		take_out(&f, n, counts);
		left -= f.messages;
	}
	if (left && left == all)
		mer_str_puts(words, "irregular");
	else if (left) {
		mer_str_puts(words, ", other");
		add_percent(words, left, all);
	}
	return words->data || !all ? 0 : mer_fail_nomem(err);
}
