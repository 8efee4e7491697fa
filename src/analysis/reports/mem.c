/* Memory: pages and objects of the kernel's heap that threads allocate and free.
 *
 * What happens on a CPU is put down to the thread that has it, interrupts too (in_interrupt_bytes says how
 * much that is). Pages are not followed from one thread to another: who frees what another one has
 * allocated goes below zero. So what a thread holds is told over the least that it held while recorded;
 * that needs all events, also those before the range that is asked for. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/bins.h"
#include "analysis/cells.h"
#include "analysis/reports/mem_objects.h"
#include "analysis/rows.h"

enum { PAGE_BYTES = 4096 };

enum mem_what { MEM_PAGE_ALLOC, MEM_PAGE_FREE, MEM_SLAB_ALLOC, MEM_SLAB_FREE, MEM_N_WHATS };
static const char *const what_names[MEM_N_WHATS] = { "page alloc", "page free", "slab alloc",
	"slab free" };

enum { TOP, CPUS, LOG, STATS, FREQ, BINS };

/* Frees are rows with negative bytes: none is as small as this. */
#define SIZE_UNKNOWN INT64_MIN

struct sums {
	uint64_t n[MEM_N_WHATS];
	int64_t bytes[MEM_N_WHATS]; /* not negative */
	int64_t in_interrupt;	    /* of pages allocated */
};

struct task {
	struct sums sums;
	int64_t level, lowest; /* of pages, since the recording began; lowest: not above 0 */
	int64_t gained;	       /* the most that it rose, from any time to a later one */
	int64_t base;	       /* level when the bins begin */
};

struct row {
	struct analysis_row row;
	int64_t bytes; /* freed: negative; or SIZE_UNKNOWN */
	uint64_t address;
	uint32_t task;
	uint16_t cpu;
	uint8_t what;
	bool in_interrupt;
};

struct state {
	struct task *tasks, nobody;
	size_t cap_tasks;
	struct sums *cpus;
	size_t cap_cpus;
	struct sums host;
	struct analysis_stats sizes[MEM_N_WHATS];
	struct analysis_histogram freq[MEM_N_WHATS];
	uint64_t unknown_frees; /* of objects whose begin is not recorded */
	struct mem_objects objects;
	struct analysis_bins bins;
	struct analysis_series series;	/* by task, plus 1: pages allocated, freed */
	struct analysis_series outside; /* the same between periods: only the level goes by it */
	struct analysis_rows log;
};

/* ---- while reading ---- */

static int begin(struct analysis_host *a)
{
	struct state *s = a->state;
	return analysis_asks(a, BINS) ? analysis_bins_find(a->run, &s->bins, a->err) : 0;
}

static struct task *task_of(struct state *s, uint32_t task)
{
	return task == KERNEL_NONE ? &s->nobody
				   : mer_grow_at(&s->tasks, &s->cap_tasks, task, sizeof(*s->tasks));
}

static void add(struct sums *s, enum mem_what what, int64_t bytes, bool in_interrupt)
{
	s->n[what]++;
	s->bytes[what] += bytes;
	if (what == MEM_PAGE_ALLOC && in_interrupt)
		s->in_interrupt += bytes;
}

static void follow_level(struct task *t, int64_t change, bool is_before_bins)
{
	t->level += change;
	if (t->level < t->lowest)
		t->lowest = t->level;
	if (t->level - t->lowest > t->gained)
		t->gained = t->level - t->lowest;
	if (is_before_bins)
		t->base += change;
}

static int add_bin(struct analysis_host *a, struct state *s, const struct kernel_memory *m)
{
	int64_t bin = analysis_bin_of(&s->bins, m->time);
	int64_t allocated = m->bytes > 0 ? m->bytes : 0, freed = m->bytes < 0 ? -m->bytes : 0;
	uint32_t key = m->task == KERNEL_NONE ? 0 : m->task + 1;
	struct analysis_series *to =
		analysis_is_asked(a->run->options, m->time) ? &s->series : &s->outside;
	if (bin < 0 || analysis_series_add(to, key, (uint32_t)bin, allocated, freed))
		return 0;
	return mer_fail_nomem(a->err);
}

