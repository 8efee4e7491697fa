#include "record/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/now.h"

extern char **environ;

enum { MOST_CHILDREN = 2000, GRACE_MS = 2000 };
#define MS INT64_C(1000000)

static void watched_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
}

int record_loop_open(struct record_loop *l, struct mer_err *err)
{
	sigset_t set;
	struct sigaction act;
	*l = (struct record_loop){ .signal_fd = -1 };
	watched_signals(&set);
	memset(&act, 0, sizeof(act));
	sigemptyset(&act.sa_mask);
	/* If SIGCHLD is ignored, as by our parent, children cannot be waited for. SIGPIPE: a child
	 * that no longer reads must not kill us. */
	act.sa_handler = SIG_DFL;
	sigaction(SIGCHLD, &act, &l->old_child);
	act.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &act, &l->old_pipe);
	sigprocmask(SIG_BLOCK, &set, &l->old_mask);
	l->is_open = true;
	l->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return l->signal_fd < 0 ? mer_fail_errno(err, "watch", "signals") : 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void record_loop_close(struct record_loop *l)
{
	if (!l->is_open)
		return;
	while (l->children)
		record_child_free(l->children);
	close_fd(&l->signal_fd);
	sigaction(SIGCHLD, &l->old_child, NULL);
	sigaction(SIGPIPE, &l->old_pipe, NULL);
	sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
	l->is_open = false;
}

static int spawn(struct record_loop *l, struct record_child *c, const struct record_spawn *s,
	const int fds[3])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t defaults;
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	for (int i = 0; !s->shares_terminal && i < 3; i++)
		posix_spawn_file_actions_adddup2(&files, fds[i], i);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	sigaddset(&defaults, SIGINT);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setsigmask(&attr, &l->old_mask);
	if (!s->shares_terminal) {
		posix_spawnattr_setpgroup(&attr, 0);
		flags |= POSIX_SPAWN_SETPGROUP;
	}
	posix_spawnattr_setflags(&attr, flags);
	int rc = posix_spawnp(
		&c->pid, s->argv[0], &files, &attr, (char *const *)(uintptr_t)s->argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return rc;
}

static bool make_pipe(int ends[2])
{
	return pipe2(ends, O_CLOEXEC) == 0;
}

int record_loop_spawn(struct record_loop *l, struct record_child *c, const struct record_spawn *s,
	struct mer_err *err)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, errs[2] = { -1, -1 };
	*c = (struct record_child){ .pid = -1,
		.in = -1,
		.out = -1,
		.err = -1,
		.output_fd = s->output_fd > 0 ? s->output_fd : -1,
		.input_fd = s->input_fd > 0 ? s->input_fd : -1,
		.owner = s->owner,
		.on_output = s->on_output,
		.loop = l,
		.started_ns = mer_now_ns() };
	c->deadline_ns = s->timeout_ns ? c->started_ns + s->timeout_ns : INT64_MAX;
	bool ok = true;
	if (!s->shares_terminal) {
		ok = s->keeps_input ? make_pipe(in)
				    : (in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;
		ok = ok && make_pipe(errs) && (c->output_fd >= 0 || make_pipe(out));
	}
	int e = ok ? 0 : errno;
	if (ok) {
		int fds[3] = { in[0], c->output_fd >= 0 ? c->output_fd : out[1], errs[1] };
		e = spawn(l, c, s, fds);
	}
	close_fd(&in[0]);
	close_fd(&out[1]);
	close_fd(&errs[1]);
	if (e) {
		close_fd(&in[1]);
		close_fd(&out[0]);
		close_fd(&errs[0]);
		errno = e;
		return mer_fail_errno(err, "run", s->argv[0]);
	}
	c->in = in[1];
	c->out = out[0];
	c->err = errs[0];
	const int ours[] = { c->in, c->out, c->err };
	for (int i = 0; i < 3; i++)
		if (ours[i] >= 0)
			fcntl(ours[i], F_SETFL, O_NONBLOCK);
	c->started = true;
	c->next = l->children;
	l->children = c;
	return 0;
}

/* Reads what there is without waiting; closes fd at the end of the data. */
static void drain(struct record_child *c, int *fd, struct mer_str *to, size_t most)
{
	char bytes[16384];
	for (int i = 0; *fd >= 0 && i < 64; i++) {
		ssize_t n = read(*fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n <= 0) {
			close_fd(fd);
			return;
		}
		c->read_ns = mer_now_ns();
		size_t room = to->len < most ? most - to->len : 0;
		mer_str_add(to, bytes, (size_t)n < room ? (size_t)n : room);
		if (fd == &c->out && c->on_output)
			c->on_output(c);
	}
}

/* Sends as much of the file as the child takes without waiting. Several children may be sent one
 * file, so its position is left alone. */
