#include "record/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/now.h"
#include "record/agents.h"
#include "record/words.h"

#define SECOND INT64_C(1000000000)

enum {
	WATCH_S = 5,
	FREE_KIB_LEAST = 256 << 10, /* less free space than this ends the recording */
	BURST = 12
};

static bool is_own(const char *target)
{
	return strcmp(target, "localhost") == 0;
}

/* The name of a host and its folder: the target without the user, different from all earlier
 * ones. */
static const char *name_of(struct record_run *r, const char *target)
{
	const char *name = record_name_of_target(r->arena, target), *unlike = name;
	for (unsigned n = 2; unlike; n++) {
		bool is_taken = false;
		for (size_t i = 0; i < r->n_hosts; i++)
			is_taken |= strcmp(r->hosts[i].name, unlike) == 0;
		if (!is_taken)
			return unlike;
		unlike = mer_arena_printf(r->arena, "%s-%u", name, n);
	}
	return NULL;
}

int record_run_hosts(
	struct record_run *r, const char *const *targets, size_t n, struct mer_err *err)
{
	if (n > RECORD_MOST_HOSTS)
		return mer_fail(err, MER_ERR_LIMIT,
			"%zu hosts; at most %d can be recorded together", n, RECORD_MOST_HOSTS);
	r->n_hosts = 0;
	r->hosts = mer_arena_zalloc(r->arena, n + 1, sizeof(*r->hosts));
	if (!r->hosts)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		if (!record_is_target(targets[i]))
			return mer_fail(err, MER_ERR_USAGE,
				"'%.100s' is not a host such as server or user@server", targets[i]);
		for (size_t k = 0; k < i; k++)
			if (strcmp(targets[i], targets[k]) == 0)
				return mer_fail(
					err, MER_ERR_USAGE, "host %s is given twice", targets[i]);
		struct record_host *h = &r->hosts[i];
		h->target = is_own(targets[i]) ? NULL : targets[i];
		h->name = name_of(r, targets[i]);
		h->n_discarded = h->free_kib = h->bytes = -1;
		h->skb = (struct record_skb){ -1, -1 };
		if (!h->name)
			return mer_fail_nomem(err);
		r->n_hosts = i + 1;
	}
	return 0;
}

static bool is_remote(const struct record_host *h)
{
	return h->target != NULL;
}

static bool is_connected(const struct record_host *h)
{
	return h->target && h->connected;
}

static bool is_made(const struct record_host *h)
{
	return h->made;
}

int record_connect(struct record_run *r, struct mer_err *err)
{
	bool any = false;
	for (size_t i = 0; i < r->n_hosts; i++)
		any |= is_remote(&r->hosts[i]);
	if (!any)
		return 0;
	/* Short: the path of a socket has 108 bytes at most. */
	snprintf(r->control, sizeof(r->control), RECORD_CONTROL "%ld-XXXXXX", (long)getpid());
	if (!mkdtemp(r->control)) {
		r->control[0] = '\0';
		return mer_fail_errno(err, "make a folder in", "/tmp");
	}
	for (size_t i = 0; i < r->n_hosts; i++)
		r->hosts[i].connected = is_remote(&r->hosts[i]);
	return record_step_do(r, RECORD_STEP_CONNECT, is_remote, false, err);
}

int record_inspect(struct record_run *r, bool start_daemon, struct mer_err *err)
{
	const char *session = r->plan.session;
	if (!start_daemon)
		r->plan.session = NULL;
	int rc = record_step_do(r, RECORD_STEP_INSPECT, NULL, false, err);
	r->plan.session = session;
	for (size_t i = 0; i < r->n_hosts && rc == 0; i++) {
		struct record_host *h = &r->hosts[i];
		record_facts_free(&h->facts);
		rc = record_facts_read(&h->facts, h->step.output.data ? h->step.output.data : "",
			h->step.output.len, r->arena, err);
		if (rc == 0 && !h->facts.complete)
			rc = mer_fail(err, MER_ERR_INPUT,
				"%s: cannot look at the host: its answer is not complete", h->name);
	}
	return rc ? rc : record_learn_offsets(r, err);
}

