#include "ask/print/remedies.h"

#include <string.h>

static const struct words {
	const char *before, *after;  /* the sentence; NULL: nothing */
	const char *phrase, *option; /* what stands in it instead of the first such phrase */
} words[MER_N_REMEDIES] = {
	[MER_REMEDY_HOSTS] = { .before = "--host: " },
	[MER_REMEDY_CPUS] = { .before = "--cpu: " },
	[MER_REMEDY_BEGIN] = { .before = "--begin: " },
	[MER_REMEDY_END] = { .before = "--end: " },
	[MER_REMEDY_WINDOW_ORDER] = { .phrase = "the window does not start before its end",
		.option = "--begin is not before --end" },
	[MER_REMEDY_SHORTER_WINDOW] = { .after = "; use --begin and --end" },
	[MER_REMEDY_FILTER] = { .before = "--filter: " },
	[MER_REMEDY_GROUP_BY] = { .before = "--group-by: " },
	[MER_REMEDY_FEWER_ROWS] = { .after = ", or --host or --cpu" },
	[MER_REMEDY_FEWER_BINS] = { .before = "--plot: " },
	[MER_REMEDY_NO_GRAPHVIZ] = { .after = ", or use --format dot and draw elsewhere" },
	[MER_REMEDY_FEWER_RELATIONS] = { .after = " (--limit N), or use --format dot and draw "
						  "with sfdp" },
	[MER_REMEDY_PERIOD] = { .before = "--period: " },
	[MER_REMEDY_PERIOD_EVENTS] = { .before = "--period: ",
		.after = " ('meridian stats --by name' lists their events; others must be "
			 "recorded first)" },
	[MER_REMEDY_PERIOD_FILTER] = { .before = "--period: ",
		.after = " (try the expression with 'meridian events --filter')" },
	[MER_REMEDY_PERIOD_LIMITS] = { .phrase = "the limits",
		.option = "--period-min and --period-max",
		.after = " ('meridian freq period' shows the durations)" },
	[MER_REMEDY_PERIOD_KEY] = { .before = "--period-by: " },
	[MER_REMEDY_PERIOD_KEYED] = { .before = "--period: ", .after = " (--period-by)" },
	[MER_REMEDY_PERIOD_WINDOW] = { .phrase = "in the window",
		.option = "between --begin and --end" },
	[MER_REMEDY_PERIOD_OPEN] = { .before = "--period: ",
		.phrase = "the key",
		.option = "--period-by" },
	[MER_REMEDY_PERIOD_MANY] = { .before = "--period: ",
		.phrase = "or keep",
		.option = "or --period-min to keep" },
	[MER_REMEDY_PERIOD_NEEDED] = { .phrase = "periods between two events",
		.option = "--period 'BEGIN : END', two events" },
	[MER_REMEDY_VIEW] = { .phrase = "a view: a file that says",
		.option =
			"--view FILE, or --view callstack, cyg-profile, libc-memory, meridian-work, "
			"mpi, mpi-imbalance or ros2 ('meridian help view'): it says" },
	[MER_REMEDY_KEEP_OFFSETS] = { .after = " (--sync none keeps both)" },
	[MER_REMEDY_IGNORE_UUID] = { .after = "; --ignore-uuid reads such packets" },
	[MER_REMEDY_METHOD_AUTO] = { .after = "; --method auto follows clocks that change their "
					      "rate" },
	[MER_REMEDY_DRIFT_LIMIT] = { .phrase = "the limit", .option = "--max-drift" },
	[MER_REMEDY_LATENCIES] = { .after = "; 'meridian latency' shows pairs with message "
					    "inversions" },
	[MER_REMEDY_NEW_FOLDER] = { .after = "; --write needs a new or empty folder" },
	[MER_REMEDY_CLOCK_WRAP] = { .phrase = "with a wrap of ", .option = "with --clock-wrap " },
	[MER_REMEDY_SAVE_CLOCKS] = { .after = "; save clocks with 'meridian sync --save FILE'" },
	[MER_REMEDY_GUEST] = { .after = "; say so with --vm GUEST=HOST:PID" },
};

void ask_put_remedied(struct mer_str *out, const char *text, enum mer_remedy remedy)
{
	const struct words *w = &words[(unsigned)remedy < MER_N_REMEDIES ? remedy : 0];
	const char *at = w->phrase ? strstr(text, w->phrase) : NULL;
	mer_str_puts(out, w->before ? w->before : "");
	mer_str_add(out, text, at ? (size_t)(at - text) : strlen(text));
	if (at) {
		mer_str_puts(out, w->option);
		mer_str_puts(out, at + strlen(w->phrase));
	}
	mer_str_puts(out, w->after ? w->after : "");
}
