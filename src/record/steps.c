/* Steps: what is done on a host, as data, and how a step is done on all hosts at once. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/now.h"
#include "base/safe_text.h"
#include "record/run.h"
#include "record/tracefs.h"
#include "record/words.h"

static bool is_lttng(const struct record_host *h)
{
	return h->backend == RECORD_LTTNG;
}

static void connect_line(
	const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	(void)r;
	(void)h;
	mer_str_puts(out, "true");
}

/* The note of a recording that was killed may have been written before its folder was set. */
static const char *folder_of(const struct record_run *r, const struct record_host *h)
{
	struct mer_str s = { 0 };
	if (h->folder)
		return h->folder;
	record_put_folder(r, h, &s);
	const char *folder = s.failed ? NULL : mer_arena_strdup(r->arena, s.data);
	mer_str_fini(&s);
	return folder ? folder : "/nonexistent";
}

static struct record_tracefs tracefs_of(const struct record_run *r, const struct record_host *h)
{
	return (struct record_tracefs){ &r->plan, &h->facts, &h->skb, folder_of(r, h) };
}

static void create_line(
	const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	const struct record_tracefs t = tracefs_of(r, h);
	if (is_lttng(h))
		record_plan_create(&r->plan, h->folder, out);
	else if (h->backend == RECORD_TRACEFS)
		record_tracefs_create(&t, out);
	else
		mer_str_printf(out, "mkdir -p %s\n", h->folder);
}

/* The part of the plan that this host can record. */
static struct record_plan plan_of(const struct record_run *r, const struct record_host *h)
{
	struct record_plan p = r->plan;
	if (h->user_only)
		p.preset.channels[RECORD_KERNEL].name = NULL;
	return p;
}

static void channels_line(
	const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	const struct record_plan p = plan_of(r, h);
	const struct record_tracefs t = tracefs_of(r, h);
	if (is_lttng(h))
		record_plan_channels(&p, out);
	else if (h->backend == RECORD_TRACEFS)
		record_tracefs_buffers(&t, out);
}

static void events_line(
	const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	const struct record_tracefs t = tracefs_of(r, h);
	if (h->backend == RECORD_TRACEFS)
		record_tracefs_events(&t, out);
	if (!is_lttng(h))
		return;
	const struct record_plan p = plan_of(r, h);
	record_plan_events(&p, &h->facts, false, out);
	record_plan_rotation(&r->plan, out);
}

/* perf does not report when it records: if it still runs after a second, it does. */
static void put_perf_start(
	const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	struct mer_str line = { 0 };
	record_plan_perf(&r->plan, &h->facts, h->folder, &line);
	if (line.len)
		line.data[--line.len] = '\0';
	mer_str_printf(out,
		"nohup %s </dev/null >%s/perf.log 2>&1 &\necho $! >%s/perf.pid\n"
		"sleep 1\nkill -0 $! || { sed -n 1,3p %s/perf.log >&2; false; }\n",
		line.data ? line.data : "false", h->folder, h->folder, h->folder);
	out->failed |= line.failed;
	mer_str_fini(&line);
}

/* Waits for a line, so that all hosts are ready before the first one starts. */
static void start_line(const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	const struct record_tracefs t = tracefs_of(r, h);
	if (h->backend == RECORD_TRACEFS)
		record_tracefs_ready(&t, out);
	mer_str_puts(out, "echo ready\nread -r go\n[ \"$go\" = go ]\n");
	if (is_lttng(h))
		record_plan_start(&r->plan, out);
	else if (h->backend == RECORD_TRACEFS)
		record_tracefs_start(&t, out);
	else
		put_perf_start(r, h, out);
}

/* Done while recording, so that there is no gap between the state in /proc and the first event. */
static void state_line(const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	const struct record_tracefs t = tracefs_of(r, h);
	record_tracefs_state(&t, "before", out);
}

/* Ends perf, and waits until it has written everything; trace-cmd: of recordings by version 1.0. */
static void put_perf_end(const char *folder, struct mer_str *out)
{
	mer_str_printf(out,
		"F=%s\nfor f in \"$F/perf.pid\" \"$F/trace-cmd.pid\"; do\n"
		"[ -s \"$f\" ] || continue\n"
		"pid=$(cat \"$f\")\n"
		"kill -INT \"$pid\" 2>/dev/null || :\n"
		"n=0\n"
		"while kill -0 \"$pid\" 2>/dev/null; do n=$((n + 1)); [ $n -lt 300 ]; sleep 0.1; done\n"
		"rm -f \"$f\"\ndone\n",
		folder);
}

