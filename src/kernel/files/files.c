#include "kernel/files/files.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/files/file_processes.h"

enum { O_CLOEXEC_ = 02000000, MFD_CLOEXEC_ = 1, AT_EMPTY_PATH_ = 0x1000, MAP_ANONYMOUS_ = 0x20 };
enum { F_DUPFD_ = 0, F_SETFD_ = 2, F_DUPFD_CLOEXEC_ = 1030, FIONCLEX_ = 0x5450, FIOCLEX_ = 0x5451 };
enum { RANGE_UNSHARE = 2, RANGE_CLOEXEC = 4, CLONE_FILES_ = 0x400 };
enum { EINTR_ = 4, EALREADY_ = 114, EINPROGRESS_ = 115 };

const char *kernel_object_kind_name(enum kernel_object_kind kind)
{
	static const char *const names[KERNEL_N_OBJECT_KINDS] = { "unknown", "file", "socket",
		"unix", "pipe", "event", "timer", "epoll", "tty" };
	return kind < KERNEL_N_OBJECT_KINDS ? names[kind] : names[0];
}

int kernel_files_new(struct kernel_host *h, struct kernel_files **files, struct mer_err *err)
{
	enum { FIRST = 64 };
	struct kernel_files *f = calloc(1, sizeof(*f));
	if (!f)
		return mer_fail_nomem(err);
	f->processes = calloc(FIRST, sizeof(*f->processes));
	if (!f->processes) {
		free(f);
		return mer_fail_nomem(err);
	}
	f->h = h;
	f->namer.h = h;
	f->n_processes = 1;
	f->cap_processes = FIRST;
	f->dump = 1;
	kernel_fd_budget_init(&f->budget);
	*files = f;
	return 0;
}

void kernel_files_free(struct kernel_files *f)
{
	if (!f)
		return;
	for (uint32_t i = 1; i < f->n_processes; i++)
		kernel_fd_clear(&f->budget, &f->processes[i].fds);
	free(f->processes);
	free(f->tasks);
	mer_map_fini(&f->by_pid);
	mer_map_fini(&f->by_address);
	free(f);
}

/* ---- descriptors of a task ---- */

static const struct kernel_fd *get(
	const struct kernel_files *f, const struct kernel_file_task *t, int32_t fd)
{
	return t->process ? kernel_fd_get(&f->processes[t->process].fds, fd) : NULL;
}

/* What has neither a name nor a kind is not known. */
static int set(struct kernel_files *f, const struct kernel_file_task *t, int64_t fd,
	const struct kernel_fd *what, struct mer_err *err)
{
	if (!t->process || fd < 0 || fd > INT32_MAX)
		return 0;
	if (what && what->name == KERNEL_NONE && what->kind == KERNEL_OBJECT_UNKNOWN)
		what = NULL;
	return kernel_fd_set(&f->budget, &f->processes[t->process].fds, (int32_t)fd, what, err);
}

static int set_cloexec(struct kernel_files *f, const struct kernel_file_task *t, int32_t fd,
	bool on, struct mer_err *err)
{
	const struct kernel_fd *was = get(f, t, fd);
	if (!was)
		return 0;
	struct kernel_fd now = *was;
	now.flags = (uint8_t)((now.flags & ~KERNEL_FD_CLOEXEC) | (on ? KERNEL_FD_CLOEXEC : 0));
	return set(f, t, fd, &now, err);
}

/* The call is on this descriptor. */
static const struct kernel_fd *use(const struct kernel_files *f, const struct kernel_file_task *t,
	uint64_t slot, struct kernel_call *call)
{
	call->fd = (int32_t)slot;
	if (call->fd < 0)
		call->fd = -1;
	const struct kernel_fd *what = get(f, t, call->fd);
	if (what) {
		call->object = what->name;
		call->kind = what->kind;
		call->end = what->flags & KERNEL_FD_SECOND_END ? 1 : 0;
	}
	return what;
}

static void say(struct kernel_call *call, const struct kernel_fd *what)
{
	call->object = what->name;
	call->kind = what->kind;
}

static const struct kernel_fd unknown = { .name = KERNEL_NONE };

