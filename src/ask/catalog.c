#include "ask/catalog.h"

#include <string.h>

#include "ask/library/api.h"
#include "analysis/summary/summary.h"
#include "base/err.h"
#include "session/choice.h"

/* ---- Questions ---- */

enum { ROWS = 1000 }; /* of tables that may be long */

static const struct ask_question fixed[] = {
	{ .title = "Waits: what tasks waited for",
		.verb = "blocked",
		.option = "--flat",
		.lists = { "waits" },
		.in_menu = true },
	{ .title = "Requests of services, by kind", .verb = "requests", .in_menu = true },
	{ .title = "Requests, the slowest first",
		.verb = "requests",
		.option = "--list",
		.limit = 500,
		.in_menu = true },
	{ .title = "Why slow requests are slow", .verb = "requests", .option = "--explain" },
	{ .title = "Critical path of a task",
		.verb = "path",
		.lists = { "by_task", "segments", "by_cause" },
		.about = ASK_ABOUT_TASK },
	{ .title = "Relations: who gave what to whom",
		.verb = "graph",
		.limit = ROWS,
		.in_menu = true },
	{ .title = "State of everything at the cursor",
		.verb = "state",
		.about = ASK_ABOUT_INSTANT,
		.in_menu = true },
	{ .title = "Clocks: how they were aligned",
		.verb = "sync",
		.lists = { "hosts" },
		.about = ASK_ABOUT_ALL,
		.in_menu = true },
	{ .title = "Latencies of messages of hosts",
		.verb = "latency",
		.lists = { "latencies" },
		.about = ASK_ABOUT_ALL,
		.in_menu = true },
	{ .title = "Events counted: names, hosts, streams",
		.verb = "stats",
		.lists = { "by_name", "by_host", "by_stream" },
		.in_menu = true },
	{ .title = "Events, the first 1000",
		.verb = "events",
		.limit = ROWS,
		.lists = { "events" },
		.has_filter = true,
		.in_menu = true },
	{ .title = "What stands out", .verb = "summary" },
	{ .title = "Are the traces sound, and what do they allow",
		.verb = "check",
		.about = ASK_ABOUT_ALL },
};
enum { N_FIXED = sizeof(fixed) / sizeof(*fixed) };

/* The verb that prints an output; NULL: none does by its name. */
static const char *verb_of(const struct analysis_output *o)
{
	return session_is_table_of(o, "bins") || strcmp(o->id, "map") == 0 ? NULL
	       : session_is_table_of(o, "freq")				   ? "freq"
	       : strcmp(o->id, "log") == 0				   ? "log"
	       : session_is_table_of(o, "stats")			   ? "stats"
									   : "top";
}

static struct ask_question of_output(const struct analysis *a, unsigned i, uint32_t filters)
{
	const struct analysis_output *o = &a->outputs[i];
	const char *verb = verb_of(o);
	bool is_histogram = verb && strcmp(verb, "freq") == 0;
	/* Those about periods and views need more words: two events, or a view. */
	bool in_menu = verb && o->title && !is_histogram && !a->of_periods && !a->of_views;
	return (struct ask_question){ .title = o->title,
		.verb = verb,
		.analysis = a,
		.output = i,
		.table = verb && strcmp(o->id, verb) != 0 ? o->id : NULL,
		.limit = is_histogram ? 0 : ROWS, /* its rows belong together */
		.has_filter = filters >> i & 1,
		.in_menu = in_menu };
}

const struct ask_question *ask_questions(struct mer_arena *arena, size_t *n)
{
	size_t most = N_FIXED;
	for (size_t i = 0; analyses[i]; i++)
		for (size_t k = 0; analyses[i]->outputs[k].id; k++)
			most++;
	struct ask_question *all = mer_arena_zalloc(arena, most, sizeof(*all));
	*n = 0;
	if (!all)
		return NULL;
	for (; *n < N_FIXED; ++*n)
		all[*n] = fixed[*n];
	for (size_t i = 0; analyses[i]; i++) {
		uint32_t filters = session_choice_tables(analyses[i], SESSION_CHOICE_FILTER);
		for (unsigned k = 0; analyses[i]->outputs[k].id; k++)
			all[(*n)++] = of_output(analyses[i], k, filters);
	}
	return all;
}