void record_put_folder(const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	if (r->plan.mode == RECORD_LIVE)
		mer_str_printf(out, "~/lttng-traces/*/%s*", r->plan.session);
	else if (h->target)
		mer_str_printf(out, "~/%s-traces/%s",
			h->backend == RECORD_LTTNG ? "lttng" : "meridian", r->plan.session);
	else {
		struct mer_str path = { 0 };
		mer_str_printf(&path, "%s/%s", r->folder, h->name);
		record_put_word(out, path.data ? path.data : "");
		out->failed |= path.failed;
		mer_str_fini(&path);
	}
}

static int set_folders(struct record_run *r, struct mer_err *err)
{
	for (size_t i = 0; i < r->n_hosts; i++) {
		struct record_host *h = &r->hosts[i];
		struct mer_str s = { 0 };
		h->is_elsewhere = r->plan.mode == RECORD_LIVE;
		record_put_folder(r, h, &s);
		h->folder = s.failed ? NULL : mer_arena_strdup(r->arena, s.data);
		mer_str_fini(&s);
		if (!h->folder)
			return mer_fail_nomem(err);
	}
	return 0;
}

static void check_spread(struct record_run *r)
{
	int64_t last = r->began_ns;
	for (size_t i = 0; i < r->n_hosts; i++) {
		struct record_host *h = &r->hosts[i];
		h->has_data = true;
		h->started_ns = h->step.ended_ns;
		if (h->started_ns > last)
			last = h->started_ns;
	}
	r->spread_ns = last - r->began_ns;
}

/* The time to add to the host's clock to get the local one: the middle of what its rounds allow. */
static bool clock_offset(const struct record_host *h, int64_t *offset)
{
	int64_t low = INT64_MIN, high = INT64_MAX;
	if (!h->n_rounds)
		return false;
	for (size_t i = 0; i < h->n_rounds; i++) {
		const struct record_round *x = &h->rounds[i];
		low = x->asked - x->arrived > low ? x->asked - x->arrived : low;
		high = x->answered - x->left < high ? x->answered - x->left : high;
	}
	*offset = low + (high - low) / 2;
	return true;
}

void record_take_first_events(struct record_run *r, const int64_t *first)
{
	int64_t earliest = INT64_MAX, latest = INT64_MIN;
	for (size_t i = 0; i < r->n_hosts; i++) {
		int64_t offset, at;
		if (first[i] == INT64_MIN || !clock_offset(&r->hosts[i], &offset) ||
			__builtin_add_overflow(first[i], offset, &at))
			return;
		earliest = at < earliest ? at : earliest;
		latest = at > latest ? at : latest;
	}
	r->spread_seen = r->n_hosts > 0 && latest - earliest >= 0;
	if (r->spread_seen)
		r->spread_ns = latest - earliest;
}

/* LTTng records the state itself. */
static bool reads_state(const struct record_host *h)
{
	return h->backend != RECORD_LTTNG;
}

int record_begin(struct record_run *r, struct mer_err *err)
{
	static const enum record_step_id steps[] = { RECORD_STEP_CREATE, RECORD_STEP_CHANNELS,
		RECORD_STEP_EVENTS };
	int rc = set_folders(r, err);
	for (size_t i = 0; i < r->n_hosts; i++)
		r->hosts[i].watch_argv = NULL;
	if (rc == 0)
		rc = record_agents_begin(r, err);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && rc == 0; i++) {
		for (size_t h = 0; h < r->n_hosts; h++)
			r->hosts[h].made = true;
		rc = record_step_do(r, steps[i], NULL, false, err);
	}
	if (rc == 0) {
		record_agents_burst(r, BURST, 2 * SECOND);
		rc = record_step_do(r, RECORD_STEP_START, NULL, false, err);
	}
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	r->began_realtime_ns = now.tv_sec * SECOND + now.tv_nsec;
	if (rc)
		return rc;
	check_spread(r);
	/* If it fails, names are missing, but no events: the recording goes on. */
	struct mer_err own = { 0 };
	if (record_step_do(r, RECORD_STEP_STATE, reads_state, true, &own))
		record_say(
			r, RECORD_SAY_WARNING, "%s: what was open before has no names", own.text);
	if (r->beacons)
		record_agents_beacons(r, r->beacon_s);
	return 0;
}