/* If perf has ended by itself, as on a full disk, the recording is incomplete. */
static void put_perf_check(const char *folder, struct mer_str *out)
{
	mer_str_printf(out,
		"F=%s\nif ! grep -q . \"/proc/$(cat \"$F/perf.pid\")/cmdline\" 2>/dev/null; then\n"
		"rm -f \"$F/perf.pid\"\n"
		"why=$(grep -v '^$' \"$F/perf.log\" | tail -1)\n"
		"echo \"perf has ended by itself${why:+: $why}\" >&2\n"
		"false\nfi\n",
		folder);
}

static void stop_line(const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	const struct record_tracefs t = tracefs_of(r, h);
	if (is_lttng(h)) {
		record_plan_stop(&r->plan, out);
	} else if (h->backend == RECORD_TRACEFS) {
		record_tracefs_stop(&t, out);
	} else {
		put_perf_check(folder_of(r, h), out);
		put_perf_end(folder_of(r, h), out);
		record_tracefs_state(&t, "after", out);
	}
}

/* Succeeds if the session is gone, whoever removed it. */
static void destroy_line(
	const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	const struct record_tracefs t = tracefs_of(r, h);
	if (h->backend == RECORD_TRACEFS) {
		record_tracefs_destroy(&t, out);
		return;
	}
	if (h->backend == RECORD_PERF) {
		mer_str_puts(out, "set +e\n");
		put_perf_end(folder_of(r, h), out);
		mer_str_puts(out, "true\n");
		return;
	}
	mer_str_printf(out,
		"if lttng destroy %s; then exit 0; fi\n"
		"if lttng list %s >/dev/null 2>&1; then exit 1; fi\n",
		r->plan.session, r->plan.session);
}

/* The size of the trace on the host's disk. */
static void measure_line(
	const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	(void)r;
	mer_str_printf(out, "du -sk %s | awk '{ n += $1 } END { print \"kib\", n }'\n", h->folder);
}

static void list_line(const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	(void)r;
	mer_str_printf(out, "cd %s\nfind . -type f -exec wc -c {} \\;\n", h->folder);
}

static void remove_line(
	const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	(void)r;
	mer_str_printf(out, "rm -rf %s\n", h->folder);
}

static void watch_line(const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	const struct record_tracefs t = tracefs_of(r, h);
	mer_str_puts(out, "set +e\n");
	if (is_lttng(h))
		mer_str_printf(out,
			"lttng list %s 2>/dev/null | sed -n 's/^ *Discarded events: *\\([0-9]*\\).*/discarded \\1/p'\n",
			r->plan.session);
	else if (h->backend == RECORD_TRACEFS)
		record_tracefs_losses(&t, out);
	mer_str_printf(out,
		"d=%s; [ -d \"$d\" ] || d=$HOME\n"
		"df -Pk \"$d\" 2>/dev/null | awk 'NR == 2 { print \"free_kib\", $4 }'\ntrue\n",
		r->plan.mode == RECORD_LIVE ? "$HOME" : h->folder);
}

static void no_line(const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	(void)r;
	(void)h;
	(void)out;
}

static void inspect_line(
	const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	(void)h;
	mer_str_puts(out, "set +e\n");
	if (record_preset_has(&r->plan.preset, RECORD_KERNEL))
		mer_str_puts(out, "kernel_events=1\n");
	/* When hosts are only inspected, all tracers are of interest. */
	if (r->plan.backend == RECORD_PERF || !r->plan.session)
		mer_str_puts(out, "perf_wanted=1\n");
	if (r->plan.session)
		mer_str_puts(out, "start_daemon=1\n");
	mer_str_puts(out, record_facts_script());
}

