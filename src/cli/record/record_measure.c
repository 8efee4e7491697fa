/* record --measure: what each preset costs a command, on this host. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "cli/record/record.h"
#include "ask/print/table.h"
#include "record/measure.h"

enum { PAIRS = 7, MOST_VARIANTS = 16 };

struct variant {
	const char *name;
	struct record_plan plan;
	struct record_cost cost;
	enum record_backend backend;
	const char *cannot; /* be recorded here, and why; NULL: it can */
};

struct measuring {
	struct recording *r;
	struct variant variants[MOST_VARIANTS];
	size_t n;
	char made[32];	    /* a folder, for the traces, which are removed after each run */
	const char *folder; /* its path */
	int out;	    /* what stdout was: the command's output goes nowhere */
};

/* ---- What is measured ---- */

/* The plan of one purpose, or of the programs' events alone. */
static int add_variant(struct measuring *m, const char *purpose)
{
	struct recording *r = m->r;
	const struct record_options *all = r->o;
	struct record_options one = *all;
	struct variant *v = &m->variants[m->n];
	one.purposes = (struct session_texts){ purpose ? &purpose : NULL, purpose != NULL };
	if (purpose)
		one.user.n = 0;
	r->o = &one;
	r->run.plan = (struct record_plan){ 0 };
	int rc = record_setup_plan(r);
	r->o = all;
	v->name = purpose ? purpose : "user";
	v->plan = r->run.plan;
	m->n += rc == 0;
	return rc;
}

static int add_variants(struct measuring *m)
{
	const struct record_options *o = m->r->o;
	int rc = 0;
	for (size_t i = 0; i < o->purposes.n && rc == 0 && m->n + 1 < MOST_VARIANTS; i++)
		rc = add_variant(m, o->purposes.item[i]);
	bool all = !o->purposes.n && !o->user.n;
	for (size_t i = 0; all && record_preset_name(i) && rc == 0 && m->n + 1 < MOST_VARIANTS; i++)
		rc = add_variant(m, record_preset_name(i));
	if (o->user.n && rc == 0)
		rc = add_variant(m, NULL);
	return rc;
}

/* Which of them this host can record. */
static int inspect(struct measuring *m)
{
	struct recording *r = m->r;
	struct record_run *run = &r->run;
	bool any = false;
	run->plan = m->variants[0].plan;
	for (size_t i = 0; i < m->n; i++)
		if (record_preset_has(&m->variants[i].plan.preset, RECORD_KERNEL))
			run->plan = m->variants[i].plan;
	int rc = record_inspect(run, true, &r->ask->err);
	for (size_t i = 0; i < m->n && rc == 0; i++) {
		struct variant *v = &m->variants[i];
		run->plan = v->plan;
		r->findings.n = 0;
		record_findings_of_run(run, &r->findings);
		for (size_t k = 0; k < r->findings.n; k++)
			if (r->findings.item[k].severity == RECORD_FATAL && !v->cannot)
				v->cannot = r->findings.item[k].text;
		v->backend = run->hosts[0].backend;
		any |= !v->cannot;
	}
	if (rc == 0 && !any)
		return mer_fail(&r->ask->err, MER_ERR_INPUT, "%s cannot record: %s",
			run->hosts[0].name, m->variants[0].cannot);
	for (size_t i = 0; i < m->n && rc == 0; i++)
		if (m->variants[i].cannot)
			ask_warn(r->ask, "%s is not measured: %s", m->variants[i].name,
				m->variants[i].cannot);
	return rc;
}

/* ---- Runs ---- */

static int command_done(struct measuring *m, int rc)
{
	struct record_run *run = &m->r->run;
	struct mer_err *err = &m->r->ask->err;
	if (rc)
		return rc;
	if (run->loop.n_interrupts)
		return mer_fail(err, MER_ERR_CANCELLED, "interrupted");
	if (run->command_code)
		return mer_fail(err, MER_ERR_INPUT,
			"%s: exit status %d: only runs that succeed can be compared",
			run->command[0], run->command_code);
	return 0;
}

/* Runs the command; with the timer beside it. */
static int run_command(struct measuring *m, struct record_once *once)
{
	struct record_run *run = &m->r->run;
	struct record_pulse pulse;
	record_pulse_begin(&pulse);
	int rc = record_wait(run, &m->r->ask->err);
	*once = (struct record_once){ run->command_ns, run->command_cpu_ns,
		record_pulse_end(&pulse) };
	return command_done(m, rc);
}