void ask_question_words(const struct ask_question *q, struct mer_str *out)
{
	mer_str_puts(out, q->verb);
	if (q->analysis)
		mer_str_printf(out, " %s", q->analysis->id);
	if (q->table)
		mer_str_printf(out, " --table %s", q->table);
	if (q->option)
		mer_str_printf(out, " %s", q->option);
}

/* ---- Topics ---- */

enum { CPU_ROWS = 200, CPU_BINS = 150, FEW = 60 }; /* of a report */

static const char of_task[] = "{host} {comm}{/tid}", of_disk[] = "{host} {disk}",
		  of_interface[] = "{host} {interface}", of_source[] = "{host} {kind} {name|nr}";
#define VCPU(column, what)                                                                         \
	{                                                                                          \
		what ", % of the time of vCPUs", column, MER_RATIO, of_task, "vCPU", ASK_CURVE_SUM \
	}

const struct ask_topic ask_topics[] = {
	{ "cpu", "CPU", CPU_ROWS, CPU_BINS, NULL,
		{ "top cpu", "top cpu --table processes", "top cpu --table cpus" },
		{ { "busy, % of the host's CPUs", "percent", MER_RATIO, "{host}", "host",
			ASK_CURVE_GAPS } } },
	{ "sched", "Scheduling", FEW, FEW, "{host}", { "top sched", "stats sched", "top rates" },
		{ { "latency that half do not exceed", "p50_ns", MER_DURATION, "{host}", NULL, 0 },
			{ "latency that 99 % do not exceed", "p99_ns", MER_DURATION, "{host}", NULL,
				0 } } },
	{ "disk", "Disks", FEW, FEW, "{host} {disk} {name}", { "top disk", "log disk" },
		{ { "requests in flight", "in_flight", MER_REAL, of_disk, NULL, 0 },
			{ "read", "read_bytes_per_s", MER_RATE, of_disk, NULL, 0 },
			{ "written", "write_bytes_per_s", MER_RATE, of_disk, NULL, 0 } } },
	{ "net", "Network", FEW, FEW, "{from_host} \xe2\x86\x92 {to_host}",
		{ "top net", "top net --table interfaces", "top net --table sockets", "log net" },
		{ { "sent", "sent_bytes_per_s", MER_RATE, of_interface, NULL, 0 },
			{ "received", "received_bytes_per_s", MER_RATE, of_interface, NULL, 0 } } },
	{ "io", "Files", FEW, FEW, "{host} {name}", { "top io", "log io" },
		{ { "read, of threads", "read_bytes", MER_RATE, of_task, NULL, ASK_CURVE_SUM },
			{ "written, of threads", "written_bytes", MER_RATE, of_task, NULL,
				ASK_CURVE_SUM } } },
	{ "syscall", "Calls", FEW, FEW, "{name}", { "stats syscall", "top syscall" },
		{ { "99 % took at most", "p99_ns", MER_DURATION, "{host} {name}", NULL, 0 } } },
	{ "irq", "Interrupts", FEW, FEW, of_source, { "stats irq", "top irq" },
		{ { "in handlers, % of one CPU", "total_ns", MER_RATIO, of_source, NULL,
			  ASK_CURVE_SUM },
			{ "99 % took at most", "p99_ns", MER_DURATION, of_source, NULL, 0 } } },
	{ "futex", "Locks", FEW, FEW, "{host}", { "top futex", "log futex" }, { { 0 } } },
	{ "mem", "Memory", FEW, FEW, NULL, { "top mem", "top faults" },
		{ { "allocated and not yet freed", "held_bytes", MER_BYTES, "{host}", "host",
			0 } } },
	{ "servers", "Servers", 0, 0, NULL, { "top servers" }, { { 0 } } },
	{ "rates", "Rates", 0, 0, NULL, { "top rates" },
		{ { "context switches per second", "switches_per_s", MER_COUNT, "{host}", NULL,
			0 } } },
	{ "mpi", "MPI", 0, 0, NULL, { "top mpi", "log mpi" }, { { 0 } } },
	{ "vm", "VMs", 0, 0, NULL, { "top vm" },
		{ VCPU("guest_ns", "in the guest"), VCPU("hypervisor_ns", "hypervisor"),
			VCPU("preempted_ns", "preempted"), VCPU("runnable_ns", "runnable"),
			VCPU("halted_ns", "halted") } },
	{ 0 },
};