static const char *text_at(const uint64_t *slots)
{
	return (const char *)(uintptr_t)slots[0];
}

/* ---- calls begin ---- */

/* dirfd path:s flags */
static int enter_path_at(struct kernel_files *f, struct kernel_file_task *t, const uint64_t *s,
	struct kernel_call *call, struct mer_err *err)
{
	enum { PATH_LENGTH = KERNEL_ARG_AT_PATH + 1 };
	const struct kernel_fd *dir = get(f, t, (int32_t)s[KERNEL_ARG_AT_DIR]);
	uint32_t name = dir && dir->kind == KERNEL_OBJECT_FILE ? dir->name : KERNEL_NONE;
	if (t->op.kind == KERNEL_CALL_PATH_AT && s[PATH_LENGTH] == 0 &&
		s[KERNEL_ARG_AT_FLAGS] & AT_EMPTY_PATH_) {
		use(f, t, s[KERNEL_ARG_AT_DIR], call);
		return 0;
	}
	int rc = kernel_name_path(
		&f->namer, name, text_at(s + KERNEL_ARG_AT_PATH), s[PATH_LENGTH], &t->op.what, err);
	t->op.fd = (int32_t)s[KERNEL_ARG_AT_DIR];
	say(call, &t->op.what);
	if (s[KERNEL_ARG_AT_FLAGS] & O_CLOEXEC_)
		t->op.what.flags = KERNEL_FD_CLOEXEC;
	return rc;
}

static int enter_connect(struct kernel_files *f, struct kernel_file_task *t, const uint64_t *s,
	struct kernel_call *call, struct mer_err *err)
{
	use(f, t, s[KERNEL_ARG_FD], call);
	t->op.fd = call->fd;
	int rc = kernel_name_peer(&f->namer, s[KERNEL_ARG_CONNECT_FAMILY],
		s[KERNEL_ARG_CONNECT_PORT], s + KERNEL_ARG_CONNECT_V4, s + KERNEL_ARG_CONNECT_V6,
		&t->op.what, err);
	if (t->op.what.name != KERNEL_NONE)
		say(call, &t->op.what);
	return rc;
}

/* first last flags */
static int close_range(
	struct kernel_files *f, struct kernel_file_task *t, const uint64_t *s, struct mer_err *err)
{
	uint32_t first = (uint32_t)s[KERNEL_ARG_RANGE_FIRST],
		 last = (uint32_t)s[KERNEL_ARG_RANGE_LAST],
		 flags = (uint32_t)s[KERNEL_ARG_RANGE_FLAGS];
	if (first > last || flags & ~(uint32_t)(RANGE_UNSHARE | RANGE_CLOEXEC))
		return 0;
	int rc = flags & RANGE_UNSHARE ? kernel_file_unshare(f, t, false, err) : 0;
	if (rc || !t->process)
		return rc;
	return kernel_fd_range(&f->budget, &f->processes[t->process].fds, first, last,
		flags & RANGE_CLOEXEC ? KERNEL_FD_SET_CLOEXEC : KERNEL_FD_FORGET, err);
}

/* A descriptor for what is no file: flags */
static int enter_anonymous(struct kernel_files *f, struct kernel_file_op *op, uint64_t flags,
	const char *name, enum kernel_object_kind kind, struct kernel_call *call,
	struct mer_err *err)
{
	int rc = kernel_name_object(&f->namer, name, strlen(name), kind, &op->what, err);
	say(call, &op->what);
	op->what.flags = flags & O_CLOEXEC_ ? KERNEL_FD_CLOEXEC : 0;
	return rc;
}

/* flags name:s */
static int enter_memfd(struct kernel_files *f, struct kernel_file_op *op, const uint64_t *s,
	struct kernel_call *call, struct mer_err *err)
{
	enum { LENGTH = KERNEL_ARG_MEMFD_NAME + 1 };
	char text[6 + 256] = "memfd:"; /* the kernel allows 249 */
	size_t len = s[LENGTH] < 256 ? (size_t)s[LENGTH] : 256;
	if (len)
		memcpy(text + 6, text_at(s + KERNEL_ARG_MEMFD_NAME), len);
	int rc = kernel_name_object(&f->namer, text, 6 + len, KERNEL_OBJECT_FILE, &op->what, err);
	say(call, &op->what);
	op->what.flags = s[KERNEL_ARG_FLAGS] & MFD_CLOEXEC_ ? KERNEL_FD_CLOEXEC : 0;
	return rc;
}