/* What it was, and its size; SIZE_UNKNOWN: of an object that was made before the recording. */
static int look_at(struct analysis_host *a, struct state *s, const struct kernel_memory *m,
	enum mem_what *what, int64_t *bytes)
{
	*bytes = m->bytes < 0 ? -m->bytes : m->bytes;
	if (m->kind == KERNEL_PAGES) {
		*what = m->bytes < 0 ? MEM_PAGE_FREE : MEM_PAGE_ALLOC;
		return 0;
	}
	*what = m->bytes ? MEM_SLAB_ALLOC : MEM_SLAB_FREE;
	if (*what == MEM_SLAB_ALLOC)
		return mem_objects_put(&s->objects, m->address, *bytes) ? 0
									: mer_fail_nomem(a->err);
	*bytes = mem_objects_take(&s->objects, m->address);
	if (*bytes < 0)
		*bytes = SIZE_UNKNOWN;
	return 0;
}

static int add_row(struct analysis_host *a, struct state *s, const struct kernel_memory *m,
	enum mem_what what, int64_t bytes)
{
	bool is_free = what == MEM_PAGE_FREE || what == MEM_SLAB_FREE;
	struct row row = { .row.key = m->time,
		.bytes = is_free && bytes != SIZE_UNKNOWN ? -bytes : bytes,
		.address = m->address,
		.task = m->task,
		.cpu = m->cpu,
		.what = (uint8_t)what,
		.in_interrupt = m->in_interrupt };
	bool ok = analysis_rows_add(&s->log, &row, sizeof(row), a->run->options->limit);
	return ok ? 0 : mer_fail_nomem(a->err);
}

static int on_memory(void *ctx, const struct kernel_host *h, const struct kernel_memory *m)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	enum mem_what what;
	int64_t bytes;
	bool is_page = m->kind == KERNEL_PAGES;
	/* Page faults; and kfree(NULL), which does nothing. */
	if (!is_page && (m->kind != KERNEL_SLAB || (!m->bytes && !m->address)))
		return 0;
	/* Objects are remembered whoever makes them: another one may end them. */
	int rc = look_at(a, s, m, &what, &bytes);
	if (rc || !analysis_wants_task(a, h, m->task) || !analysis_wants_cpu(a, m->cpu))
		return rc;
	struct task *t = task_of(s, m->task);
	struct sums *cpu = mer_grow_at(&s->cpus, &s->cap_cpus, m->cpu, sizeof(*cpu));
	if (!t || !cpu)
		return mer_fail_nomem(a->err);
	if (is_page) {
		follow_level(t, m->bytes, s->bins.n && m->time < s->bins.begin);
		rc = add_bin(a, s, m);
	}
	if (rc || !analysis_is_asked(a->run->options, m->time))
		return rc;
	if (bytes == SIZE_UNKNOWN) {
		s->unknown_frees++;
	} else {
		analysis_stats_add(&s->sizes[what], bytes, m->time);
		s->freq[what].n[analysis_bucket(bytes)]++;
	}
	int64_t known = bytes == SIZE_UNKNOWN ? 0 : bytes;
	add(&t->sums, what, known, m->in_interrupt);
	add(cpu, what, known, m->in_interrupt);
	add(&s->host, what, known, m->in_interrupt);
	return analysis_asks(a, LOG) ? add_row(a, s, m, what, bytes) : 0;
}

static void free_state(void *state)
{
	struct state *s = state;
	free(s->tasks);
	free(s->cpus);
	mem_objects_fini(&s->objects);
	analysis_series_fini(&s->series);
	analysis_series_fini(&s->outside);
	analysis_rows_fini(&s->log);
}

/* ---- tables ---- */

