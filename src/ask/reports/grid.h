/* The grid: top, log, freq and stats of any analysis (analysis/analysis.h). Verbs hand the command
 * line over; outputs, columns, keys, and what options make sense follow from the analysis' struct.
 *
 * An output with an id such as "top_cpu" is a further table of top; others ("cpus") are shown when
 * they are asked for by --table. */
#ifndef MER_ASK_REPORTS_GRID_H
#define MER_ASK_REPORTS_GRID_H

#include "analysis/analysis.h"
#include "analysis/leave_out.h"
#include "ask/context.h"
#include "ask/period.h"

struct ask_grid_values { /* of options; not all verbs have all of them */
	struct ask_amount limit, min, max, min_size, max_size, bins, interval;
	const char *sort, *plot, *group_by, *filter;
	bool all, reverse;
	struct session_texts tables, names;
	struct ask_period_values period;
};

/* Rows of the options that several verbs have; of: what stands before the help. The verb's values
 * begin with struct ask_grid_values. */
#define ASK_GRID_OPTION(name_, kind_, arg_, help_)                                                 \
	{                                                                                          \
		.name = #name_, .kind = kind_, .arg = arg_, .help = help_,                         \
		.offset = offsetof(struct ask_grid_values, name_)                                  \
	}
/* One that --help has no room for. */
#define ASK_GRID_MANUAL_OPTION(name_, kind_, arg_, help_)                                          \
	{                                                                                          \
		.name = #name_, .kind = kind_, .arg = arg_, .help = help_,                         \
		.offset = offsetof(struct ask_grid_values, name_), .in_manual_only = true          \
	}
#define ASK_GRID_LIMIT(help_)                                                                      \
	{                                                                                          \
		.name = "limit", .letter = 'n', .kind = ASK_AMOUNT, .arg = "N", .help = help_,     \
		.offset = offsetof(struct ask_grid_values, limit)                                  \
	}
#define ASK_GRID_SORT(help_)                                                                       \
	{ .name = "sort",                                                                          \
		.kind = ASK_TEXT,                                                                  \
		.arg = "KEY",                                                                      \
		.values = ASK_VALUES_COLUMNS,                                                      \
		.help = help_,                                                                     \
		.offset = offsetof(struct ask_grid_values, sort) },                                \
	{                                                                                          \
		.name = "reverse", .letter = 'r', .kind = ASK_FLAG, .help = "reverse the order",   \
		.offset = offsetof(struct ask_grid_values, reverse)                                \
	}
#define ASK_GRID_ALL                                                                               \
	{                                                                                          \
		.name = "all", .letter = 'a', .kind = ASK_FLAG,                                    \
		.help = "idle waits and the tracer's own tasks too",                               \
		.offset = offsetof(struct ask_grid_values, all)                                    \
	}
#define ASK_GRID_MIN(of)                                                                           \
	ASK_GRID_OPTION(min, ASK_DURATION, "TIME", of "only what took TIME or longer")
#define ASK_GRID_MAX(of)                                                                           \
	ASK_GRID_OPTION(max, ASK_DURATION, "TIME", of "only what took TIME or less")
#define ASK_GRID_SIZES(of)                                                                         \
	{ .name = "min-size",                                                                      \
		.kind = ASK_SIZE,                                                                  \
		.arg = "SIZE",                                                                     \
		.help = of "only what moved SIZE bytes or more (4096, 64KiB, 1M)",                 \
		.offset = offsetof(struct ask_grid_values, min_size),                              \
		.in_manual_only = true },                                                          \
	{                                                                                          \
		.name = "max-size", .kind = ASK_SIZE, .arg = "SIZE",                               \
		.help = of "only what moved SIZE bytes or less",                                   \
		.offset = offsetof(struct ask_grid_values, max_size), .in_manual_only = true       \
	}
#define ASK_GRID_TABLE(help_)                                                                      \
	{                                                                                          \
		.name = "table", .kind = ASK_TEXTS, .arg = "ID", .help = help_,                    \
		.values = ASK_VALUES_TABLES, .offset = offsetof(struct ask_grid_values, tables)    \
	}
#define ASK_GRID_NAME(help_)                                                                       \
	{                                                                                          \
		.name = "name", .kind = ASK_TEXTS, .arg = "NAME", .help = help_,                   \
		.offset = offsetof(struct ask_grid_values, names)                                  \
	}
#define ASK_GRID_GROUP_BY(of)                                                                      \
	{                                                                                          \
		.name = "group-by", .kind = ASK_TEXT, .arg = "KEYS", .in_manual_only = true,       \
		.help = of "a row for each program, process, cpu, name, ...",                      \
		.offset = offsetof(struct ask_grid_values, group_by)                               \
	}
#define ASK_GRID_FILTER(of)                                                                        \
	ASK_GRID_MANUAL_OPTION(                                                                    \
		filter, ASK_TEXT, "EXPR", of "only these: 'duration > 1ms && cpu == 0'")
#define ASK_GRID_GROUP_BY_MANUAL                                                                   \
	"--group-by takes keys, commas between: host, process, program (the tasks of one name), "  \
	"thread, cpu, and what the analysis distinguishes: name, kind, object. All amounts are "   \
	"then those of these groups.\n\n"