/* A call of any kind but USES_FD. */
static int enter(struct kernel_files *f, struct kernel_file_task *t, const uint64_t *s,
	struct kernel_call *call, struct mer_err *err)
{
	struct kernel_file_op *op = &t->op;
	const struct kernel_fd *what;
	int rc = 0;
	switch ((enum kernel_call_kind)op->kind) {
	case KERNEL_CALL_PATH:
	case KERNEL_CALL_OPEN:
		rc = kernel_name_path(&f->namer, KERNEL_NONE, text_at(s + KERNEL_ARG_PATH),
			s[KERNEL_ARG_PATH + 1], &op->what, err);
		say(call, &op->what);
		if (op->kind == KERNEL_CALL_OPEN && s[KERNEL_ARG_OPEN_FLAGS] & O_CLOEXEC_)
			op->what.flags = KERNEL_FD_CLOEXEC;
		return rc;
	case KERNEL_CALL_PATH_AT:
	case KERNEL_CALL_OPEN_AT: return enter_path_at(f, t, s, call, err);
	case KERNEL_CALL_CLOSE:
		/* From here on another thread may get the same number. */
		use(f, t, s[KERNEL_ARG_FD], call);
		return set(f, t, call->fd, NULL, err);
	case KERNEL_CALL_CLOSE_RANGE: return close_range(f, t, s, err);
	case KERNEL_CALL_DUP:
	case KERNEL_CALL_DUP_TO:
	case KERNEL_CALL_FCNTL:
		what = use(f, t, s[KERNEL_ARG_FD], call);
		op->fd = call->fd;
		op->what = what ? *what : unknown;
		if (op->kind == KERNEL_CALL_FCNTL) {
			op->cmd = (uint32_t)s[KERNEL_ARG_FCNTL_CMD];
			op->arg = (uint32_t)s[KERNEL_ARG_FCNTL_ARG];
		} else if (op->kind == KERNEL_CALL_DUP_TO) {
			op->arg = (uint32_t)s[KERNEL_ARG_DUP_FLAGS];
		}
		return 0;
	case KERNEL_CALL_IOCTL:
		use(f, t, s[KERNEL_ARG_FD], call);
		op->fd = call->fd;
		op->cmd = (uint32_t)s[KERNEL_ARG_IOCTL_CMD];
		return 0;
	case KERNEL_CALL_MMAP:
		if (!(s[KERNEL_ARG_MMAP_FLAGS] & MAP_ANONYMOUS_))
			use(f, t, s[KERNEL_ARG_FD], call);
		return 0;
	case KERNEL_CALL_UNSHARE:
	case KERNEL_CALL_PIPE: op->arg = (uint32_t)s[KERNEL_ARG_FLAGS]; return 0;
	case KERNEL_CALL_SOCKET:
		rc = kernel_name_socket(&f->namer, s[KERNEL_ARG_SOCKET_FAMILY],
			s[KERNEL_ARG_SOCKET_TYPE], s[KERNEL_ARG_SOCKET_PROTOCOL], &op->what, err);
		say(call, &op->what);
		if (s[KERNEL_ARG_SOCKET_TYPE] & O_CLOEXEC_)
			op->what.flags |= KERNEL_FD_CLOEXEC;
		return rc;
	case KERNEL_CALL_SOCKETPAIR: op->arg = (uint32_t)s[KERNEL_ARG_SOCKET_TYPE]; return 0;
	case KERNEL_CALL_CONNECT: return enter_connect(f, t, s, call, err);
	case KERNEL_CALL_ACCEPT:
		what = use(f, t, s[KERNEL_ARG_FD], call);
		op->what.family = what ? what->family : 0;
		op->arg = (uint32_t)s[KERNEL_ARG_ACCEPT_FLAGS];
		return 0;
	case KERNEL_CALL_LISTEN:
		use(f, t, s[KERNEL_ARG_FD], call);
		op->fd = call->fd;
		return 0;
	case KERNEL_CALL_EVENTFD:
		return enter_anonymous(
			f, op, s[KERNEL_ARG_FLAGS], "eventfd", KERNEL_OBJECT_EVENT, call, err);
	case KERNEL_CALL_TIMERFD:
		return enter_anonymous(
			f, op, s[KERNEL_ARG_FLAGS], "timerfd", KERNEL_OBJECT_TIMER, call, err);
	case KERNEL_CALL_EPOLL:
		return enter_anonymous(
			f, op, s[KERNEL_ARG_FLAGS], "epoll", KERNEL_OBJECT_POLL, call, err);
	case KERNEL_CALL_INOTIFY:
		return enter_anonymous(
			f, op, s[KERNEL_ARG_FLAGS], "inotify", KERNEL_OBJECT_EVENT, call, err);
	case KERNEL_CALL_SIGNALFD:
		op->fd = (int32_t)s[KERNEL_ARG_SIGNALFD_FD];
		return enter_anonymous(
			f, op, s[KERNEL_ARG_FLAGS], "signalfd", KERNEL_OBJECT_EVENT, call, err);
	case KERNEL_CALL_MEMFD: return enter_memfd(f, op, s, call, err);
	case KERNEL_CALL_OTHER:
	case KERNEL_CALL_USES_FD:
	case KERNEL_CALL_RECEIVE:
	case KERNEL_CALL_FUTEX:
	case KERNEL_CALL_FUTEX_WAIT:
	case KERNEL_CALL_FUTEX_WAKE:
	case KERNEL_CALL_PRCTL:
	case KERNEL_CALL_POLL:
	case KERNEL_CALL_SELECT:
	case KERNEL_CALL_SHMAT:
	case KERNEL_CALL_NEW_FD:
	case KERNEL_N_CALL_KINDS: break;
	}
	return 0;
}

