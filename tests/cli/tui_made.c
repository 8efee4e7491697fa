#include "tui_made.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* ---- Lanes ---- */

struct made_span { /* in us */
	uint32_t begin, end, task;
	uint8_t state, cause;
};
struct made_lane {
	const char *name;
	struct made_span spans[8];
};

/* Numbers of tasks: 1 srv/10, 2 srv/11, 3 job/20, 1 (of b) evil/30. srv/10 waits for the network
 * from 2 to 6 ms. */
static const struct made_lane lanes[] = {
	{ "c:0:0", { { 0, 2000, 1, KERNEL_USER, 0 }, { 6000, 8000, 1, KERNEL_SYSCALL, 0 },
			   { 8000, 10000, 3, KERNEL_USER, 0 } } },
	{ "c:0:1", { { 1000, 9000, 2, KERNEL_USER, 0 } } },
	{ "c:1:0", { { 3000, 5000, 1, KERNEL_USER, 0 } } },
	{ "t:0:1", { { 0, 2000, UINT32_MAX, KERNEL_USER, 0 },
			   { 2000, 6000, UINT32_MAX, KERNEL_BLOCKED, KERNEL_NETWORK },
			   { 6000, 8000, UINT32_MAX, KERNEL_SYSCALL, 0 },
			   { 8000, 10000, UINT32_MAX, KERNEL_BLOCKED, KERNEL_TIMER } } },
	{ "t:0:2", { { 1000, 9000, UINT32_MAX, KERNEL_USER, 0 } } },
	{ "t:0:3", { { 0, 8000, UINT32_MAX, KERNEL_RUNNABLE, 0 },
			   { 8000, 10000, UINT32_MAX, KERNEL_USER, 0 } } },
	{ "t:1:1", { { 0, 3000, UINT32_MAX, KERNEL_UNKNOWN, 0 },
			   { 3000, 5000, UINT32_MAX, KERNEL_USER, 0 },
			   { 5000, 10000, UINT32_MAX, KERNEL_BLOCKED, KERNEL_DISK } } },
};

static void put_u32(struct mer_str *out, uint32_t v)
{
	v = htole32(v);
	mer_str_add(out, (const char *)&v, sizeof(v));
}
static void put_i64(struct mer_str *out, int64_t v)
{
	uint64_t u = htole64((uint64_t)v);
	mer_str_add(out, (const char *)&u, sizeof(u));
}

static int64_t number_of(const char *target, const char *key)
{
	const char *at = strstr(target, key);
	return at ? strtoll(at + strlen(key), NULL, 10) : 0;
}

/* Those whose names are asked for, cut to the window, as the server does it. */
static void put_lanes(const char *target, struct mer_str *out)
{
	struct made_span spans[200];
	uint32_t first[100] = { 0 };
	size_t n = 0, n_lanes = 0;
	int64_t begin = number_of(target, "begin="), end = number_of(target, "end=");
	const char *list = strstr(target, "lanes=");
	while ((list = strpbrk(list, "ct"))) {
		char name[16];
		unsigned host, number;
		int len = 0;
		if (sscanf(list + 1, "%%3A%u%%3A%u%n", &host, &number, &len) != 2 || !len) {
			list++;
			continue;
		}
		snprintf(name, sizeof(name), "%c:%u:%u", *list, host, number);
		list += len;
		for (size_t i = 0; i < sizeof(lanes) / sizeof(*lanes); i++)
			for (size_t k = 0; strcmp(lanes[i].name, name) == 0 && k < 8; k++) {
				struct made_span s = lanes[i].spans[k];
				int64_t b = MADE_BEGIN + 1000 * (int64_t)s.begin;
				int64_t e = MADE_BEGIN + 1000 * (int64_t)s.end;
				b = b < begin ? begin : b;
				e = e > end ? end : e;
				s.begin = (uint32_t)(b - begin);
				s.end = (uint32_t)(e - begin);
				if (lanes[i].spans[k].end && b < e)
					spans[n++] = s;
			}
		first[++n_lanes] = (uint32_t)n;
	}
	mer_str_puts(out, "MLN1");
	put_u32(out, (uint32_t)n_lanes);
	put_u32(out, (uint32_t)n);
	put_u32(out, 0);
	put_i64(out, begin);
	put_i64(out, 1);
	for (size_t i = 0; i <= n_lanes; i++)
		put_u32(out, first[i]);
	for (size_t i = 0; i < n; i++)
		put_u32(out, spans[i].begin);
	for (size_t i = 0; i < n; i++)
		put_u32(out, spans[i].end);
	for (size_t i = 0; i < n; i++)
		put_u32(out, spans[i].task);
	for (size_t i = 0; i < n; i++)
		mer_str_putc(out, (char)spans[i].state);
	for (size_t i = 0; i < n; i++)
		mer_str_putc(out, (char)spans[i].cause);
	for (size_t i = 0; i < n; i++)
		mer_str_putc(out, (char)255);
}

