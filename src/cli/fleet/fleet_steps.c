/* Steps of a fleet: a line on each host, so many hosts at a time. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/program.h"
#include "base/now.h"
#include "base/safe_text.h"
#include "cli/fleet/fleet.h"

#define SECOND INT64_C(1000000000)

enum { FANOUT = 32, TIMEOUT_S = 3600, GRACE_S = 3, WHY_BYTES = 400 };

struct stepping {
	struct fleet *f;
	enum fleet_step step;
	int sent_fd; /* of what is sent to hosts first; 0: nothing */
	int64_t n_sent;
	struct mer_str sent_key;
	struct ask_progress progress;
};

/* ---- Why a host failed ---- */

static bool begins(const char *text, size_t len, const char *with)
{
	size_t n = strlen(with);
	return len >= n && memcmp(text, with, n) == 0;
}

void fleet_put_said(struct mer_str *out, const struct mer_str *errors)
{
	static const char error[] = "meridian: error: ", other[] = "meridian: ";
	const char *best = NULL;
	size_t best_len = 0;
	for (size_t at = 0, whole; at < errors->len; at += whole + 1) {
		const char *line = errors->data + at;
		const char *end = memchr(line, '\n', errors->len - at);
		whole = end ? (size_t)(end - line) : errors->len - at;
		size_t n = whole;
		while (n && (unsigned char)line[n - 1] <= ' ')
			n--;
		if (!n || begins(line, n, "Try 'meridian"))
			continue;
		if (best && begins(best, best_len, error) && !begins(line, n, error))
			continue;
		best = line;
		best_len = n;
	}
	size_t skip = begins(best ? best : "", best_len, error)	  ? sizeof(error) - 1
		      : begins(best ? best : "", best_len, other) ? sizeof(other) - 1
								  : 0;
	best_len -= skip;
	if (best_len)
		mer_safe_add(out, best + skip, best_len > WHY_BYTES ? WHY_BYTES : best_len);
}

/* The first bytes of a file; how many there are. By its name: on this host, what is given the file
 * as standard output may have put another in its place. */
static ssize_t read_head(const char *path, unsigned char head[2])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, head, 2) : -1;
	if (fd >= 0)
		close(fd);
	return n;
}

/* Was the host's file made? Of statuses those of whole answers, where something was lost or not
 * recorded, count, too. Otherwise says why not, and what could be done. */
static bool is_made(
	const struct stepping *s, const struct fleet_host *h, const char *path, struct mer_str *why)
{
	static const char *const none[] = { [FLEET_PART] = "there is no part for its clock",
		[FLEET_ANSWER] = "there is no answer",
		[FLEET_FULL] = "it is not known what its tasks did" };
	const struct record_child *c = &h->child;
	int code = record_child_code(c);
	bool is_whole = code == ASK_OK || code == ASK_INPUT || code == ASK_DEGRADED;
	unsigned char head[2];
	ssize_t n = read_head(path, head);
	struct mer_str said = { 0 };
	fleet_put_said(&said, &c->errors);
	const char *text = said.data ? said.data : "";
	const char *colon = *text ? ": " : "";
	if (c->timed_out)
		mer_str_printf(why, "%s after %lld s (--timeout)", none[s->step],
			(long long)((c->ended_ns - c->started_ns) / SECOND));
	else if (code == 255 && h->target)
		mer_str_printf(why,
			"no connection, or it broke%s%s; does 'ssh %s true' work without a password?",
			colon, text, h->target);
	else if (code == 126 || code == 127)
		mer_str_printf(why,
			"meridian cannot be run there%s%s; install it there, or say where it is with --remote-program",
			colon, text);
	else if (code == ASK_USAGE && begins(text, strlen(text), "unknown "))
		mer_str_printf(why,
			"%s: %s; is meridian there older than here (" MERIDIAN_VERSION ")?",
			none[s->step], text);
	else if (code > 128)
		mer_str_printf(why, "%s: the program was ended there by signal %d%s%s",
			none[s->step], code - 128, colon, text);
	else if (*text && (!is_whole || n <= 0))
		mer_str_printf(why, "%s: %s", none[s->step], text);
	else if (!is_whole || n <= 0)
		mer_str_printf(
			why, "%s: nothing was written (exit status %d)", none[s->step], code);
	else if (n < 2 || head[0] != 0x1f || head[1] != 0x8b) /* both are gzipped */
		mer_str_printf(why,
			"%s, but something else: what a login there prints (.bashrc) must not go to standard output",
			none[s->step]);
	mer_str_fini(&said);
	return !why->len && !why->failed;
}