int kernel_files_enter(struct kernel_files *f, uint32_t task, enum kernel_call_kind kind,
	const uint64_t *slots, struct kernel_call *call, struct mer_err *err)
{
	call->object = KERNEL_NONE;
	call->fd = -1;
	call->kind = KERNEL_OBJECT_UNKNOWN;
	call->end = 0;
	struct kernel_file_task *t = kernel_file_task(f, task);
	if (__builtin_expect(!t, 0))
		return mer_fail_nomem(err);
	f->budget.steps += KERNEL_FD_STEPS_AN_EVENT;
	t->op.kind = KERNEL_CALL_OTHER;
	if (__builtin_expect(t->process == 0, 0)) {
		int rc = kernel_file_find_process(f, task, t, err);
		if (rc)
			return rc;
	}
	if (kind == KERNEL_CALL_USES_FD || kind == KERNEL_CALL_RECEIVE) {
		if (slots)
			use(f, t, slots[KERNEL_ARG_FD], call);
		return 0;
	}
	if (kind < KERNEL_CALL_USES_FD)
		return 0;
	t->op = (struct kernel_file_op){ .kind = (uint8_t)kind, .fd = -1, .what = unknown };
	return slots ? enter(f, t, slots, call, err) : 0;
}

/* ---- what a probe tells of the call ---- */

int kernel_files_told_path(struct kernel_files *f, uint32_t task, const char *text, size_t len,
	struct kernel_call *call, struct mer_err *err)
{
	struct kernel_file_task *t = task < f->n_tasks ? &f->tasks[task] : NULL;
	if (!t || t->op.what.name != KERNEL_NONE)
		return 0;
	uint32_t in = KERNEL_NONE;
	const struct kernel_fd *dir;
	switch ((enum kernel_call_kind)t->op.kind) {
	case KERNEL_CALL_PATH_AT:
	case KERNEL_CALL_OPEN_AT:
		dir = get(f, t, t->op.fd);
		in = dir && dir->kind == KERNEL_OBJECT_FILE ? dir->name : KERNEL_NONE;
		break;
	case KERNEL_CALL_PATH:
	case KERNEL_CALL_OPEN: break;
	default: return 0;
	}
	uint8_t flags = t->op.what.flags;
	int rc = kernel_name_path(&f->namer, in, text, len, &t->op.what, err);
	t->op.what.flags |= flags;
	say(call, &t->op.what);
	return rc;
}