#define ASK_GRID_FILTER_MANUAL                                                                     \
	"--filter takes an expression as 'meridian events' does, of columns of the tables: "       \
	"columns of single things, such as duration or cpu, decide what counts; of amounts, such " \
	"as count > 10, which rows are shown. A unit may be left out: duration > 1ms.\n\n"
#define ASK_GRID_NAME_MANUAL                                                                       \
	"--name selects by pattern: interrupts (timer, eth0, 27, softirq:timer), system calls "    \
	"(openat, 'read*'), states of programs (compute, 'MPI_*'), or, for io, files and sockets " \
	"('/etc/*', 10.0.0.2:80) and disks "                                                       \
	"(sda); only these count. --min and --max select by duration; occurrences "                \
	"without a duration then do not count.\n\n"
#define ASK_GRID_OPENMETRICS_MANUAL                                                                \
	"--format openmetrics writes the tables for Prometheus and others: numbers as gauges, in " \
	"seconds, bytes and ratios, with the texts and ids of the row as labels; histograms of "   \
	"freq as histograms. docs/exports.md has names and rules.\n\n"
#define ASK_GRID_PERIOD ASK_PERIOD_OPTIONS(struct ask_grid_values, period)

enum { ASK_GRID_TABLES = 48 }; /* of an analysis, and again those of a chart */

struct mer_result;   /* meridian/session.h */
struct sync_result;  /* sync/result.h */
struct api_partials; /* ask/library/api.h */

struct ask_grid {
	struct ask *ask;
	const struct ask_grid_values *values;
	const char *verb; /* "top", "log", "freq", "stats" */
	const struct analysis *analysis;
	const struct mer_experiment *e;
	const struct kernel_world *world; /* NULL: not known yet */
	int64_t begin, end;		  /* what was looked at; MER_NO_TIME: nothing */
	struct analysis_request requests[ASK_GRID_TABLES];
	struct mer_table *tables; /* as requests: the printed ones, then those of a chart */
	const char *sorted[ASK_GRID_TABLES]; /* by which key; NULL: as they came */
	size_t n, n_printed;
	const struct analysis_options
		*options; /* of the run; NULL: all of the time was looked at */
	/* Idle waits, and rows of the tracer's tasks; NULL: nothing was left out. */
	const struct analysis_left_out *left_out;
	struct api_partials *partials; /* of --part; NULL: the answer is printed */
	struct sync_result *clocks;    /* of --part: those of all hosts that --sync has; or NULL */
};

/* ask->args: the analysis, then traces. None: lists what there is. */
int ask_grid_run(struct ask *ask, const char *verb, const struct ask_grid_values *values);
/* Is the first word an analysis (and no trace of that name)? For stats, which has another
 * meaning. */
bool ask_grid_asked(const struct ask *ask);
/* The name that the first word was probably meant to be; NULL: the word exists, or none is like
 * it. */
const char *ask_grid_meant(const struct ask *ask);

/* --view does not apply to this verb or analysis; how: "", or " without an analysis".
 * MER_ERR_USAGE. */
int ask_grid_no_view(struct ask *ask, const char *what, const char *how);

/* Takes the tables of these results, as g->requests. */
int ask_grid_take(struct ask_grid *g, struct mer_result *const *results);
/* All as --format says. */
int ask_grid_print(struct ask_grid *g);
/* What would have to be recorded for this analysis (its id) on the hosts that were looked at, if
 * none of them has it: lines to type, the last without line end. "": nothing. */
int ask_grid_lacking(
	struct ask *ask, const struct mer_experiment *e, const char *id, struct mer_str *out);
/* "NONE: the traces lack the events that THAT. To record themWHERE:", and below how (fix, as
 * above). where: "", or ", on the hypervisor". */
void ask_grid_put_lacking(const struct ask *ask, const char *none, const char *that,
	const char *where, const struct mer_str *fix, struct mer_str *out);
/* The sentence alone, behind NONE. */
void ask_grid_say_lacking(struct mer_str *text, const char *that, const char *where);
/* An empty answer for programs: if that is why it is empty, a warning says so, and the exit status
 * will. */
int ask_grid_warn_lacking(struct ask *ask, const struct mer_experiment *e, const char *id);
/* For an empty table of views: why it is empty. */
void ask_grid_put_no_states(const struct ask_grid *g, struct mer_str *out);
/* Colors of the states of views: 0xrrggbb plus 1; 0: there is no such state. */
struct ask_grid_colors;
int ask_grid_colors_new(const struct ask_grid *g, struct ask_grid_colors **colors);
uint32_t ask_grid_color(const void *colors, const char *view, const char *state);
void ask_grid_colors_free(struct ask_grid_colors *); /* NULL is fine */
/* The tables "bins", over time, as SVG. */
int ask_grid_plot(struct ask_grid *g, const char *path);
/* The table "map", of places over time, as SVG. */
int ask_grid_map(struct ask_grid *g, const char *path);
/* Does the column name things, as opposed to measuring them? */
static inline bool ask_grid_names(const struct mer_column *c)
{
	return mer_column_names(c);
}

#endif
