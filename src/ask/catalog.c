#include "ask/catalog.h"

#include <string.h>

#include "api/api.h"
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
	{ .title = "Are the traces sound, and what can be asked of them",
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

#define TRAFFIC(column, what)                                                                      \
	{                                                                                          \
		.title = what, .value = column, .type = MER_RATE, .name = "{host} {interface}"     \
	}
#define VCPU(column, what)                                                                         \
	{                                                                                          \
		.title = what ", % of the time of vCPUs", .value = column, .type = MER_RATIO,      \
		.name = "{host} {comm}{/tid}", .of = "vCPU", .is_sum = true                        \
	}
#define FILES(column, what)                                                                        \
	{                                                                                          \
		.title = what, .value = column, .type = MER_RATE, .name = "{host} {comm}{/tid}",   \
		.is_sum = true                                                                     \
	}

/* A report has less of what is not of CPUs: it is sent by mail. */
enum { REPORT_CPU_ROWS = 200, REPORT_CPU_BINS = 150, REPORT_ROWS = 60, REPORT_BINS = 60 };

const struct ask_topic ask_topics[] = {
	{ .id = "cpu",
		.title = "CPU",
		.questions = { "top cpu", "top cpu --table processes", "top cpu --table cpus" },
		.curves = { { .title = "busy, % of the host's CPUs",
			.value = "percent",
			.type = MER_RATIO,
			.name = "{host}",
			.of = "host",
			.has_gaps = true } },
		.report_rows = REPORT_CPU_ROWS,
		.report_bins = REPORT_CPU_BINS,
		.is_always = true },
	{ .id = "sched",
		.title = "Scheduling",
		.questions = { "top sched", "stats sched", "top rates" },
		.curves = { { .title = "latency that half do not exceed",
				    .value = "p50_ns",
				    .type = MER_DURATION,
				    .name = "{host}" },
			{ .title = "latency that 99 % do not exceed",
				.value = "p99_ns",
				.type = MER_DURATION,
				.name = "{host}" } },
		.durations = "{host}",
		.report_rows = REPORT_ROWS,
		.report_bins = REPORT_BINS },
	{ .id = "disk",
		.title = "Disks",
		.questions = { "top disk", "log disk" },
		.curves = { { .title = "requests in flight",
				    .value = "in_flight",
				    .type = MER_REAL,
				    .name = "{host} {disk}" },
			{ .title = "read",
				.value = "read_bytes_per_s",
				.type = MER_RATE,
				.name = "{host} {disk}" },
			{ .title = "written",
				.value = "write_bytes_per_s",
				.type = MER_RATE,
				.name = "{host} {disk}" } },
		.durations = "{host} {disk} {name}",
		.report_rows = REPORT_ROWS,
		.report_bins = REPORT_BINS },
	{ .id = "net",
		.title = "Network",
		.questions = { "top net", "top net --table interfaces", "top net --table sockets",
			"log net" },
		.curves = { TRAFFIC("sent_bytes_per_s", "sent"),
			TRAFFIC("received_bytes_per_s", "received") },
		.durations = "{from_host} \xe2\x86\x92 {to_host}",
		.report_rows = REPORT_ROWS,
		.report_bins = REPORT_BINS },
	{ .id = "io",
		.title = "Files",
		.questions = { "top io", "log io" },
		.curves = { FILES("read_bytes", "read, of threads"),
			FILES("written_bytes", "written, of threads") },
		.durations = "{host} {name}",
		.report_rows = REPORT_ROWS,
		.report_bins = REPORT_BINS },
	{ .id = "syscall",
		.title = "Calls",
		.questions = { "stats syscall", "top syscall" },
		.curves = { { .title = "99 % took at most",
			.value = "p99_ns",
			.type = MER_DURATION,
			.name = "{host} {name}" } },
		.durations = "{name}",
		.report_rows = REPORT_ROWS,
		.report_bins = REPORT_BINS },
	{ .id = "irq",
		.title = "Interrupts",
		.questions = { "stats irq", "top irq" },
		.curves = { { .title = "in handlers, % of one CPU",
				    .value = "total_ns",
				    .type = MER_RATIO,
				    .name = "{host} {kind} {name|nr}",
				    .is_sum = true },
			{ .title = "99 % took at most",
				.value = "p99_ns",
				.type = MER_DURATION,
				.name = "{host} {kind} {name|nr}" } },
		.durations = "{host} {kind} {name|nr}",
		.report_rows = REPORT_ROWS,
		.report_bins = REPORT_BINS },
	{ .id = "futex",
		.title = "Locks",
		.questions = { "top futex", "log futex" },
		.durations = "{host}",
		.report_rows = REPORT_ROWS,
		.report_bins = REPORT_BINS },
	{ .id = "mem",
		.title = "Memory",
		.questions = { "top mem", "top faults" },
		.curves = { { .title = "allocated and not yet freed",
			.value = "held_bytes",
			.type = MER_BYTES,
			.name = "{host}",
			.of = "host" } },
		.report_rows = REPORT_ROWS,
		.report_bins = REPORT_BINS },
	{ .id = "servers", .title = "Servers", .questions = { "top servers" } },
	{ .id = "rates",
		.title = "Rates",
		.questions = { "top rates" },
		.curves = { { .title = "context switches per second",
			.value = "switches_per_s",
			.type = MER_COUNT,
			.name = "{host}" } } },
	{ .id = "mpi", .title = "MPI", .questions = { "top mpi", "log mpi" } },
	{ .id = "vm",
		.title = "VMs",
		.questions = { "top vm" },
		.curves = { VCPU("guest_ns", "in the guest"), VCPU("hypervisor_ns", "hypervisor"),
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
			[GROUPS] = MER_INT(0),
			[FILTERS] = MER_INT(0),
			[PERIODS] = MER_INT(0),
			[VIEWS] = MER_INT(0),
		};
		mer_table_add(t, row + first);
	}
}

void ask_catalog_tables(struct mer_table *t)
{
	add_questions(t, ANALYSIS);
}

static void add_topics(struct answer *a)
{
	enum { ID, OF, HISTOGRAM, ROWS_OF, BINS_OF, ALWAYS, N };
	static const struct mer_column columns[N + 1] = {
		[ID] = { "topic", "Topic", MER_TEXT },
		[OF] = { "title", "Title", MER_TEXT },
		[HISTOGRAM] = { "durations", "Durations of", MER_TEXT },
		[ROWS_OF] = { "report_rows", NULL, MER_COUNT },
		[BINS_OF] = { "report_bins", NULL, MER_COUNT },
		[ALWAYS] = { "always", NULL, MER_ID },
	};
	struct mer_table *t = answer_add(a, "topics", "Topics", columns);
	for (const struct ask_topic *x = ask_topics; x->id; x++)
		mer_table_add(t, (struct mer_cell[N]){
					 [ID] = mer_text(x->id),
					 [OF] = mer_text(x->title),
					 [HISTOGRAM] = mer_text(x->durations),
					 [ROWS_OF] = mer_int_unless(x->report_rows, 0),
					 [BINS_OF] = mer_int_unless(x->report_bins, 0),
					 [ALWAYS] = MER_INT(x->is_always),
				 });
}

static void add_topic_questions(struct answer *a)
{
	static const struct mer_column columns[] = { { "topic", "Topic", MER_TEXT },
		{ "words", "Question", MER_TEXT }, { 0 } };
	struct mer_table *t = answer_add(a, "topic_questions", "Questions of topics", columns);
	for (const struct ask_topic *x = ask_topics; x->id; x++)
		for (size_t i = 0; i < ASK_TOPIC_QUESTIONS && x->questions[i]; i++)
			mer_table_add(t,
				(struct mer_cell[]){ mer_text(x->id), mer_text(x->questions[i]) });
}

static void add_curves(struct answer *a)
{
	enum { TOPIC, OF, VALUE, TYPE, NAME, ONLY, SUM, GAPS, N };
	static const struct mer_column columns[N + 1] = {
		[TOPIC] = { "topic", "Topic", MER_TEXT },
		[OF] = { "title", "Title", MER_TEXT },
		[VALUE] = { "value", "Value", MER_TEXT },
		[TYPE] = { "type", "Type", MER_TEXT },
		[NAME] = { "name", "Name", MER_TEXT },
		[ONLY] = { "of", "Of", MER_TEXT },
		[SUM] = { "sum", NULL, MER_ID },
		[GAPS] = { "gaps", NULL, MER_ID },
	};
	struct mer_table *t = answer_add(a, "curves", "Curves of topics", columns);
	for (const struct ask_topic *x = ask_topics; x->id; x++)
		for (const struct ask_curve *c = x->curves;
			c < x->curves + ASK_TOPIC_CURVES && c->title; c++)
			mer_table_add(t, (struct mer_cell[N]){
						 [TOPIC] = mer_text(x->id),
						 [OF] = mer_text(c->title),
						 [VALUE] = mer_text(c->value),
						 [TYPE] = mer_text(mer_type_name(c->type)),
						 [NAME] = mer_text(c->name),
						 [ONLY] = mer_text(c->of),
						 [SUM] = MER_INT(c->is_sum),
						 [GAPS] = MER_INT(c->has_gaps),
					 });
}

static void add_comparisons(struct answer *a)
{
	enum { ID, OF, ASKED, OF_TABLE, NAME, VALUE, TYPE, TOTAL, N };
	static const struct mer_column columns[N + 1] = {
		[ID] = { "id", "Comparison", MER_TEXT },
		[OF] = { "title", "Title", MER_TEXT },
		[ASKED] = { "words", "Question", MER_TEXT },
		[OF_TABLE] = { "table", "Table", MER_TEXT },
		[NAME] = { "name", "Name", MER_TEXT },
		[VALUE] = { "value", "Value", MER_TEXT },
		[TYPE] = { "type", "Type", MER_TEXT },
		[TOTAL] = { "total", NULL, MER_ID },
	};
	struct mer_table *t = answer_add(a, "comparisons", "Comparisons of ranges", columns);
	for (const struct ask_comparison *x = ask_comparisons; x->id; x++)
		mer_table_add(t, (struct mer_cell[N]){
					 [ID] = mer_text(x->id),
					 [OF] = mer_text(x->title),
					 [ASKED] = mer_text(x->words),
					 [OF_TABLE] = mer_text(x->table),
					 [NAME] = mer_text(x->name),
					 [VALUE] = mer_text(x->value),
					 [TYPE] = mer_text(mer_type_name(x->type)),
					 [TOTAL] = MER_INT(x->is_total),
				 });
}

int ask_catalog(struct answer *a, struct mer_err *err)
{
	answer_init(a, NULL);
	add_questions(answer_add(a, "questions", "Questions", question_columns), 0);
	add_topics(a);
	add_topic_questions(a);
	add_curves(a);
	add_comparisons(a);
	return answer_check(a, err);
}