/* A socket of which the peer is not known. */
static bool is_socket_without_peer(const struct kernel_files *f, const struct kernel_fd *what)
{
	return !what || what->kind == KERNEL_OBJECT_UNKNOWN ||
	       (what->kind == KERNEL_OBJECT_SOCKET &&
		       (what->name == KERNEL_NONE || what->flags & KERNEL_FD_GENERIC ||
			       strstr(mer_intern_text(&f->h->names, what->name), ":[")));
}

int kernel_files_told_peer(struct kernel_files *f, uint32_t task, uint64_t family, uint64_t port,
	const uint64_t *v4, struct kernel_call *call, struct mer_err *err)
{
	static const uint64_t no_v6[2] = { 0 };
	struct kernel_file_task *t = task < f->n_tasks ? &f->tasks[task] : NULL;
	struct kernel_fd what;
	int rc = t ? kernel_name_peer(&f->namer, family, port, v4, no_v6, &what, err) : 0;
	if (rc || !t || what.name == KERNEL_NONE)
		return rc;
	if (t->op.kind == KERNEL_CALL_CONNECT || t->op.kind == KERNEL_CALL_ACCEPT) {
		t->op.what = what;
		if (t->op.kind == KERNEL_CALL_CONNECT)
			say(call, &what);
		return 0;
	}
	const struct kernel_fd *was = get(f, t, call->fd);
	if (t->op.kind != KERNEL_CALL_OTHER || call->fd < 0 || !is_socket_without_peer(f, was))
		return 0;
	what.flags |= was ? was->flags & KERNEL_FD_CLOEXEC : 0;
	say(call, &what);
	return set(f, t, call->fd, &what, err);
}

/* ---- calls end ---- */

static bool cloexec_of(const struct kernel_file_op *op)
{
	return op->arg & O_CLOEXEC_;
}

/* Both ends of a pipe or pair: an array of two numbers. */
static int set_ends(struct kernel_files *f, const struct kernel_file_task *t, const uint64_t *array,
	struct kernel_fd what, struct mer_err *err)
{
	const uint64_t *ends = (const uint64_t *)(uintptr_t)array[1];
	what.flags = cloexec_of(&t->op) ? KERNEL_FD_CLOEXEC : 0;
	int rc = set(f, t, (int32_t)ends[0], &what, err);
	if (what.kind == KERNEL_OBJECT_UNIX)
		what.flags |= KERNEL_FD_SECOND_END;
	return rc ? rc : set(f, t, (int32_t)ends[1], &what, err);
}

static int leave_connect(
	struct kernel_files *f, const struct kernel_file_task *t, int64_t ret, struct mer_err *err)
{
	/* Interrupted or not waited for, it goes on. */
	if (ret != 0 && ret != -EINPROGRESS_ && ret != -EINTR_ && ret != -EALREADY_)
		return 0;
	struct kernel_fd what = t->op.what;
	if (what.name == KERNEL_NONE)
		return 0;
	const struct kernel_fd *was = get(f, t, t->op.fd);
	what.flags = was ? was->flags & KERNEL_FD_CLOEXEC : 0;
	return set(f, t, t->op.fd, &what, err);
}

/* Exit: ret family port v4:a v6:a */
static int leave_accept(struct kernel_files *f, const struct kernel_file_task *t, int64_t ret,
	const uint64_t *s, struct mer_err *err)
{
	enum { TYPE_STREAM = 1 };
	struct kernel_fd what = t->op.what.name == KERNEL_NONE ? unknown : t->op.what;
	int rc = s ? kernel_name_peer(&f->namer, s[KERNEL_EXIT_FAMILY], s[KERNEL_EXIT_PORT],
			     s + KERNEL_EXIT_V4, s + KERNEL_EXIT_V6, &what, err)
		   : 0;
	if (rc == 0 && what.name == KERNEL_NONE)
		rc = kernel_name_socket(&f->namer, t->op.what.family, TYPE_STREAM, 0, &what, err);
	if (cloexec_of(&t->op))
		what.flags |= KERNEL_FD_CLOEXEC;
	return rc ? rc : set(f, t, ret, &what, err);
}

