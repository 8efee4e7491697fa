/* Tables of the program as data trees, an entry for each row. Columns have the types of the
 * program's columns; those without a title are in the metadata only. Cells that are not text have
 * exact numbers, as the protocol's types demand: a DURATION is in ns, a TIMESTAMP in ns since 1970.
 * The metadata has the same numbers, under the program's keys. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "ask/library/api.h"
#include "base/table_write.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

enum { ROWS = 200 };
#define TABLE(word, title, about, ...)                                                             \
	{                                                                                          \
		.id = "meridian." word, .name = title, .help = about, .type = "DATA_TREE",         \
		.tree = tsp_table_tree, __VA_ARGS__                                                \
	}
#define TOP(analysis, title, about)                                                                \
	TABLE("top." analysis, title, about, .asks = { { "top", analysis }, .limit = ROWS })

const struct tsp_output tsp_tables[] = {
	TABLE("summary", "Host load", "Load of each host: CPUs, tasks, interrupts, disks, network",
		.asks = { { "summary" } }),
	TABLE("findings", "Findings",
		"What stands out, the most important first, and the command that shows more of it",
		.asks = { { "summary" } }, .table = "findings"),
	TABLE("requests", "Requests", "Requests of services by kind: how many, how long",
		.asks = { { "requests" }, .limit = ROWS }, .table = "kinds"),
	TABLE("blocked", "Waits", "What tasks waited for, how often and for how long",
		.asks = { { "blocked", "--flat" }, .limit = ROWS }, .table = "waits"),
	TOP("cpu", "CPU usage by thread", "Which threads used most CPU time"),
	TOP("syscall", "Longest system calls", "The system calls that took longest"),
	TOP("io", "Bytes read and written by thread", "Which threads read and wrote most"),
	TOP("disk", "Disks", "Requests to disks: bytes, latency, queues"),
	TOP("net", "Network by thread", "Which threads sent and received most"),
	TOP("sched", "Scheduling latency", "How long threads were runnable after a wake-up"),
	TOP("irq", "Interrupts", "Duration of interrupts, softirqs and timers"),
	TOP("futex", "Locks", "Which locks tasks waited for, and for how long"),
	TABLE("stats", "Statistics", "Which events were recorded, on which host, and how often",
		.asks = { { "stats" }, .limit = ROWS }, .table = "by_name"),
	TABLE("latency", "Latencies between hosts",
		"Messages of each pair of hosts: latency, before and after alignment of clocks; of the whole recording",
		.asks = { { "latency" }, .limit = ROWS }, .table = "latencies", .is_of_all = true),
	{ 0 },
};

/* By column type: its name in the protocol, and a unit for the header, as some viewers show the
 * bare number. */
static const struct {
	const char *type, *unit;
} types[] = {
	[MER_TEXT] = { "STRING", NULL },
	[MER_ID] = { "NUMBER", NULL },
	[MER_COUNT] = { "NUMBER", NULL },
	[MER_BYTES] = { "BINARY_NUMBER", "bytes" },
	[MER_DURATION] = { "DURATION", "ns" },
	[MER_OFFSET] = { "DURATION", "ns" },
	[MER_TIME] = { "TIMESTAMP", NULL },
	[MER_DATE] = { "TIMESTAMP", NULL },
	[MER_HZ] = { "NUMBER", "Hz" },
	[MER_KHZ] = { "NUMBER", "kHz" },
	[MER_MEAN] = { "DURATION", "ns" },
	[MER_RATIO] = { "NUMBER", "%" },
	[MER_REAL] = { "NUMBER", NULL },
	[MER_PPM] = { "NUMBER", "ppm" },
	[MER_RATE] = { "BINARY_NUMBER", "bytes/s" },
	[MER_BAR] = { "NUMBER", NULL },
};

static struct tsp_header header_of(struct tsp *t, const struct mer_column *c)
{
	const char *unit = types[c->type].unit, *name = NULL;
	if (unit && !strstr(c->title, unit)) /* "in guest %" */
		name = mer_arena_printf(&t->arena, "%s (%s)", c->title, unit);
	return (struct tsp_header){ name ? name : c->title, c->key, types[c->type].type };
}

static bool is_number(enum mer_type type, const struct mer_cell *cell)
{
	return cell->set && type != MER_TEXT && (!mer_type_is_real(type) || isfinite(cell->v.f));
}

/* Durations are whole ns in the protocol: means are rounded. */
static const char *label_of(struct tsp *t, enum mer_type type, const struct mer_cell *cell)
{
	if (!is_number(type, cell))
		return cell->set && type == MER_TEXT ? cell->v.text : "";
	if (!mer_type_is_real(type))
		return mer_arena_printf(&t->arena, "%" PRId64, cell->v.i);
	if (type == MER_MEAN)
		return mer_arena_printf(&t->arena, "%lld", llround(cell->v.f));
	return mer_arena_printf(&t->arena, "%.10g", mer_table_real(type, cell));
}

static void put_row(struct tsp *t, const struct mer_table *x, size_t row, const char **labels)
{
	const struct mer_cell *cells = x->cells + row * x->n_columns;
	struct mer_json *j = &t->j;
	size_t n = 0;
	for (size_t i = 0; i < x->n_columns; i++)
		if (x->columns[i].title)
			labels[n++] = label_of(t, x->columns[i].type, &cells[i]);
	tsp_begin_entry(j, (int64_t)row + 1, -1, labels, n, 1, 0, false);
	mer_json_kv_object(j, "metadata");
	for (size_t i = 0; i < x->n_columns; i++) {
		enum mer_type type = x->columns[i].type;
		if (!is_number(type, &cells[i]))
			continue;
		mer_json_kv_array(j, x->columns[i].key);
		if (mer_type_is_real(type))
			tsp_put_real(j, mer_table_real(type, &cells[i]));
		else
			mer_json_int(j, cells[i].v.i);
		mer_json_end_array(j);
	}
	mer_json_end_object(j);
	mer_json_end_object(j);
}

int tsp_table_tree(struct tsp *t, struct mer_err *err)
{
	const struct tsp_output *o = tsp_output_of(t, err);
	const struct mer_experiment *e = tsp_experiment_of(t);
	struct session_window w = tsp_window(t);
	if (!o)
		return err->code;
	struct tsp_question q = o->asks;
	/* The same question for the whole recording, however it is requested. */
	if (!o->is_of_all && (w.begin > e->begin || w.end <= e->end))
		q.window = &w;
	const struct mer_result *r = tsp_ask(t, &q, o->table, err);
	if (!r)
		return err->code;
	const struct mer_table *x = r->table;
	struct tsp_header *headers =
		mer_arena_zalloc(&t->arena, x->n_columns + 1, sizeof(*headers));
	const char **labels = mer_arena_zalloc(&t->arena, x->n_columns + 1, sizeof(*labels));
	size_t n = 0;
	if (!headers || !labels)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < x->n_columns; i++)
		if (x->columns[i].title)
			headers[n++] = header_of(t, &x->columns[i]);
	tsp_begin_tree(&t->j, headers, n, -1);
	for (size_t i = 0; i < x->n_rows; i++)
		put_row(t, x, i, labels);
	tsp_end_tree(&t->j);
	return 0;
}