/* ---- Tables ---- */

/* A line with the id of the table and, for people, its title; its columns, key:type or
 * key:type:title; rows. "-" is unknown. Times are ns since MADE_BEGIN. */
#define SEGMENTS                                                                                   \
	"segments\n"                                                                               \
	"begin:time:begin|end:time:end|host:text:host|tid:id:tid|comm:text:comm|state:text:state|" \
	"cause:text:cause|detail:text:detail\n"

static const struct {
	const char *words; /* how they begin */
	const char *tables[5];
	int64_t begin, end; /* ns since MADE_BEGIN */
} answers[] = {
	{ .words = "all tasks",
		.tables = { "hosts\nhost:text\na\nb\n", "cpus\nrow:id|cpu:id\n1|0\n1|1\n2|0\n",
			"tasks\nrow:id|task:id|tid:id|pid:id|comm:text|begin:time|end:time\n"
			"1|1|10|10|srv|0|9999999\n"
			"1|2|11|10|srv-io|0|9999999\n"
			"1|3|20|20|job|0|9999999\n"
			"1|4|21|21|idler|0|9999999\n"
			"2|1|30|30|evil\x1b[2J\xc2\x9b\xe2\x80\xae\xe4\xb8\xad|0|9999999\n" },
		.end = MADE_NS - 1 },
	{ .words = "top cpu --limit 0 ",
		.tables = { "top\nhost:text|tid:id|self_ns:duration\n"
			    "a|10|4000000\na|11|8000000\na|20|2000000\nb|30|2000000\n" } },
	{ .words = "top disk ",
		.tables = { "bins\nhost:text|disk:text|begin:time|in_flight:real|queued:real\n"
			    "a|vda|5000000|0.9|0\n" } },
	{ .words = "stats --limit 0 ",
		.tables = { "losses\nhost:text|path:text|begin:time|end:time\n"
			    "b|b/ch_0|6000000|7000000\n",
			"by_stream\nhost:text|path:text|cpu:id\nb|b/ch_0|0\n" } },
	{ .words = "summary ",
		.tables = { "findings|Findings\nrule:text|host:text:host|finding:text:finding|next:text\n"
			    "network-latency|a|tasks waited 4.00 ms for packets in flight|meridian latency 'my trace'\n"
			    "x|-|clocks are as recorded|meridian sync 'my trace'\n",
			"hosts|Host load\nhost:text:host|cpus:count:CPUs|cpu_percent:ratio:busy\n"
			"a|2|0.7025\nb|1|0.2\n",
			"waits|Waits by cause\n"
			"cause:text:cause|host:text:host|max_ns:duration:longest|tid:id|max_at:time\n"
			"network|a|4000000|10|2000000\n" } },
	/* job/20 is runnable behind who has CPU 1. */
	{ .words = "path --tid 20 ",
		.tables = { "path\ntotal_ns:duration\n8000000\n",
			SEGMENTS "0|500000|a|20|job|user|running|no task/10\n"
				 "500000|8000000|a|20|job|runnable|preempted|srv-io/11\n" },
		.end = 8000000 },
	{ .words = "path ",
		.tables = { "path\ntotal_ns:duration\n4000000\n",
			SEGMENTS "2000000|3000000|a|10|srv|blocked|network|-\n"
				 "3000000|5000000|b|30|evil|user|running|-\n"
				 "5000000|6000000|a|-|-|blocked|network|-\n",
			"by_task\nhost:text:host|tid:id:tid|comm:text:comm|total_ns:duration:total\n"
			"b|30|evil|2000000\n",
			"links\nfrom_host:text|from_tid:id|from_time:time|to_host:text|to_tid:id|"
			"to_time:time|kind:text\n"
			"b|30|5000000|a|10|6000000|network\n" },
		.begin = 2000000,
		.end = 6000000 },
	/* Nothing is known of CPU 1 of a, but what its lane says. */
	{ .words = "top cpu --table cpus ",
		.tables = { "cpus\nhost:text|cpu:id|idle_ns:duration|task_ns:duration\n"
			    "a|0|1|1\na|1|0|0\nb|0|1|0\n" } },
	{ .words = "log cpu ",
		.tables = { "log|Time slices on a CPU\n"
			    "begin:time:begin|duration_ns:duration:duration|host:text:host|tid:id:tid\n"
			    "6000000|2000000|a|10\n" } },
	{ .words = "top cpu ",
		.tables = { "top|CPU usage by thread\n"
			    "host:text:host|tid:id:tid|comm:text:comm|self_ns:duration:time|percent:ratio:%\n"
			    "a|11|srv-io|8000000|0.8\na|10|srv|4000000|0.405\nb|30|evil\x1b[2J|2000000|-\n" } },
};