static int leave_listen(
	struct kernel_files *f, const struct kernel_file_task *t, struct mer_err *err)
{
	static const char text[] = "listening socket";
	const struct kernel_fd *was = get(f, t, t->op.fd);
	if (!was || !(was->flags & KERNEL_FD_GENERIC))
		return 0;
	struct kernel_fd now = *was, named;
	int rc = kernel_name_object(
		&f->namer, text, sizeof(text) - 1, (enum kernel_object_kind)was->kind, &named, err);
	now.name = named.name;
	return rc ? rc : set(f, t, t->op.fd, &now, err);
}

static int leave_fcntl(
	struct kernel_files *f, const struct kernel_file_task *t, int64_t ret, struct mer_err *err)
{
	struct kernel_fd what = t->op.what;
	switch (t->op.cmd) {
	case F_SETFD_: return set_cloexec(f, t, t->op.fd, t->op.arg & 1, err);
	case F_DUPFD_CLOEXEC_: what.flags |= KERNEL_FD_CLOEXEC; return set(f, t, ret, &what, err);
	case F_DUPFD_: what.flags &= (uint8_t)~KERNEL_FD_CLOEXEC; return set(f, t, ret, &what, err);
	}
	return 0;
}

static int leave_dup(
	struct kernel_files *f, const struct kernel_file_task *t, int64_t ret, struct mer_err *err)
{
	struct kernel_fd what = t->op.what;
	if (ret == t->op.fd) /* dup2 to itself */
		return 0;
	what.flags &= (uint8_t)~KERNEL_FD_CLOEXEC;
	if (cloexec_of(&t->op))
		what.flags |= KERNEL_FD_CLOEXEC;
	return set(f, t, ret, &what, err);
}

int kernel_files_leave(struct kernel_files *f, uint32_t task, enum kernel_call_kind kind,
	int64_t ret, const uint64_t *s, struct mer_err *err)
{
	if (task >= f->n_tasks || kind == KERNEL_CALL_OTHER ||
		f->tasks[task].op.kind != (uint8_t)kind)
		return 0;
	struct kernel_file_task *t = &f->tasks[task];
	t->op.kind = KERNEL_CALL_OTHER;
	if (kind == KERNEL_CALL_CONNECT)
		return leave_connect(f, t, ret, err);
	if (ret < 0)
		return 0;
	struct kernel_fd what;
	int rc = 0;
	switch (kind) {
	case KERNEL_CALL_OPEN:
	case KERNEL_CALL_OPEN_AT:
	case KERNEL_CALL_SOCKET:
	case KERNEL_CALL_EVENTFD:
	case KERNEL_CALL_TIMERFD:
	case KERNEL_CALL_EPOLL:
	case KERNEL_CALL_INOTIFY:
	case KERNEL_CALL_MEMFD:
	case KERNEL_CALL_NEW_FD: return set(f, t, ret, &t->op.what, err);
	case KERNEL_CALL_SIGNALFD: return t->op.fd < 0 ? set(f, t, ret, &t->op.what, err) : 0;
	case KERNEL_CALL_DUP:
	case KERNEL_CALL_DUP_TO: return leave_dup(f, t, ret, err);
	case KERNEL_CALL_FCNTL: return leave_fcntl(f, t, ret, err);
	case KERNEL_CALL_IOCTL:
		if (t->op.cmd != FIOCLEX_ && t->op.cmd != FIONCLEX_)
			return 0;
		return set_cloexec(f, t, t->op.fd, t->op.cmd == FIOCLEX_, err);
	case KERNEL_CALL_UNSHARE:
		return t->op.arg & CLONE_FILES_ ? kernel_file_unshare(f, t, false, err) : 0;
	case KERNEL_CALL_PIPE:
	case KERNEL_CALL_SOCKETPAIR:
		if (!s || s[KERNEL_EXIT_ENDS] != 2 || !s[KERNEL_EXIT_ENDS + 1])
			return 0;
		rc = kind == KERNEL_CALL_PIPE ? kernel_name_pipe(&f->namer, &what, err)
					      : kernel_name_pair(&f->namer, &what, err);
		return rc ? rc : set_ends(f, t, s + KERNEL_EXIT_ENDS, what, err);
	case KERNEL_CALL_ACCEPT: return leave_accept(f, t, ret, s, err);
	case KERNEL_CALL_LISTEN: return leave_listen(f, t, err);
	default: return 0;
	}
}