const struct ask_comparison ask_comparisons[] = {
	{ "cpu", "CPU time of processes", "top cpu --table processes --limit 0", "processes",
		"{host}: {comm}{/pid}", "self_ns", MER_DURATION, true },
	{ "waits", "Waits", "blocked --flat --limit 0", "waits",
		"{host}: {comm}{/tid}{ call|kind}{ object}, {cause|?}", "total_ns", MER_DURATION,
		true },
	{ "calls", "System calls", "stats syscall --limit 0", "stats", "{name}", "total_ns",
		MER_DURATION, true },
	{ "counts", "Events", "stats --by name --limit 0", "by_name", "{host}: {name}", "count",
		MER_COUNT, true },
	{ "requests", "Requests, p50", "requests", "kinds", "{kind}", "p50_ns", MER_DURATION,
		false },
	{ "tails", "Requests, p99", "requests", "kinds", "{kind}", "p99_ns", MER_DURATION, false },
	{ 0 },
};

/* ---- As tables ---- */

enum {
	WORDS,
	ABOUT,
	LISTS,
	LIMIT,
	MENU,
	ANALYSIS,
	TABLE,
	TITLE,
	COLUMNS,
	GROUPS,
	FILTERS,
	PERIODS,
	VIEWS,
	N_QUESTION
};
static const struct mer_column question_columns[N_QUESTION + 1] = {
	[WORDS] = { "words", "Question", MER_TEXT },
	[ABOUT] = { "about", "About", MER_TEXT },
	[LISTS] = { "tables", "Tables", MER_TEXT },
	[LIMIT] = { "limit", NULL, MER_COUNT },
	[MENU] = { "menu", NULL, MER_ID },
	[ANALYSIS] = { "analysis", "Analysis", MER_TEXT },
	[TABLE] = { "table", "Table", MER_TEXT },
	[TITLE] = { "title", "Title", MER_TEXT },
	[COLUMNS] = { "columns", "Columns", MER_TEXT },
	[GROUPS] = { "groups", NULL, MER_ID },
	[FILTERS] = { "filters", NULL, MER_ID },
	[PERIODS] = { "periods", NULL, MER_ID },
	[VIEWS] = { "views", NULL, MER_ID },
};
const struct mer_column *const ask_catalog_columns = &question_columns[ANALYSIS];

static struct mer_cell keys_cell(struct mer_table *t, const struct mer_column *columns)
{
	struct mer_str keys = { 0 };
	for (const struct mer_column *c = columns; c->key; c++)
		mer_str_printf(&keys, "%s%s", c == columns ? "" : " ", c->key);
	return mer_table_keep(t, &keys);
}

static void put_words(struct mer_table *t, const struct ask_question *q, struct mer_cell *row)
{
	static const char *const about[] = { [ASK_ABOUT_WINDOW] = "window",
		[ASK_ABOUT_ALL] = "all",
		[ASK_ABOUT_INSTANT] = "instant",
		[ASK_ABOUT_TASK] = "task" };
	struct mer_str words = { 0 }, lists = { 0 };
	ask_question_words(q, &words);
	for (size_t i = 0; i < ASK_QUESTION_LISTS && q->lists[i]; i++)
		mer_str_printf(&lists, "%s%s", i ? " " : "", q->lists[i]);
	row[WORDS] = mer_table_keep(t, &words);
	row[ABOUT] = mer_text(about[q->about]);
	row[LISTS] = q->lists[0] ? mer_table_keep(t, &lists) : MER_NONE;
	row[LIMIT] = mer_int_unless(q->limit, 0);
	row[MENU] = MER_INT(q->in_menu);
	row[TITLE] = mer_text(q->title);
	row[FILTERS] = MER_INT(q->has_filter);
}

static void put_table(struct mer_table *t, const struct ask_question *q, struct mer_cell *row)
{
	const struct analysis *a = q->analysis;
	const struct analysis_output *o = &a->outputs[q->output];
	uint32_t groups = session_choice_tables(a, SESSION_CHOICE_GROUPS);
	row[ANALYSIS] = mer_text(a->id);
	row[TABLE] = mer_text(o->id);
	row[TITLE] = mer_text(o->title);
	row[COLUMNS] = keys_cell(t, o->columns);
	row[GROUPS] = MER_INT(groups >> q->output & 1);
	row[FILTERS] = MER_INT(q->has_filter);
	row[PERIODS] = MER_INT(a->of_periods);
	row[VIEWS] = MER_INT(a->of_views);
}