/* Hosts that failed for one reason are named in one sentence. */
static void say_failures(const struct stepping *s, const bool *had_failed)
{
	const struct fleet *f = s->f;
	for (size_t i = 0; i < f->n_hosts; i++) {
		const char *why = f->hosts[i].failed;
		struct mer_str names = { 0 };
		bool is_said = !why || had_failed[i];
		for (size_t k = 0; k < i && !is_said; k++)
			is_said = f->hosts[k].failed && !had_failed[k] &&
				  strcmp(f->hosts[k].failed, why) == 0;
		if (is_said)
			continue;
		for (size_t k = i; k < f->n_hosts; k++)
			if (f->hosts[k].failed && strcmp(f->hosts[k].failed, why) == 0)
				mer_str_printf(
					&names, "%s%s", k == i ? "" : ", ", f->hosts[k].label);
		ask_warn(f->ask, "%s left out: %s", names.data ? names.data : "", why);
		mer_str_fini(&names);
	}
}

/* ---- One host ---- */

static void leave_out(const struct fleet *f, struct fleet_host *h, const char *why)
{
	const char *text = mer_arena_strdup(&f->ask->arena, why ? why : "memory is out");
	h->failed = text ? text : "memory is out";
}

static const char *unfinished(const struct stepping *s, const struct fleet_host *h)
{
	const char *path = fleet_file(s->f, h, s->step);
	return path ? mer_arena_printf(&s->f->ask->arena, "%s.new", path) : NULL;
}

/* A file that is gone when it is closed. */
static int open_bundle(struct fleet *f, struct fleet_host *h, int64_t *n_sent)
{
	struct stat st;
	struct mer_err *err = &f->ask->err;
	const char *path = fleet_path(f, "bundle.tgz");
	if (!path)
		return mer_fail_nomem(err);
	h->bundle_fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (h->bundle_fd < 0)
		return mer_fail_errno(err, "write", path);
	unlink(path);
	int rc = fleet_bundle(f, h, h->bundle_fd);
	if (rc == 0 && fstat(h->bundle_fd, &st) != 0)
		rc = mer_fail_errno(err, "read", path);
	*n_sent = rc ? 0 : st.st_size;
	return rc;
}

static void close_files(struct fleet_host *h)
{
	if (h->fd >= 0)
		close(h->fd);
	if (h->bundle_fd >= 0)
		close(h->bundle_fd);
	h->fd = h->bundle_fd = -1;
}