const struct record_step record_steps[RECORD_N_STEPS] = {
	[RECORD_STEP_CONNECT] = { "connect", "connect", connect_line, 20, false },
	[RECORD_STEP_INSPECT] = { "inspect", "look at the host", inspect_line, 60, false },
	[RECORD_STEP_CREATE] = { "create", "create the session", create_line, 60, true },
	[RECORD_STEP_CHANNELS] = { "channels", "enable the channels", channels_line, 60, true },
	[RECORD_STEP_EVENTS] = { "events", "enable the events", events_line, 120, true },
	[RECORD_STEP_START] = { "start", "start recording", start_line, 60, true },
	[RECORD_STEP_STATE] = { "state", "read /proc", state_line, 60, true },
	[RECORD_STEP_STOP] = { "stop", "stop recording", stop_line, 120, true },
	[RECORD_STEP_DESTROY] = { "destroy", "remove the session", destroy_line, 120, true },
	[RECORD_STEP_MEASURE] = { "measure", "see how large the trace is", measure_line, 60,
		false },
	[RECORD_STEP_LIST] = { "list", "list the files of the trace", list_line, 60, false },
	[RECORD_STEP_REMOVE] = { "remove", "remove the copy there", remove_line, 120, true },
	[RECORD_STEP_WATCH] = { "watch", "look for losses", watch_line, 30, false },
	[RECORD_STEP_DISCONNECT] = { "disconnect", "disconnect", no_line, 10, false },
};

void record_say(struct record_run *r, enum record_say kind, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (r->talk.say)
		r->talk.say(r->talk.ctx, kind, text);
}

const char *const record_ssh_words[RECORD_N_SSH_WORDS] = { "ssh", "-o", "BatchMode=yes", "-o",
	"ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3" };

/* The connections of all steps are one. */
static const char *const control_words[] = { "-o", "ControlMaster=auto", "-o", "ControlPersist=60",
	"-o" };
enum { N_CONTROL_WORDS = sizeof(control_words) / sizeof(*control_words) };

const char *const *record_host_argv(
	const struct record_run *r, const struct record_host *h, const char *line)
{
	const char **argv =
		mer_arena_zalloc(r->arena, RECORD_N_SSH_WORDS + N_CONTROL_WORDS + 4, sizeof(*argv));
	if (!argv)
		return NULL;
	/* This name marks it in the trace as a task of the recorder (analysis/tracer.h). */
	line = mer_arena_printf(
		r->arena, "{ printf meridian-step >/proc/self/comm; } 2>/dev/null\n%s", line);
	if (!line)
		return NULL;
	if (!h->target) {
		argv[0] = "sh";
		argv[1] = "-c";
		argv[2] = line;
		return argv;
	}
	memcpy(argv, record_ssh_words, sizeof(record_ssh_words));
	memcpy(argv + RECORD_N_SSH_WORDS, control_words, sizeof(control_words));
	size_t n = RECORD_N_SSH_WORDS + N_CONTROL_WORDS;
	argv[n] = mer_arena_printf(r->arena, "ControlPath=%s/%%C", r->control);
	if (!argv[n++])
		return NULL;
	argv[n++] = h->target;
	argv[n] = record_shell_line(r->arena, line);
	return argv[n] ? argv : NULL;
}

static const char *const *disconnect_argv(const struct record_run *r, const struct record_host *h)
{
	const char **argv = mer_arena_zalloc(r->arena, 8, sizeof(*argv));
	if (!argv)
		return NULL;
	argv[0] = "ssh";
	argv[1] = "-o";
	argv[2] = mer_arena_printf(r->arena, "ControlPath=%s/%%C", r->control);
	argv[3] = "-O";
	argv[4] = "exit";
	argv[5] = h->target;
	return argv[2] ? argv : NULL;
}

/* The last line that is not empty: programs say why last. */
static void put_last_line(struct mer_str *out, const struct mer_str *text)
{
	size_t end = text->len;
	while (end && (unsigned char)text->data[end - 1] <= ' ')
		end--;
	size_t begin = end;
	while (begin && text->data[begin - 1] != '\n')
		begin--;
	mer_safe_add(out, text->data + begin, end - begin > 400 ? 400 : end - begin);
}

int record_step_failed(struct record_run *r, const struct record_host *h,
	const struct record_step *s, const struct record_child *c, struct mer_err *err)
{
	struct mer_str why = { 0 };
	(void)r;
	if (c->timed_out)
		mer_str_printf(&why, "no answer within %d s", (int)s->timeout_s);
	else if (c->errors.len)
		put_last_line(&why, &c->errors);
	else if (c->output.len)
		put_last_line(&why, &c->output);
	else
		mer_str_printf(&why, "exit status %d", record_child_code(c));
	int rc = mer_fail(err, MER_ERR_INPUT, "%s: cannot %s: %s", h->name, s->doing,
		why.data ? why.data : "out of memory");
	mer_str_fini(&why);
	return rc;
}