/* "discarded 12", "free_kib 1000" */
static void read_watch(struct record_run *r, struct record_host *h)
{
	int64_t discarded = 0, n;
	bool any = false, is_full = false;
	for (const char *p = h->watch.output.data; p && *p;) {
		if (strncmp(p, "discarded ", 10) == 0) {
			any = true;
			n = strtoll(p + 10, NULL, 10);
			if (n > 0 && __builtin_add_overflow(discarded, n, &discarded))
				discarded = INT64_MAX;
		} else if (strncmp(p, "free_kib ", 9) == 0)
			h->free_kib = strtoll(p + 9, NULL, 10);
		else if (strncmp(p, "full", 4) == 0)
			is_full = true;
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	if (any && discarded > (h->n_discarded > 0 ? h->n_discarded : 0))
		record_say(r, RECORD_SAY_WARNING,
			"%s: %" PRId64 " events lost so far: larger buffers (-b) keep them",
			h->name, discarded);
	if (any)
		h->n_discarded = discarded;
	if (is_full && !h->is_full)
		record_say(r, RECORD_SAY_WARNING,
			"%s: its disk became full: what happened there after that was not recorded",
			h->name);
	h->is_full |= is_full;
	r->full |= is_full;
	if (h->free_kib >= 0 && h->free_kib < FREE_KIB_LEAST && !r->full) {
		r->full = true;
		record_say(r, RECORD_SAY_WARNING,
			"%s: only %" PRId64 " MiB are free: the recording ends here", h->name,
			h->free_kib >> 10);
	}
}

static void begin_watch(struct record_run *r, struct record_host *h)
{
	struct mer_str line = { 0 };
	struct mer_err err = { 0 };
	record_child_free(&h->watch);
	if (!h->watch_argv) {
		record_steps[RECORD_STEP_WATCH].line(r, h, &line);
		const char *text = line.failed ? NULL : mer_arena_strdup(r->arena, line.data);
		h->watch_argv = text ? record_host_argv(r, h, text) : NULL;
		mer_str_fini(&line);
	}
	if (h->watch_argv)
		record_loop_spawn(&r->loop, &h->watch,
			&(struct record_spawn){ .argv = h->watch_argv,
				.owner = h,
				.timeout_ns = record_steps[RECORD_STEP_WATCH].timeout_s * SECOND },
			&err);
}

static void watch(struct record_run *r, bool begin)
{
	for (size_t i = 0; i < r->n_hosts; i++) {
		struct record_host *h = &r->hosts[i];
		if (h->watch.started && h->watch.ended) {
			if (record_child_code(&h->watch) == 0)
				read_watch(r, h);
			record_child_free(&h->watch);
		}
		if (begin && !h->watch.started)
			begin_watch(r, h);
		if (h->agent.ended && !h->agent_failed) {
			h->agent_failed = true;
			record_say(r, RECORD_SAY_WARNING,
				"%s: the connection ended: it may record no more", h->name);
		}
	}
}

static int start_command(struct record_run *r, struct record_child *c, struct mer_err *err)
{
	return record_loop_spawn(&r->loop, c,
		&(struct record_spawn){ .argv = r->command, .shares_terminal = true }, err);
}

/* Passes on a signal that was sent to us alone; Ctrl-C at the terminal has reached the command,
 * too. */
static void pass_signal(struct record_run *r, struct record_child *command)
{
	if (command->started && !command->ended &&
		(r->loop.last_signal != SIGINT || tcgetpgrp(STDIN_FILENO) != getpgrp()))
		kill(command->pid, r->loop.last_signal);
}

int record_wait(struct record_run *r, struct mer_err *err)
{
	struct record_child command = { 0 };
	unsigned interrupts = 0;
	int rc = 0;
	int64_t now = mer_now_ns(), next_watch = now + WATCH_S * SECOND, next_round = now;
	int64_t end = r->duration_ns ? now + r->duration_ns : INT64_MAX;
	if (r->command)
		rc = start_command(r, &command, err);
	while (rc == 0) {
		now = mer_now_ns();
		if (r->loop.n_interrupts != interrupts) {
			interrupts = r->loop.n_interrupts;
			pass_signal(r, &command);
			/* The command may take its time to end; the third interrupt does not
			 * wait. */
			if (!r->command || interrupts >= 3)
				break;
		}
		if (command.ended || now >= end || r->full)
			break;
		if (now >= next_round) {
			record_agents_ask(r);
			next_round = now + SECOND;
		}
		watch(r, now >= next_watch);
		if (now >= next_watch)
			next_watch = now + WATCH_S * SECOND;
		int64_t until = next_round < next_watch ? next_round : next_watch;
		record_loop_turn(&r->loop, until < end ? until : end);
	}
	r->command_code = command.ended ? record_child_code(&command) : 0;
	r->command_ns = command.ended ? command.ended_ns - command.started_ns : 0;
	r->command_cpu_ns = command.cpu_ns;
	if (command.started && !command.ended) {
		record_child_kill(&command, SIGTERM);
		for (int64_t most = mer_now_ns() + 2 * SECOND;
			!command.ended && mer_now_ns() < most;)
			record_loop_turn(&r->loop, most);
	}
	record_child_free(&command);
	return rc;
}

int record_end(struct record_run *r, struct mer_err *err)
{
	if (r->beacons)
		record_agents_count(r);
	record_agents_burst(r, BURST, 2 * SECOND);
	r->ended_ns = mer_now_ns();
	for (size_t i = 0; i < r->n_hosts; i++)
		record_child_free(&r->hosts[i].watch);
	/* What was recorded is kept, even if it is interrupted. */
	int rc = record_step_do(r, RECORD_STEP_STOP, is_made, true, err);
	/* The last look at losses, while the session is there. */
	struct mer_err ignored = { 0 };
	record_step_do(r, RECORD_STEP_WATCH, is_made, true, &ignored);
	for (size_t i = 0; i < r->n_hosts; i++) {
		struct record_host *h = &r->hosts[i];
		if (!is_made(h) || record_child_code(&h->step) != 0)
			continue;
		h->watch = (struct record_child){ .output = h->step.output };
		read_watch(r, h);
		h->watch = (struct record_child){ 0 };
	}
	return rc;
}

/* Sessions, in several tries: a host may be slow, or a command still on its way. */
static int remove_sessions(struct record_run *r, struct mer_err *err)
{
	enum { TRIES = 3 };
	int rc = 0;
	for (int i = 0; i < TRIES; i++) {
		struct mer_err own = { 0 };
		bool any = false;
		rc = record_step_do(r, RECORD_STEP_DESTROY, is_made, true, &own);
		for (size_t h = 0; h < r->n_hosts; h++) {
			if (r->hosts[h].made && record_child_code(&r->hosts[h].step) == 0)
				r->hosts[h].made = false;
			any |= r->hosts[h].made;
		}
		if (!any)
			return 0;
		if (i + 1 == TRIES)
			return mer_fail(err, rc ? rc : MER_ERR_INPUT, "%s", own.text);
		int64_t until = mer_now_ns() + SECOND / 2;
		while (mer_now_ns() < until)
			record_loop_turn(&r->loop, until);
	}
	return rc;
}

static bool has_nothing(const struct record_host *h)
{
	return h->folder && h->target && !h->has_data;
}

int record_clean_up(struct record_run *r, struct mer_err *err)
{
	struct mer_err ignored = { 0 };
	bool any = false, any_empty = false;
	for (size_t i = 0; i < r->n_hosts; i++) {
		record_child_free(&r->hosts[i].watch);
		any |= r->hosts[i].made;
		any_empty |= has_nothing(&r->hosts[i]) && r->hosts[i].made;
	}
	int rc = any ? remove_sessions(r, err) : 0;
	record_agents_end(r);
	if (any_empty && r->plan.mode != RECORD_LIVE)
		record_step_do(r, RECORD_STEP_REMOVE, has_nothing, true, &ignored);
	return rc;
}

void record_run_free(struct record_run *r)
{
	struct mer_err ignored = { 0 };
	if (r->control[0]) {
		record_step_do(r, RECORD_STEP_DISCONNECT, is_connected, true, &ignored);
		rmdir(r->control);
		r->control[0] = '\0';
	}
	for (size_t i = 0; i < r->n_hosts; i++) {
		struct record_host *h = &r->hosts[i];
		record_child_free(&h->step);
		record_child_free(&h->watch);
		record_child_free(&h->agent);
		record_facts_free(&h->facts);
		free(h->rounds);
		h->rounds = NULL;
	}
}