/* Their columns are those from `first` on; rows that have none of these are left out. */
static void add_questions(struct mer_table *t, size_t first)
{
	const char *id;
	struct summary_about about;
	size_t n, at = 0;
	const struct ask_question *q = ask_questions(t->arena, &n);
	t->failed |= !q;
	for (size_t i = 0; i < n; i++) {
		struct mer_cell row[N_QUESTION] = { 0 };
		if (q[i].verb)
			put_words(t, &q[i], row);
		if (q[i].analysis)
			put_table(t, &q[i], row);
		if (first == 0 || q[i].analysis)
			mer_table_add(t, row + first);
	}
	for (int table = 0; api_made_next(&at, &table, &id, &about);) {
		struct mer_cell row[N_QUESTION] = {
			[ANALYSIS] = mer_text(id),
			[TABLE] = mer_text(about.id),
			[TITLE] = mer_text(about.title),
			[COLUMNS] = keys_cell(t, about.columns),
		};
		for (size_t c = GROUPS; c <= VIEWS; c++)
			row[c] = MER_INT(0);
		mer_table_add(t, row + first);
	}
}

void ask_catalog_tables(struct mer_table *t)
{
	add_questions(t, ANALYSIS);
}

#define TEXT(key)                                                                                  \
	{                                                                                          \
		key, NULL, MER_TEXT                                                                \
	}
#define NUMBER(key)                                                                                \
	{                                                                                          \
		key, NULL, MER_ID                                                                  \
	}

static void add_topics(struct answer *a)
{
	static const struct mer_column columns[] = { TEXT("topic"), TEXT("title"),
		TEXT("durations"), NUMBER("report_rows"), NUMBER("report_bins"), { 0 } };
	static const struct mer_column of_questions[] = { TEXT("topic"), TEXT("words"), { 0 } };
	static const struct mer_column of_curves[] = { TEXT("topic"), TEXT("title"), TEXT("value"),
		TEXT("type"), TEXT("name"), TEXT("of"), NUMBER("sum"), NUMBER("gaps"), { 0 } };
	struct mer_table *t = answer_add(a, "topics", "Topics", columns);
	struct mer_table *questions =
		answer_add(a, "topic_questions", "Their questions", of_questions);
	struct mer_table *curves = answer_add(a, "curves", "Their curves", of_curves);
	for (const struct ask_topic *x = ask_topics; x->id; x++) {
		const struct mer_cell id = mer_text(x->id);
		mer_table_add(
			t, (struct mer_cell[]){ id, mer_text(x->title), mer_text(x->durations),
				   MER_INT(x->report_rows), MER_INT(x->report_bins) });
		for (size_t i = 0; i < ASK_TOPIC_QUESTIONS && x->questions[i]; i++)
			mer_table_add(
				questions, (struct mer_cell[]){ id, mer_text(x->questions[i]) });
		for (size_t i = 0; i < ASK_TOPIC_CURVES && x->curves[i].title; i++) {
			const struct ask_curve *c = &x->curves[i];
			mer_table_add(curves,
				(struct mer_cell[]){ id, mer_text(c->title), mer_text(c->value),
					mer_text(mer_type_name(c->type)), mer_text(c->name),
					mer_text(c->of), MER_INT(c->how == ASK_CURVE_SUM),
					MER_INT(c->how == ASK_CURVE_GAPS) });
		}
	}
}

static void add_comparisons(struct answer *a)
{
	static const struct mer_column columns[] = { TEXT("id"), TEXT("title"), TEXT("words"),
		TEXT("table"), TEXT("name"), TEXT("value"), TEXT("type"), NUMBER("total"), { 0 } };
	struct mer_table *t = answer_add(a, "comparisons", "Comparisons of ranges", columns);
	for (const struct ask_comparison *x = ask_comparisons; x->id; x++)
		mer_table_add(t, (struct mer_cell[]){ mer_text(x->id), mer_text(x->title),
					 mer_text(x->words), mer_text(x->table), mer_text(x->name),
					 mer_text(x->value), mer_text(mer_type_name(x->type)),
					 MER_INT(x->is_total) });
}

int ask_catalog(struct answer *a, struct mer_err *err)
{
	answer_init(a, NULL);
	add_questions(answer_add(a, "questions", "Questions", question_columns), 0);
	add_topics(a);
	add_comparisons(a);
	return answer_check(a, err);
}