static int begin_host(const struct stepping *s, struct fleet_host *h)
{
	struct fleet *f = s->f;
	struct mer_err *err = &f->ask->err;
	const char *path = fleet_file(f, h, s->step), *new = unfinished(s, h);
	int64_t n_sent = s->n_sent;
	int rc = s->step == FLEET_FULL ? open_bundle(f, h, &n_sent) : 0;
	if (rc)
		return rc;
	const char *script = fleet_script(f, h, s->step, n_sent);
	const char *const *argv = script ? fleet_argv(f, h, script) : NULL;
	if (!path || !new || !argv)
		return mer_fail_nomem(err);
	h->fd = open(new, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (h->fd < 0)
		return mer_fail_errno(err, "write", new);
	h->is_asked = true;
	return record_loop_spawn(&f->loop, &h->child,
		&(struct record_spawn){ .argv = argv,
			.output_fd = h->fd,
			.keeps_input = true,
			.input_fd = h->bundle_fd >= 0 ? h->bundle_fd : s->sent_fd,
			.timeout_ns = f->o->timeout.set ? f->o->timeout.v : TIMEOUT_S * SECOND,
			.owner = h },
		err);
}

/* Its file is there as a whole, or not at all. */
static int end_host(const struct stepping *s, struct fleet_host *h)
{
	struct fleet *f = s->f;
	struct mer_str why = { 0 }, key = { 0 };
	const char *path = fleet_file(f, h, s->step), *new = unfinished(s, h);
	int rc = path && new ? 0 : mer_fail_nomem(&f->ask->err);
	bool made = rc == 0 && is_made(s, h, new, &why);
	if (made)
		fleet_forget(f, path);
	if (made && rename(new, path) != 0)
		rc = mer_fail_errno(&f->ask->err, "write", path);
	fleet_key(f, h, s->step, f->has_facts, &s->sent_key, &key);
	if (made && rc == 0)
		rc = fleet_keep(f, path, &key);
	if (!made && new) {
		unlink(new);
		leave_out(f, h, why.data);
	}
	record_child_free(&h->child);
	close_files(h);
	mer_str_fini(&key);
	mer_str_fini(&why);
	return rc;
}

/* What is there from an earlier time need not be asked. What has facts is of use without, too. */
static bool has_file(const struct stepping *s, const struct fleet_host *h)
{
	bool has = false;
	const char *path = fleet_file(s->f, h, s->step);
	for (int facts = s->f->has_facts; facts < 2 && path && !has; facts++) {
		struct mer_str key = { 0 };
		fleet_key(s->f, h, s->step, facts, &s->sent_key, &key);
		has = fleet_is_kept(s->f, path, &key);
		mer_str_fini(&key);
	}
	return has;
}

/* ---- All hosts ---- */

/* Ends what is under way; hosts notice, and get some time to remove what they have. */
static void end_all(struct fleet *f)
{
	int64_t until = mer_now_ns() + GRACE_S * SECOND;
	bool any = true;
	for (struct record_child *c = f->loop.children; c; c = c->next)
		record_child_kill(c, SIGTERM);
	while (any && mer_now_ns() < until) {
		any = false;
		for (struct record_child *c = f->loop.children; c; c = c->next)
			any |= !c->ended;
		if (any)
			record_loop_turn(&f->loop, until);
	}
}

static int ask_all(struct stepping *s)
{
	struct fleet *f = s->f;
	size_t fanout = f->o->fanout ? f->o->fanout : FANOUT, running = 0, next = 0;
	int rc = 0;
	while (rc == 0 && (running || next < f->n_hosts)) {
		for (; rc == 0 && running < fanout && next < f->n_hosts; next++) {
			struct fleet_host *h = &f->hosts[next];
			if (h->failed || has_file(s, h)) {
				ask_progress_add(&s->progress, 1);
				continue;
			}
			rc = begin_host(s, h);
			running += rc == 0;
		}
		if (running && rc == 0)
			record_loop_turn(&f->loop, INT64_MAX);
		for (size_t i = 0; i < next && rc == 0; i++) {
			struct fleet_host *h = &f->hosts[i];
			if (!h->child.started || !h->child.ended)
				continue;
			rc = end_host(s, h);
			running--;
			ask_progress_add(&s->progress, 1);
		}
		if (f->loop.n_interrupts && rc == 0)
			rc = mer_fail(&f->ask->err, MER_ERR_CANCELLED, "interrupted");
	}
	if (rc)
		end_all(f);
	for (size_t i = 0; i < f->n_hosts; i++) {
		struct fleet_host *h = &f->hosts[i];
		bool is_begun = h->fd >= 0;
		record_child_free(&h->child);
		close_files(h);
		const char *new = is_begun ? unfinished(s, h) : NULL;
		if (new)
			unlink(new);
	}
	return rc;
}

static int open_sent(struct stepping *s, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0 || !fleet_key_file(&s->sent_key, path)) {
		int rc = mer_fail_errno(&s->f->ask->err, "read", path);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	s->sent_fd = fd;
	s->n_sent = st.st_size;
	return 0;
}

int fleet_step(struct fleet *f, enum fleet_step step, const char *sent)
{
	static const char *const what[] = {
		[FLEET_PART] = "clocks", [FLEET_ANSWER] = "answers", [FLEET_FULL] = "full parts"
	};
	struct stepping s = { .f = f, .step = step };
	bool *had_failed = mer_arena_zalloc(&f->ask->arena, f->n_hosts, sizeof(*had_failed));
	if (!had_failed)
		return mer_fail_nomem(&f->ask->err);
	for (size_t i = 0; i < f->n_hosts; i++) {
		had_failed[i] = f->hosts[i].failed != NULL;
		f->hosts[i].fd = f->hosts[i].bundle_fd = -1;
	}
	int rc = 0;
	if (step == FLEET_FULL && !fleet_key_parts(f, sent, &s.sent_key))
		rc = mer_fail_errno(&f->ask->err, "read", sent);
	else if (step != FLEET_FULL && sent)
		rc = open_sent(&s, sent);
	if (rc == 0) {
		ask_progress_count(&s.progress, f->ask, what[step], "hosts", f->n_hosts);
		rc = ask_all(&s);
		ask_progress_end(&s.progress);
	}
	if (s.sent_fd > 0)
		close(s.sent_fd);
	mer_str_fini(&s.sent_key);
	if (rc == 0)
		say_failures(&s, had_failed);
	return rc;
}

int fleet_run_here(struct fleet *f, const char *const *words, bool is_shown, struct mer_str *said)
{
	struct record_child child = { 0 };
	struct mer_err *err = &f->ask->err;
	unsigned interrupts = f->loop.n_interrupts;
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int rc = nowhere < 0 ? mer_fail_errno(err, "open", "/dev/null")
			     : record_loop_spawn(&f->loop, &child,
				       &(struct record_spawn){ .argv = words,
					       .output_fd = nowhere,
					       .shares_terminal = is_shown },
				       err);
	while (rc == 0 && !child.ended) {
		record_loop_turn(&f->loop, INT64_MAX);
		if (f->loop.n_interrupts == interrupts || child.ended)
			continue;
		rc = mer_fail(err, MER_ERR_CANCELLED, "interrupted");
		end_all(f);
	}
	if (said)
		fleet_put_said(said, &child.errors);
	else if (child.errors.len)
		fwrite(child.errors.data, 1, child.errors.len, stderr);
	if (rc == 0)
		rc = record_child_code(&child);
	record_child_free(&child);
	if (nowhere >= 0)
		close(nowhere);
	return rc;
}