static void feed(struct record_child *c)
{
	char bytes[16384];
	for (int i = 0; i < 64; i++) {
		ssize_t n = pread(c->input_fd, bytes, sizeof(bytes), c->sent_bytes);
		if (n <= 0) {
			c->input_fd = -1;
			return;
		}
		n = write(c->in, bytes, (size_t)n);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) {
			c->input_fd = -1;
			close_fd(&c->in);
			return;
		}
		c->sent_bytes += n;
	}
}

static void reap(struct record_child *c, int options)
{
	int status;
	struct rusage used;
	if (c->ended || c->pid < 0 || wait4(c->pid, &status, options, &used) != c->pid)
		return;
	c->cpu_ns = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000000000) +
		    (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * INT64_C(1000);
	c->status = status;
	c->ended = true;
	c->ended_ns = mer_now_ns();
	drain(c, &c->out, &c->output, RECORD_OUT_BYTES);
	drain(c, &c->err, &c->errors, RECORD_ERR_BYTES);
	close_fd(&c->in);
	close_fd(&c->out);
	close_fd(&c->err);
}

static void take_signals(struct record_loop *l)
{
	struct signalfd_siginfo info;
	while (read(l->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		l->n_interrupts++;
		l->last_signal = (int)info.ssi_signo;
	}
	for (struct record_child *c = l->children; c; c = c->next)
		reap(c, WNOHANG);
}

static void check_deadlines(struct record_loop *l, int64_t now)
{
	for (struct record_child *c = l->children; c; c = c->next) {
		if (c->ended || now < c->deadline_ns)
			continue;
		/* First SIGTERM, then SIGKILL. */
		record_child_kill(c, c->timed_out ? SIGKILL : SIGTERM);
		c->timed_out = true;
		c->deadline_ns = now + GRACE_MS * MS;
	}
}

void record_loop_turn(struct record_loop *l, int64_t until_ns)
{
	enum { EACH = 3, MOST = 1 + EACH * MOST_CHILDREN };
	struct pollfd fds[MOST];
	struct record_child *of[MOST];
	nfds_t n = 0;
	int64_t now = mer_now_ns();
	fds[n++] = (struct pollfd){ l->signal_fd, POLLIN, 0 };
	check_deadlines(l, now);
	for (struct record_child *c = l->children; c && n + EACH <= MOST; c = c->next) {
		if (!c->ended && c->deadline_ns < until_ns)
			until_ns = c->deadline_ns;
		const int own[EACH] = { c->out, c->err, c->input_fd >= 0 ? c->in : -1 };
		for (int i = 0; i < EACH; i++) {
			if (own[i] < 0)
				continue;
			of[n] = c;
			fds[n++] = (struct pollfd){ own[i], i < 2 ? POLLIN : POLLOUT, 0 };
		}
	}
	int64_t wait = until_ns == INT64_MAX ? -1 : (until_ns - now + MS - 1) / MS;
	if (until_ns != INT64_MAX && wait < 0)
		wait = 0;
	if (poll(fds, n, wait > 60000 ? 60000 : (int)wait) <= 0)
		return;
	for (nfds_t i = 1; i < n; i++) {
		if (!fds[i].revents)
			continue;
		struct record_child *c = of[i];
		if (fds[i].fd == c->out)
			drain(c, &c->out, &c->output, RECORD_OUT_BYTES);
		else if (fds[i].fd == c->err)
			drain(c, &c->err, &c->errors, RECORD_ERR_BYTES);
		else if (fds[i].fd == c->in)
			feed(c);
	}
	if (fds[0].revents)
		take_signals(l);
}

bool record_child_write(struct record_child *c, const char *text, size_t n)
{
	return c->in >= 0 && write(c->in, text, n) == (ssize_t)n;
}

void record_child_close_input(struct record_child *c)
{
	close_fd(&c->in);
}

void record_child_kill(struct record_child *c, int signal_number)
{
	if (!c->started || c->ended || c->pid <= 0)
		return;
	/* The process group; a command that shares the terminal has none of its own. */
	if (kill(-c->pid, signal_number) != 0)
		kill(c->pid, signal_number);
	c->killed = true;
}

void record_child_free(struct record_child *c)
{
	if (!c->started)
		return;
	if (!c->ended) {
		record_child_kill(c, SIGKILL);
		reap(c, 0);
	}
	for (struct record_child **at = &c->loop->children; *at; at = &(*at)->next) {
		if (*at == c) {
			*at = c->next;
			break;
		}
	}
	close_fd(&c->in);
	close_fd(&c->out);
	close_fd(&c->err);
	mer_str_fini(&c->output);
	mer_str_fini(&c->errors);
	*c = (struct record_child){ .in = -1, .out = -1, .err = -1 };
}

int record_child_code(const struct record_child *c)
{
	if (!c->ended)
		return -1;
	return WIFEXITED(c->status)	? WEXITSTATUS(c->status)
	       : WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status)
					: -1;
}