#define SUMS_COLUMNS                                                                               \
	{ "allocated_bytes", "pages allocated", MER_BYTES },                                       \
		{ "freed_bytes", "freed", MER_BYTES }, { "net_bytes", "net", MER_BYTES },          \
		{ "allocated_pages", NULL, MER_COUNT }, { "freed_pages", NULL, MER_COUNT },        \
		{ "in_interrupt_bytes", NULL, MER_BYTES },                                         \
		{ "slab_allocated_bytes", "slab allocated", MER_BYTES },                           \
		{ "slab_freed_bytes", "slab freed", MER_BYTES },                                   \
	{                                                                                          \
		"slab_net_bytes", NULL, MER_BYTES                                                  \
	}
enum { SUMS_CELLS = 9 };

static void sums_cells(const struct sums *s, struct mer_cell *c)
{
	int64_t allocated = s->bytes[MEM_PAGE_ALLOC], freed = s->bytes[MEM_PAGE_FREE];
	c[0] = MER_INT(allocated);
	c[1] = MER_INT(freed);
	c[2] = MER_INT(allocated - freed);
	c[3] = MER_INT(allocated / PAGE_BYTES);
	c[4] = MER_INT(freed / PAGE_BYTES);
	c[5] = MER_INT(s->in_interrupt);
	c[6] = MER_INT(s->bytes[MEM_SLAB_ALLOC]);
	c[7] = MER_INT(s->bytes[MEM_SLAB_FREE]);
	c[8] = MER_INT(s->bytes[MEM_SLAB_ALLOC] - s->bytes[MEM_SLAB_FREE]);
}

static bool is_empty(const struct sums *s)
{
	uint64_t all = 0;
	for (int i = 0; i < MEM_N_WHATS; i++)
		all += s->n[i];
	return all == 0;
}

static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS, SUMS_COLUMNS,
	{ "gained_bytes", "most gained", MER_BYTES }, { 0 } };

static void add_top(struct analysis_run *run, struct mer_table *t, uint32_t host, uint32_t task,
	const struct task *x)
{
	struct mer_cell c[ANALYSIS_TASK_CELLS + SUMS_CELLS + 1];
	if (is_empty(&x->sums))
		return;
	analysis_task_cells(run, host, task, INT64_MAX, c);
	sums_cells(&x->sums, c + ANALYSIS_TASK_CELLS);
	c[ANALYSIS_TASK_CELLS + SUMS_CELLS] = MER_INT(x->gained);
	mer_table_add(t, c);
}

static void emit_top(struct analysis_run *run, struct mer_table *t)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct state *s = run->states[host];
		for (size_t i = 0; i < s->cap_tasks; i++)
			add_top(run, t, host, (uint32_t)i, &s->tasks[i]);
		add_top(run, t, host, KERNEL_NONE, &s->nobody);
	}
}

static const struct mer_column cpus_columns[] = { { "host", "host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, SUMS_COLUMNS, { 0 } };

static void emit_cpus(struct analysis_run *run, struct mer_table *t)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct state *s = run->states[host];
		for (size_t i = 0; i < s->cap_cpus; i++) {
			struct mer_cell c[2 + SUMS_CELLS] = {
				mer_text(analysis_host_name(run, host)), MER_INT(i)
			};
			if (is_empty(&s->cpus[i]))
				continue;
			sums_cells(&s->cpus[i], c + 2);
			mer_table_add(t, c);
		}
	}
}

static const struct mer_column stats_columns[] = { { "host", "host", MER_TEXT },
	{ "name", "what", MER_TEXT }, { "count", "count", MER_COUNT },
	{ "min_bytes", "min", MER_BYTES }, { "max_bytes", "max", MER_BYTES },
	{ "avg_bytes", "avg", MER_BYTES }, { "stddev_bytes", "stddev", MER_BYTES },
	{ "total_bytes", "total", MER_BYTES }, { "unknown", "size unknown", MER_COUNT }, { 0 } };
static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	{ "name", "what", MER_TEXT }, { "begin_bytes", "from", MER_BYTES },
	{ "end_bytes", "to", MER_BYTES }, { "count", "count", MER_COUNT }, { 0 } };

