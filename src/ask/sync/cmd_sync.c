/* meridian sync: one time line for many clocks, and how good it is. */
#include <string.h>

#include "ask/program.h"
#include "ask/sync/sync_print.h"
#include "ask/session.h"
#include "ask/verb.h"
#include "sync/auto.h"
#include "sync/write_traces.h"

struct values {
	struct ask_sync_values sync;
	struct session_texts at;
	const char *plot, *save, *write;
	bool report, compare;
	uint64_t limit;
};

static int save(struct ask_sync *s, const char *path)
{
	struct mer_str text = { 0 };
	int rc = sync_result_write(s->result, true, &text, &s->ask->err);
	if (!rc)
		rc = ask_write_file(s->ask, path, &text);
	mer_str_fini(&text);
	return rc;
}

/* Copies with the common time. From then on the experiment's times are those. */
static int write_traces(struct ask_sync *s, const char *dir)
{
	struct ask *ask = s->ask;
	struct ask_progress progress;
	int rc = sync_apply(s->e, s->result, &ask->err);
	if (rc)
		return rc;
	ask_progress_begin(&progress, ask, "writing", s->e->bytes);
	rc = sync_write_traces(s->e, dir, ask_jobs(ask), session_cancel_of(s->session),
		&progress.done_bytes, &ask->err);
	ask_progress_end(&progress);
	if (rc != MER_ERR_SYS)
		return rc;
	/* It is the copies that could not be written, not the traces that could not be read. */
	ask_error(ask, "%s; the copies are removed", ask_err_text(ask, &ask->err));
	return ASK_INTERNAL;
}

static int print(struct ask_sync *s, const struct values *v)
{
	if (v->at.n)
		return ask_sync_print_at(s, &v->at);
	if (v->report)
		return ask_sync_print_report(s);
	if (v->compare)
		return ask_sync_print_methods(s);
	return ask_sync_print(s);
}

/* Forms that only some of the outputs have. */
static int check_values(struct ask *ask, const struct values *v)
{
	if ((v->at.n > 0) + v->report + v->compare > 1)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"only one of --at, --report and --compare at a time");
	if (v->report && ask->format != ASK_FORMAT_TABLE)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--report is text only; --json without --report has the same data");
	if (ask->format == ASK_FORMAT_LTTV && (v->at.n || v->compare))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--format lttv is the form of the table of hosts only");
	return 0;
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct ask_sync s;
	int rc = check_values(ask, v);
	if (rc)
		return rc;
	rc = ask_sync_open(ask, &v->sync, &s);
	s.limit = v->limit;
	if (!rc && v->save)
		rc = save(&s, v->save);
	if (!rc && v->plot)
		rc = ask_sync_plot(&s, v->plot);
	if (!rc)
		rc = print(&s, v);
	if (!rc && v->write)
		rc = write_traces(&s, v->write);
	ask_sync_close(&s);
	return rc;
}

#define AT(member) offsetof(struct values, member)

static const struct ask_option options[] = {
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_LIMIT,
		.arg = "N",
		.help = "at most N hosts (largest bounds) and pairs (0: all)",
		.offset = AT(limit) },
	{ .name = "method",
		.kind = ASK_TEXTS,
		.choices = "auto|hull|offset|realtime|none|vcpu",
		.arg = "METHOD",
		.help = "auto, hull, offset, realtime, none, vcpu; or HOST=METHOD",
		.offset = AT(sync.methods) },
	{ .name = "ref",
		.kind = ASK_TEXT,
		.arg = "HOST",
		.help = "align the clocks of all other hosts to that of HOST",
		.offset = AT(sync.reference) },
	{ .name = "offset",
		.kind = ASK_TEXTS,
		.arg = "HOST=T",
		.help = "add time T to the offset found for HOST: vm1=-5us",
		.offset = AT(sync.offsets) },
	{ .name = "max-drift",
		.kind = ASK_TEXT,
		.arg = "PPM",
		.help = "largest drift of two clocks (default 1000), or auto",
		.offset = AT(sync.max_drift_ppm) },
	{ .name = "pairs",
		.kind = ASK_FILE,
		.arg = "FILE",
		.help = "message events of your own programs, declared in FILE",
		.offset = AT(sync.pairs) },
	{ .name = "at",
		.kind = ASK_TEXTS,
		.arg = "HOST:TIME",
		.help = "convert TIME on HOST's clock to all others (,TIME...)",
		.offset = AT(at) },
	{ .name = "report",
		.kind = ASK_FLAG,
		.help = "describe how each clock behaved over time",
		.offset = AT(report) },
	{ .name = "compare",
		.kind = ASK_FLAG,
		.help = "compare the results of all methods",
		.offset = AT(compare) },
	{ .name = "plot",
		.kind = ASK_PICTURE,
		.arg = "FILE",
		.help = "draw offsets and latencies as SVG (-: print that alone)",
		.offset = AT(plot) },
	{ .name = "save",
		.kind = ASK_FILE,
		.arg = "FILE",
		.help = "save the result, for --sync FILE of any verb",
		.offset = AT(save) },
	{ .name = "write",
		.kind = ASK_FILE,
		.arg = "DIR",
		.help = "write copies of the traces with aligned clocks",
		.offset = AT(write) },
	{ 0 },
};

const struct ask_verb ask_verb_sync = {
	.name = "sync",
	.help = "align the clocks of all hosts, with proven error bounds",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Matches packets that one host sent and another received, and computes the offset "
		       "of each host's clock at every instant, with its worst-case error.",
	.more = "Bound is half the width of the range that contains the true offset: its median over "
		"the host's traces; Max bound is its maximum. The bound is a guarantee as long as no "
		"two clocks drift apart by more than --max-drift and packets are matched "
		"correctly. Where the messages prove more drift, a larger drift is allowed there and "
		"reported. Between messages the bound widens. Fwd and Rev count the messages from the "
		"first host to the second and back; Rejected those that contradict all others. "
		"Inversions counts messages that were received before they were sent according to "
		"the recorded clocks. Hull counts the "
		"points of the two convex hulls of the classic method.\n\n"
		"In --json the table pieces has the offset of each host: the reference's time is t + offset_ns + "
		"drift_ppm * 1e-6 * (t - begin), where t is the host's own clock. --save writes "
		"a file for --sync, with the limits from which the bounds are computed; what --json prints is none.\n\n"
		"--begin and --end choose the messages that are used; they are times of each "
		"host's own clock, or count from the start of its traces.\n\n"
		"--report shows two lines for each host: how its clock ran against the reference, and "
		"how large the bound is. Before a measurement that must be exact, record the "
		"network events alone for some hours and look at this report.",
	.formats = "table|json|jsonl|csv|lttv",
	.uses = ASK_USES_FORMAT | ASK_USES_TIME | ASK_USES_SYNC | ASK_USES_JOBS | ASK_USES_INPUT |
		ASK_USES_TABLES | ASK_USES_KEPT,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian sync client/ server/",
			"Show how far apart the clocks are, and the worst-case error of that." },
		{ "meridian sync --at client:+1s client/ server/",
			"Show the server's clock one second after the client's trace starts." },
	},
	.run = run,
};