/* Cuts the text at the first of these characters; the rest, or "". */
static char *cut(char *text, char at)
{
	char *end = strchr(text, at);
	if (!end)
		return text + strlen(text);
	*end = '\0';
	return end + 1;
}

static enum mer_type type_of(const char *name)
{
	static const struct {
		const char *name;
		enum mer_type type;
	} types[] = { { "text", MER_TEXT }, { "id", MER_ID }, { "count", MER_COUNT },
		{ "duration", MER_DURATION }, { "time", MER_DATE }, { "ratio", MER_RATIO },
		{ "real", MER_REAL } };
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(name, types[i].name) == 0)
			return types[i].type;
	abort();
}

static struct mer_cell cell_of(enum mer_type type, const char *text)
{
	return strcmp(text, "-") == 0 ? MER_NONE
	       : type == MER_TEXT     ? mer_text(text)
	       : mer_type_is_real(type)
		       ? MER_REAL_CELL(strtod(text, NULL))
		       : MER_INT(strtoll(text, NULL, 10) + (type == MER_DATE ? MADE_BEGIN : 0));
}

static void add_table(struct answer *a, const char *made)
{
	enum { MOST = 10 };
	char *rest = mer_arena_strdup(&a->arena, made);
	char *id = rest, *heads = cut(id, '\n'), *row = cut(heads, '\n'), *title = cut(id, '|');
	struct mer_column *columns = mer_arena_zalloc(&a->arena, MOST, sizeof(*columns));
	for (size_t c = 0; *heads; c++) {
		char *key = heads;
		heads = cut(key, '|');
		char *type = cut(key, ':'), *name = cut(type, ':');
		columns[c] = (struct mer_column){ key, *name ? name : NULL, type_of(type) };
	}
	struct mer_table *t = answer_add(a, id, *title ? title : NULL, columns);
	while (*row) {
		struct mer_cell cells[MOST];
		char *next = cut(row, '\n');
		for (size_t c = 0; c < t->n_columns; c++) {
			char *cell = row;
			row = cut(cell, '|');
			cells[c] = cell_of(columns[c].type, cell);
		}
		mer_table_add(t, cells);
		row = next;
	}
}

/* ---- The source ---- */

static void add_diagnostics(struct answer *a)
{
	mer_diag_add(&a->taken, &(struct mer_diag){ MER_WARNING, .code = "x", .host = "b" },
		"the tracer discarded 7 events");
	mer_diag_add(&a->taken, &(struct mer_diag){ MER_NOTE, .code = "y", .host = "b" },
		"not of interest");
}

static void answer_with(struct answer *a, size_t which)
{
	static const struct session_synced synced = { .reference = "a" };
	answer_init(a, NULL);
	for (size_t i = 0; answers[which].tables[i]; i++)
		add_table(a, answers[which].tables[i]);
	a->begin = MADE_BEGIN + answers[which].begin;
	a->end = MADE_BEGIN + answers[which].end;
	a->synced = &synced;
	mer_diags_init(&a->taken, &a->arena);
	a->found = &a->taken;
	add_diagnostics(a);
}

static void ask(void *ctx, const struct tui_words *words, const char *target, struct tui_answer *a)
{
	struct made *m = ctx;
	struct mer_str line = { 0 };
	mer_str_puts(&line, target ? target : words ? "" : "all tasks");
	for (size_t i = 0; words && i < words->n; i++)
		mer_str_printf(&line, "%s ", words->at[i]);
	char *asked = m->asked[m->n_asked++ % 64];
	snprintf(asked, sizeof(m->asked[0]), "%s", line.data);
	mer_str_fini(&line);
	a->asked = m->gives_up ? TUI_GIVEN_UP : target ? TUI_ANSWERED : TUI_REFUSED;
	if (a->asked == TUI_ANSWERED)
		put_lanes(target, &a->bytes);
	if (a->asked != TUI_REFUSED)
		return;
	mer_fail(&a->why, MER_ERR_USAGE, "no such table in this made recording");
	if (m->refuses && strncmp(asked, m->refuses, strlen(m->refuses)) == 0)
		return;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers) && !a->tables; i++)
		if (strncmp(asked, answers[i].words, strlen(answers[i].words)) == 0) {
			*a = (struct tui_answer){ .asked = TUI_ANSWERED,
				.tables = calloc(1, sizeof(*a->tables)) };
			answer_with(a->tables, i);
		}
}

struct tui_source made_source(struct made *m)
{
	return (struct tui_source){ ask, m };
}

bool made_was_asked(const struct made *m, const char *begin)
{
	for (size_t i = 0; i < m->n_asked && i < 64; i++)
		if (strncmp(m->asked[i], begin, strlen(begin)) == 0)
			return true;
	return false;
}