/* Sizes by kind. What has no size that is known is counted beside. */
static void emit_sizes(struct analysis_run *run, bool freq, struct mer_table *t)
{
	enum { NAMES = 2, SIZES = 6 };
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct state *s = run->states[host];
		for (int i = 0; i < MEM_N_WHATS; i++) {
			struct mer_cell all[NAMES + ANALYSIS_STATS_CELLS] = {
				mer_text(analysis_host_name(run, host)), mer_text(what_names[i])
			};
			struct mer_cell c[NAMES + SIZES + 1] = { 0 };
			if (s->host.n[i] == 0)
				continue;
			analysis_stats_cells(&s->sizes[i], all + NAMES);
			memcpy(c, all, (NAMES + SIZES) * sizeof(*c));
			if (i == MEM_SLAB_FREE)
				c[NAMES + SIZES] = MER_INT(s->unknown_frees);
			if (freq)
				analysis_freq_rows(t, c, NAMES, &s->freq[i]);
			else
				mer_table_add(t, c);
		}
	}
}

static const struct mer_column log_columns[] = { { "begin", "time", MER_TIME },
	{ "name", "what", MER_TEXT }, { "bytes", "bytes", MER_BYTES },
	{ "address", NULL, MER_TEXT }, { "in_interrupt", NULL, MER_COUNT },
	{ "cpu", "CPU", MER_ID }, ANALYSIS_TASK_COLUMNS, { 0 } };

static const struct analysis_rows *log_of(const void *state)
{
	return &((const struct state *)state)->log;
}

static int emit_log(struct analysis_run *run, struct mer_table *t)
{
	size_t n;
	struct analysis_row_of *rows =
		analysis_rows_join(run, log_of, sizeof(struct row), &n, &t->n_left_out);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++) {
		const struct row *r = rows[i].row;
		struct mer_cell c[6 + ANALYSIS_TASK_CELLS] = { MER_INT(r->row.key),
			mer_text(what_names[r->what]) };
		if (r->bytes != SIZE_UNKNOWN)
			c[2] = MER_INT(r->bytes);
		if (r->address)
			c[3] = mer_text(mer_arena_printf(
				t->arena, "0x%llx", (unsigned long long)r->address));
		c[4] = MER_INT(r->in_interrupt);
		c[5] = MER_INT(r->cpu);
		analysis_task_cells(run, rows[i].host, r->task, r->row.key, c + 6);
		mer_table_add(t, c);
	}
	free(rows);
	return 0;
}

/* ---- bins: all of a host, then each thread where it changes; what is of no known thread too ---- */

static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "of", "scope", MER_TEXT }, ANALYSIS_TASK_COLUMNS,
	{ "allocated_bytes", "allocated", MER_BYTES }, { "freed_bytes", "freed", MER_BYTES },
	{ "held_bytes", "held", MER_BYTES }, { 0 } };

struct bin {
	int64_t allocated, freed, outside; /* outside: how the level changed between periods */
};

static void add_bin_row(struct analysis_run *run, struct mer_table *t, uint32_t host,
	const char *of, uint32_t task, uint32_t bin, const struct bin *x, int64_t held)
{
	const struct analysis_bins *b = &((const struct state *)run->states[host])->bins;
	enum { MORE = 3 + ANALYSIS_TASK_CELLS };
	struct mer_cell c[MORE + 3] = { MER_INT(analysis_bin_edge(b, bin)),
		MER_INT(analysis_bin_edge(b, bin + 1)), mer_text(of) };
	analysis_task_cells(run, host, task, INT64_MAX, c + 3);
	c[MORE] = MER_INT(x->allocated);
	c[MORE + 1] = MER_INT(x->freed);
	c[MORE + 2] = MER_INT(held);
	mer_table_add(t, c);
}