static int run_without(struct measuring *m, struct record_once *once)
{
	struct record_run *run = &m->r->run;
	size_t n = run->n_hosts;
	run->n_hosts = 0;
	int rc = run_command(m, once);
	run->n_hosts = n;
	return rc;
}

/* Events and bytes of what was recorded. */
static int count(struct measuring *m, struct record_cost *c)
{
	struct mer_err *err = &m->r->ask->err;
	const char *path = m->r->run.folder;
	struct mer_experiment *e;
	struct mer_cursor *cursor;
	const struct mer_event *events;
	size_t n = 1;
	int rc = mer_experiment_open(&path, 1, NULL, &e, err);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < e->n_traces; i++) {
		c->bytes += e->traces[i].bytes;
		mer_add_count(&c->n_lost, e->traces[i].lost_events);
	}
	rc = mer_cursor_open(e, NULL, &cursor, err);
	while (rc == 0 && n) {
		rc = mer_cursor_next(cursor, &events, &n, err);
		c->n_events += rc == 0 ? n : 0;
	}
	mer_cursor_free(cursor);
	mer_experiment_free(e);
	return rc;
}

static void remove_traces(struct measuring *m)
{
	const char *words[] = { "rm", "-rf", "--", m->r->run.folder, NULL };
	struct record_child c = { 0 };
	struct mer_err ignored = { 0 };
	if (record_loop_spawn(
		    &m->r->run.loop, &c, &(struct record_spawn){ .argv = words }, &ignored) == 0)
		while (!c.ended)
			record_loop_turn(&m->r->run.loop, INT64_MAX);
	record_child_free(&c);
}

static int run_with(struct measuring *m, struct variant *v, size_t pair)
{
	struct recording *r = m->r;
	struct record_run *run = &r->run;
	struct record_cost *c = &v->cost;
	struct mer_err own = { 0 };
	run->plan = v->plan;
	run->hosts[0].backend = v->backend;
	run->plan.session =
		mer_arena_printf(&r->ask->arena, "%s-%s-%zu", v->plan.session, v->name, pair);
	run->folder = mer_arena_printf(&r->ask->arena, "%s/%s", m->folder, v->name);
	if (!run->plan.session || !run->folder)
		return mer_fail_nomem(&r->ask->err);
	int rc = record_begin(run, &r->ask->err);
	if (rc == 0)
		rc = run_command(m, &c->with[pair]);
	if (run->hosts[0].has_data) {
		int ended = record_end(run, &own);
		rc = rc ? rc : ended ? mer_fail(&r->ask->err, ended, "%s", own.text) : 0;
	}
	int cleaned = record_clean_up(run, &own);
	if (cleaned && rc == 0)
		rc = mer_fail(&r->ask->err, cleaned, "%s", own.text);
	if (rc == 0)
		rc = count(m, c);
	c->recorded_ns += c->with[pair].ns;
	remove_traces(m);
	return rc;
}

/* First without in one pair and first with in the next: what warms up favours neither. */
static int run_pair(struct measuring *m, struct variant *v, size_t pair)
{
	struct record_cost *c = &v->cost;
	int rc = 0;
	for (unsigned k = 0; k < 2 && rc == 0; k++)
		rc = (pair + k) % 2 == 0 ? run_without(m, &c->without[pair]) : run_with(m, v, pair);
	c->n += rc == 0;
	return rc;
}

static int run_all(struct measuring *m)
{
	struct record_run *run = &m->r->run;
	struct record_once once;
	record_say(run, RECORD_SAY_STEP, "running the command once, not measured");
	int rc = run_without(m, &once);
	for (size_t pair = 0; pair < PAIRS && rc == 0; pair++) {
		record_say(run, RECORD_SAY_STEP, "pair %zu of %d of each preset", pair + 1, PAIRS);
		for (size_t i = 0; i < m->n && rc == 0; i++)
			if (!m->variants[i].cannot)
				rc = run_pair(m, &m->variants[i], pair);
	}
	return rc;
}

/* ---- The table ---- */