/* Starts the step's command line on the host. */
static int begin_step(struct record_run *r, struct record_host *h, const struct record_step *s,
	struct mer_err *err)
{
	struct mer_str line = { 0 };
	const char *const *argv = NULL;
	record_child_free(&h->step);
	if (s == &record_steps[RECORD_STEP_DISCONNECT]) {
		argv = disconnect_argv(r, h);
	} else {
		/* The first command that fails ends the line. */
		mer_str_puts(&line, "set -e\n");
		s->line(r, h, &line);
		const char *text = line.failed ? NULL : mer_arena_strdup(r->arena, line.data);
		argv = text ? record_host_argv(r, h, text) : NULL;
		mer_str_fini(&line);
	}
	if (!argv)
		return mer_fail_nomem(err);
	return record_loop_spawn(&r->loop, &h->step,
		&(struct record_spawn){ .argv = argv,
			.keeps_input = s == &record_steps[RECORD_STEP_START],
			.timeout_ns = s->timeout_s * INT64_C(1000000000),
			.owner = h },
		err);
}

/* Has each host reported that it is ready, or ended? */
static bool all_ready(const struct record_run *r, record_takes_part *part)
{
	for (size_t i = 0; i < r->n_hosts; i++) {
		const struct record_host *h = &r->hosts[i];
		if ((!part || part(h)) && !h->step.ended && h->step.output.len == 0)
			return false;
	}
	return true;
}

static size_t running(const struct record_run *r)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n_hosts; i++)
		n += r->hosts[i].step.started && !r->hosts[i].step.ended;
	return n;
}

static bool any_failed(const struct record_run *r, record_takes_part *part)
{
	for (size_t i = 0; i < r->n_hosts; i++) {
		const struct record_host *h = &r->hosts[i];
		if ((!part || part(h)) && h->step.ended && record_child_code(&h->step) != 0)
			return true;
	}
	return false;
}

/* is_over: the step has failed already; what has begun must end before it can be undone. */
static void wait_for_all(struct record_run *r, const struct record_step *s, record_takes_part *part,
	bool best_effort, bool is_over)
{
	bool is_start = s == &record_steps[RECORD_STEP_START], went = false;
	while (running(r)) {
		bool stopped = is_over || (r->loop.n_interrupts && !best_effort);
		for (size_t i = 0; stopped && !s->finishes && i < r->n_hosts; i++)
			record_child_kill(&r->hosts[i].step, SIGTERM);
		if (is_start && !went && (stopped || any_failed(r, part) || all_ready(r, part))) {
			/* Without "go" no host starts. */
			bool go = !stopped && !any_failed(r, part);
			for (size_t i = 0; i < r->n_hosts; i++) {
				if (go)
					record_child_write(&r->hosts[i].step, "go\n", 3);
				record_child_close_input(&r->hosts[i].step);
			}
			went = true;
			if (go)
				r->began_ns = mer_now_ns();
		}
		record_loop_turn(
			&r->loop, mer_now_ns() + (stopped ? 100 : 1000) * INT64_C(1000000));
	}
}

int record_step_do(struct record_run *r, enum record_step_id id, record_takes_part *part,
	bool best_effort, struct mer_err *err)
{
	const struct record_step *s = &record_steps[id];
	int rc = 0;
	if (r->loop.n_interrupts && !best_effort)
		return mer_fail(err, MER_ERR_CANCELLED, "interrupted");
	for (size_t i = 0; i < r->n_hosts && (rc == 0 || best_effort); i++) {
		struct record_host *h = &r->hosts[i];
		record_child_free(&h->step);
		if (part && !part(h))
			continue;
		struct mer_err own = { 0 };
		int failed = begin_step(r, h, s, &own);
		if (failed && rc == 0)
			rc = mer_fail(
				err, failed, "%s: cannot %s: %s", h->name, s->doing, own.text);
	}
	wait_for_all(r, s, part, best_effort, rc != 0 && !best_effort);
	for (size_t i = 0; i < r->n_hosts && rc == 0; i++) {
		struct record_host *h = &r->hosts[i];
		if ((part && !part(h)) || record_child_code(&h->step) == 0)
			continue;
		if (r->loop.n_interrupts && !best_effort)
			return mer_fail(err, MER_ERR_CANCELLED, "interrupted");
		rc = record_step_failed(r, h, s, &h->step, err);
	}
	if (rc == 0 && r->loop.n_interrupts && !best_effort)
		return mer_fail(err, MER_ERR_CANCELLED, "interrupted");
	return rc;
}