int kernel_files_leave_unseen(struct kernel_files *f, uint32_t task, enum kernel_call_kind kind,
	int64_t ret, const uint64_t *s, struct mer_err *err)
{
	if (kind != KERNEL_CALL_ACCEPT || ret < 0)
		return 0;
	struct kernel_file_task *t = kernel_file_task(f, task);
	if (!t)
		return mer_fail_nomem(err);
	int rc = t->process ? 0 : kernel_file_find_process(f, task, t, err);
	t->op = (struct kernel_file_op){ .kind = KERNEL_CALL_OTHER, .fd = -1, .what = unknown };
	return rc ? rc : leave_accept(f, t, ret, s, err);
}

/* ---- state dump ---- */

/* Does it tell more than the row of a dump that has only the number of a socket or pipe? */
static bool tells_more(
	const struct kernel_files *f, const struct kernel_fd *was, const struct kernel_fd *dumped)
{
	bool socket =
		(dumped->kind == KERNEL_OBJECT_SOCKET || dumped->kind == KERNEL_OBJECT_UNIX) &&
		(was->kind == KERNEL_OBJECT_SOCKET || was->kind == KERNEL_OBJECT_UNIX);
	bool pipe = dumped->kind == KERNEL_OBJECT_PIPE && was->kind == KERNEL_OBJECT_PIPE;
	if ((!socket && !pipe) || was->name == KERNEL_NONE)
		return false;
	if (was->flags & KERNEL_FD_GENERIC &&
		!strstr(mer_intern_text(&f->h->names, dumped->name), ":["))
		return false;
	return !strstr(mer_intern_text(&f->h->names, was->name), ":[");
}

/* A row about a descriptor. */
static int dump(struct kernel_files *f, uint64_t table, int32_t pid, int32_t fd,
	struct kernel_fd what, struct mer_err *err)
{
	uint32_t number;
	int rc = kernel_file_process_of_row(f, table, pid, &number, err);
	if (rc || !number)
		return rc;
	struct kernel_fd_table *fds = &f->processes[number].fds;
	const struct kernel_fd *was = kernel_fd_get(fds, fd);
	if (was && tells_more(f, was, &what))
		return 0;
	if (was && was->kind == what.kind)
		what.flags |= was->flags & KERNEL_FD_CLOEXEC;
	return kernel_fd_set(&f->budget, fds, fd, &what, err);
}

int kernel_files_dump(struct kernel_files *f, uint64_t table, int32_t pid, int32_t fd,
	const char *name, size_t len, struct mer_err *err)
{
	struct kernel_fd what;
	f->budget.steps += KERNEL_FD_STEPS_AN_EVENT;
	int rc = kernel_name_dumped(&f->namer, name, len, &what, err);
	return rc || what.name == KERNEL_NONE ? rc : dump(f, table, pid, fd, what, err);
}

int kernel_files_dump_socket(struct kernel_files *f, int32_t pid, int32_t fd, uint16_t family,
	const char *name, size_t len, struct mer_err *err)
{
	enum { FAMILY_UNIX = 1 };
	struct kernel_fd what;
	f->budget.steps += KERNEL_FD_STEPS_AN_EVENT;
	int rc = kernel_name_object(&f->namer, name, len,
		family == FAMILY_UNIX ? KERNEL_OBJECT_UNIX : KERNEL_OBJECT_SOCKET, &what, err);
	what.family = family;
	return rc || what.name == KERNEL_NONE ? rc : dump(f, 0, pid, fd, what, err);
}