static int print(struct measuring *m)
{
	enum {
		NAME,
		WITHOUT,
		WITH,
		SLOWER,
		LOW,
		HIGH,
		CPU,
		CPU_LOW,
		CPU_HIGH,
		EVENTS,
		EACH,
		LOST,
		RATE,
		LATER,
		N
	};
	static const struct mer_column columns[N + 1] = {
		[NAME] = { "preset", "Preset", MER_TEXT },
		[WITHOUT] = { "without_p50_ns", "Without", MER_DURATION },
		[WITH] = { "with_p50_ns", "With", MER_DURATION },
		[SLOWER] = { "slower_percent", "Slower", MER_RATIO },
		[LOW] = { "slower_low_percent", "from", MER_RATIO },
		[HIGH] = { "slower_high_percent", "to", MER_RATIO },
		[CPU] = { "cpu_percent", "CPU", MER_RATIO },
		[CPU_LOW] = { "cpu_low_percent", "from", MER_RATIO },
		[CPU_HIGH] = { "cpu_high_percent", "to", MER_RATIO },
		[EVENTS] = { "events", "Events", MER_COUNT },
		[EACH] = { "per_event_ns", "Each", MER_MEAN },
		[LOST] = { "lost", "Lost", MER_COUNT },
		[RATE] = { "bytes_per_s", "Bytes/s", MER_RATE },
		[LATER] = { "timer_later_ns", "Timer", MER_DURATION },
	};
	struct mer_table t;
	mer_table_init(&t, "cost", NULL, columns, NULL);
	for (size_t i = 0; i < m->n; i++) {
		const struct variant *v = &m->variants[i];
		const struct record_cost *c = &v->cost;
		struct record_slower s = record_cost_slower(c, false);
		struct record_slower cpu = record_cost_slower(c, true);
		double each = record_cost_per_event(c);
		if (v->cannot)
			continue;
		mer_table_add(
			&t, (struct mer_cell[N]){ [NAME] = mer_text(v->name),
				    [WITHOUT] = MER_INT(record_cost_median(c, RECORD_WITHOUT_NS)),
				    [WITH] = MER_INT(record_cost_median(c, RECORD_WITH_NS)),
				    [SLOWER] = MER_REAL_CELL(s.mean),
				    [LOW] = MER_REAL_CELL(s.low),
				    [HIGH] = MER_REAL_CELL(s.high),
				    [CPU] = MER_REAL_CELL(cpu.mean),
				    [CPU_LOW] = MER_REAL_CELL(cpu.low),
				    [CPU_HIGH] = MER_REAL_CELL(cpu.high),
				    [EVENTS] = MER_INT(c->n_events / c->n),
				    [EACH] = isfinite(each) ? MER_REAL_CELL(each) : MER_NONE,
				    [LOST] = MER_INT(c->n_lost),
				    [RATE] = MER_REAL_CELL(
					    (double)c->bytes * 1e9 / (double)c->recorded_ns),
				    [LATER] = MER_INT(record_cost_median(c, RECORD_LATER_NS)) });
	}
	int rc = ask_table_print(m->r->ask, &t);
	mer_table_fini(&t);
	return rc;
}

static void hide_output(struct measuring *m)
{
	int none = open("/dev/null", O_WRONLY | O_CLOEXEC);
	fflush(stdout);
	m->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (none >= 0)
		dup2(none, STDOUT_FILENO);
	if (none >= 0)
		close(none);
}

static void show_output(const struct measuring *m)
{
	if (m->out < 0)
		return;
	dup2(m->out, STDOUT_FILENO);
	close(m->out);
}

static int check(const struct recording *r)
{
	const struct record_options *o = r->o;
	struct mer_err *err = &r->ask->err;
	if (!r->run.command)
		return mer_fail(err, MER_ERR_USAGE, "--measure needs a COMMAND (after --)");
	if (o->hosts.n)
		return mer_fail(err, MER_ERR_USAGE,
			"--measure runs on this host alone: run it on each of the others");
	if (o->snapshot || o->live || o->rotate.set || o->grow || o->keep_remote || o->dry_run ||
		o->output)
		return mer_fail(err, MER_ERR_USAGE,
			"--measure goes with --for, --add, --user and --buffers only: it keeps no trace");
	return 0;
}

int record_measure_costs(struct recording *r)
{
	struct measuring m = { .r = r, .made = "meridian-measure-XXXXXX" };
	struct ask *ask = r->ask;
	int rc = check(r);
	if (rc == 0)
		rc = add_variants(&m);
	if (rc == 0)
		rc = record_loop_open(&r->run.loop, &ask->err);
	record_talk_to_people(r);
	if (rc == 0)
		rc = record_setup_hosts(r, NULL, 0);
	if (rc == 0)
		rc = inspect(&m);
	if (rc)
		return rc;
	char *real = mkdtemp(m.made) ? realpath(m.made, NULL) : NULL;
	m.folder = real ? mer_arena_strdup(&ask->arena, real) : NULL;
	free(real);
	if (!m.folder)
		return mer_fail_errno(&ask->err, "make a folder in", "the current one");
	hide_output(&m);
	rc = run_all(&m);
	show_output(&m);
	rmdir(m.made);
	return rc ? rc : print(&m);
}