static void emit_task_bins(struct analysis_run *run, struct mer_table *t, uint32_t host)
{
	const struct state *s = run->states[host];
	uint32_t key = UINT32_MAX;
	int64_t held = 0;
	for (size_t i = 0, k = 0; i < s->series.n; i++) {
		const struct analysis_series_entry *e = &s->series.entries[i];
		const struct task *x = e->key ? &s->tasks[e->key - 1] : &s->nobody;
		if (e->key != key)
			held = x->base - x->lowest;
		key = e->key;
		held += e->a - e->b;
		for (; k < s->outside.n; k++) {
			const struct analysis_series_entry *o = &s->outside.entries[k];
			if (o->key > key || (o->key == key && o->bin > e->bin))
				break;
			held += o->key == key ? o->a - o->b : 0;
		}
		struct bin bin = { e->a, e->b, 0 };
		add_bin_row(
			run, t, host, "thread", key ? key - 1 : KERNEL_NONE, e->bin, &bin, held);
	}
}

static int emit_bins(struct analysis_run *run, struct mer_table *t)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		struct state *s = run->states[host];
		if (s->bins.n == 0 || s->host.n[MEM_PAGE_ALLOC] + s->host.n[MEM_PAGE_FREE] == 0)
			continue;
		struct bin *bins = calloc(s->bins.n, sizeof(*bins));
		if (!bins)
			return mer_fail_nomem(run->err);
		analysis_series_sort(&s->series);
		analysis_series_sort(&s->outside);
		for (size_t i = 0; i < s->series.n; i++) {
			const struct analysis_series_entry *e = &s->series.entries[i];
			bins[e->bin].allocated += e->a;
			bins[e->bin].freed += e->b;
		}
		for (size_t i = 0; i < s->outside.n; i++) {
			const struct analysis_series_entry *e = &s->outside.entries[i];
			bins[e->bin].outside += e->a - e->b;
		}
		int64_t held = s->nobody.base - s->nobody.lowest;
		for (size_t i = 0; i < s->cap_tasks; i++)
			held += s->tasks[i].base - s->tasks[i].lowest;
		for (uint32_t i = 0; i < s->bins.n; i++) {
			held += bins[i].allocated - bins[i].freed + bins[i].outside;
			add_bin_row(run, t, host, "host", KERNEL_NONE, i, &bins[i], held);
		}
		free(bins);
		emit_task_bins(run, t, host);
	}
	return 0;
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	switch (output) {
	case TOP: emit_top(run, t); return 0;
	case CPUS: emit_cpus(run, t); return 0;
	case LOG: return emit_log(run, t);
	case STATS:
	case FREQ: emit_sizes(run, output == FREQ, t); return 0;
	default: return emit_bins(run, t);
	}
}

static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Memory by thread", top_columns, .sort = "allocated_bytes" },
	[CPUS] = { "cpus", "Memory by CPU", cpus_columns, .sort = NULL },
	[LOG] = { "log", "Allocations", log_columns, .sort = NULL },
	[STATS] = { "stats", "Sizes of allocations by kind", stats_columns, .sort = NULL },
	[FREQ] = { "freq", "Sizes of allocations", freq_columns, .sort = NULL },
	[BINS] = { "bins", "Memory over time", bins_columns, .sort = NULL },
	{ 0 },
};

static const struct analysis_chart charts[] = {
	{ .title = "Pages held",
		.y = "above the minimum",
		.of = "host",
		.keys = "held_bytes",
		.lines = true },
	{ .title = "Pages allocated by thread",
		.y = "allocated",
		.of = "thread",
		.keys = "allocated_bytes",
		.per = "time" },
	{ .title = "Pages freed by thread",
		.y = "freed",
		.of = "thread",
		.keys = "freed_bytes",
		.per = "time" },
	{ 0 },
};

const struct analysis analysis_mem = {
	.id = "mem",
	.title = "Memory",
	.help = "pages and kernel objects allocated and freed",
	.wants = KERNEL_WANT_MEMORY,
	.outputs = outputs,
	.worth = "net_bytes allocated_bytes freed_bytes gained_bytes total_bytes count",
	.charts = charts,
	.state_size = sizeof(struct state),
	.on = { .memory = on_memory },
	.begin = begin,
	.emit = emit,
	.free_state = free_state,
};
