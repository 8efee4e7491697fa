/* See calls.h. The fields have the names that LTTng gives them; those that an event does not have,
 * or a name that no field has ("-"), read 0. One row a call: what differs by version must not
 * differ in name, or the field is not used. */
#include "kernel/calls.h"

#include <string.h>

/* A class by its short name. */
#define IS(class) KERNEL_CALLS_##class
#define READS (IS(READ) | IS(AWAIT))
#define WRITES IS(WRITE)
#define POLLS (IS(POLL) | IS(MULTIPLEX) | IS(AWAIT))
#define COMPLETES (IS(MULTIPLEX) | IS(AWAIT)) /* its result is what was submitted */
#define QUEUES (IS(QUEUE) | IS(AWAIT))

#define ROW(name, entry, registers, kind, classes)                                                 \
	{                                                                                          \
		name, entry, NULL, registers, KERNEL_CALL_##kind, classes                          \
	}
#define FD(name, classes) ROW(name, "fd", "0", USES_FD, classes)
#define FD_IN(name, field, classes) ROW(name, field, "0", USES_FD, classes)
#define RECEIVE(name, flags, classes) ROW(name, "fd flags", "0" flags, RECEIVE, classes)
#define PATH(name, field, classes) ROW(name, field ":s", "", PATH, classes)
#define PATH_AT(name, field, flags, register, classes)                                             \
	ROW(name, "dfd " field ":s " flags, "0--" register, PATH_AT, classes)
#define NEW_FD(name, classes) ROW(name, NULL, "", NEW_FD, classes)
/* Of these no argument is read. */
#define PLAIN(name, classes) ROW(name, NULL, "", OTHER, classes)
#define FD_SETS "n readfds:a writefds:a exceptfds:a"
#define PEER " v4addr:a v6addr:a"

const struct kernel_call_row kernel_call_rows[] = {
	/* On a descriptor, in the order of how often they are seen. */
	FD("read", READS),
	FD("write", WRITES),
	FD("readv", READS),
	FD("writev", WRITES),
	FD("pread64", READS),
	FD("pwrite64", WRITES),
	FD("preadv", READS),
	FD("pwritev", WRITES),
	FD("preadv2", READS),
	FD("pwritev2", WRITES),
	RECEIVE("recvfrom", "3", READS),
	RECEIVE("recvmsg", "2", READS),
	RECEIVE("recvmmsg", "3", READS | IS(MESSAGES)),
	RECEIVE("recvmmsg_time32", "3", READS | IS(MESSAGES)),
	RECEIVE("recv", "3", READS),
	FD("sendto", WRITES),
	FD("sendmsg", WRITES),
	FD("sendmmsg", WRITES | IS(MESSAGES)),
	FD("send", WRITES),
	FD_IN("epoll_wait", "epfd", POLLS),
	FD_IN("epoll_pwait", "epfd", POLLS),
	FD_IN("epoll_pwait2", "epfd", POLLS),
	FD_IN("epoll_wait_old", "epfd", POLLS),
	FD_IN("epoll_ctl", "epfd", 0),
	/* To whom, as that is what it usually waits for. */
	FD_IN("sendfile", "out_fd", WRITES | IS(COPY)),
	FD_IN("sendfile64", "out_fd", WRITES | IS(COPY)),
	FD_IN("splice", "fd_in", READS | IS(COPY)),
	FD_IN("tee", "fdin", READS | IS(COPY) | IS(PEEK)),
	FD_IN("copy_file_range", "fd_in", IS(READ) | IS(COPY)),
	FD("vmsplice", WRITES),
	FD("fsync", IS(SYNC)),
	FD("fdatasync", IS(SYNC)),
	FD("syncfs", IS(SYNC)),
	FD("sync_file_range", IS(SYNC)),
	FD("sync_file_range2", IS(SYNC)),
	FD("ftruncate", 0),
	FD("ftruncate64", 0),
	FD("fallocate", 0),
	FD("lseek", 0),
	FD("llseek", 0),
	FD("fstat", 0),
	FD("newfstat", 0),
	FD("fstat64", 0),
	FD("fstatfs", 0),
	FD("fstatfs64", 0),
	FD("getdents", 0),
	FD("getdents64", 0),
	FD("flock", IS(LOCK)),
	FD("fadvise64", 0),
	FD("readahead", 0),
	FD("fchmod", 0),
	FD("fchown", 0),
	FD("fchdir", 0),
	FD("fgetxattr", 0),
	FD("fsetxattr", 0),
	FD("flistxattr", 0),
	FD("fremovexattr", 0),
	FD("bind", 0),
	FD("shutdown", IS(SHUTDOWN)),
	FD("getsockopt", 0),
	FD("setsockopt", 0),
	FD("getsockname", 0),
	FD("getpeername", 0),
	FD("inotify_add_watch", 0),
	FD("inotify_rm_watch", 0),
	FD_IN("timerfd_settime", "ufd", 0),
	FD_IN("timerfd_gettime", "ufd", 0),
	FD_IN("mq_timedsend", "mqdes", IS(QUEUE)),
	FD_IN("mq_timedreceive", "mqdes", QUEUES),
	FD_IN("mq_timedsend_time32", "mqdes", IS(QUEUE)),
	FD_IN("mq_timedreceive_time32", "mqdes", QUEUES),
	FD("io_uring_enter", COMPLETES),
	FD("setns", 0),
	FD("finit_module", 0),
	ROW("ioctl", "fd cmd", "01", IOCTL, 0),
	ROW("fcntl", "fd cmd arg", "012", FCNTL, IS(LOCK)),
	ROW("fcntl64", "fd cmd arg", "012", FCNTL, IS(LOCK)),
	ROW("mmap", "fd flags prot", "432", MMAP, IS(ADDRESS)),
	ROW("mmap_pgoff", "fd flags prot", "432", MMAP, IS(ADDRESS)),
	ROW("shmat", "shmid shmflg", "02", SHMAT, IS(ADDRESS)),
	ROW("futex", "uaddr op val", "A12", FUTEX, IS(FUTEX)),
	ROW("futex_time32", "uaddr op val", "A12", FUTEX, IS(FUTEX)),
	ROW("futex_waitv", "- - -", "---", FUTEX_WAIT, IS(FUTEX)),
	ROW("futex_wait", "uaddr - val", "A-1", FUTEX_WAIT, IS(FUTEX)),
	ROW("futex_wake", "uaddr - -", "A--", FUTEX_WAKE, IS(FUTEX)),
	ROW("futex_requeue", "- - -", "---", FUTEX_WAKE, IS(FUTEX)),
	ROW("prctl", "option", "0", PRCTL, 0),
	ROW("poll", "nfds fds:r", "1", POLL, POLLS),
	ROW("ppoll", "nfds fds:r", "1", POLL, POLLS),
	ROW("ppoll_time32", "nfds fds:r", "1", POLL, POLLS),
	ROW("select", FD_SETS, "0", SELECT, POLLS),
	ROW("_newselect", FD_SETS, "0", SELECT, POLLS),
	ROW("newselect", FD_SETS, "0", SELECT, POLLS),
	ROW("pselect6", FD_SETS, "0", SELECT, POLLS),
	ROW("pselect6_time32", FD_SETS, "0", SELECT, POLLS),
	/* On a path. */
	PATH("stat", "filename", IS(LOOKUP)),
	PATH("newstat", "filename", IS(LOOKUP)),
	PATH("stat64", "filename", IS(LOOKUP)),
	PATH("lstat", "filename", IS(LOOKUP)),
	PATH("newlstat", "filename", IS(LOOKUP)),
	PATH("lstat64", "filename", IS(LOOKUP)),
	PATH("access", "filename", IS(LOOKUP)),
	PATH("execve", "filename", IS(EXEC) | IS(LOOKUP)),
	PATH("chdir", "filename", 0),
	PATH("chmod", "filename", 0),
	PATH("chown", "filename", 0),
	PATH("statfs", "pathname", 0),
	PATH("unlink", "pathname", IS(LOOKUP)),
	PATH("mkdir", "pathname", 0),
	PATH("rmdir", "pathname", 0),
	PATH("rename", "oldname", 0),
	PATH("readlink", "path", IS(LOOKUP)),
	PATH("truncate", "path", 0),
	PATH_AT("newfstatat", "filename", "flag", "3", IS(LOOKUP)),
	PATH_AT("fstatat64", "filename", "flag", "3", IS(LOOKUP)),
	PATH_AT("statx", "filename", "flags", "2", IS(LOOKUP)),
	PATH_AT("faccessat", "filename", "-", "-", IS(LOOKUP)),
	PATH_AT("faccessat2", "filename", "flags", "3", IS(LOOKUP)),
	PATH_AT("unlinkat", "pathname", "-", "-", IS(LOOKUP)),
	PATH_AT("mkdirat", "pathname", "-", "-", 0),
	PATH_AT("readlinkat", "pathname", "-", "-", IS(LOOKUP)),
	PATH_AT("fchmodat", "filename", "-", "-", 0),
	PATH_AT("utimensat", "filename", "flags", "3", 0),
	ROW("execveat", "fd filename:s flags", "0--4", PATH_AT, IS(EXEC) | IS(LOOKUP)),
	ROW("open", "filename:s flags", "--1", OPEN, IS(OPEN) | IS(LOOKUP)),
	ROW("creat", "pathname:s -", "---", OPEN, IS(OPEN)),
	ROW("openat", "dfd filename:s flags", "0--2", OPEN_AT, IS(OPEN) | IS(LOOKUP)),
	ROW("openat2", "dfd filename:s -", "0---", OPEN_AT, IS(OPEN) | IS(LOOKUP)),
	/* Make, change and close descriptors. */
	ROW("close", "fd", "0", CLOSE, IS(CLOSE)),
	ROW("close_range", "fd max_fd flags", "012", CLOSE_RANGE, IS(CLOSE)),
	ROW("dup", "fildes", "0", DUP, 0),
	ROW("dup2", "oldfd newfd -", "01-", DUP_TO, IS(CLOSE)),
	ROW("dup3", "oldfd newfd flags", "012", DUP_TO, IS(CLOSE)),
	ROW("unshare", "unshare_flags", "0", UNSHARE, 0),
	{ "pipe", "-", "fildes:a", "", KERNEL_CALL_PIPE, 0 },
	{ "pipe2", "flags", "fildes:a", "1", KERNEL_CALL_PIPE, 0 },
	ROW("socket", "family type protocol", "012", SOCKET, 0),
	{ "socketpair", "family type", "socket:a", "01", KERNEL_CALL_SOCKETPAIR, 0 },
	ROW("connect", "fd family dport" PEER, "0", CONNECT, IS(CONNECT) | IS(LOOKUP)),
	{ "accept", "fd -", "family sport" PEER, "0", KERNEL_CALL_ACCEPT, IS(ACCEPT) | IS(AWAIT) },
	{ "accept4", "fd flags", "family sport" PEER, "03", KERNEL_CALL_ACCEPT,
		IS(ACCEPT) | IS(AWAIT) },
	ROW("listen", "fd", "0", LISTEN, 0),
	ROW("eventfd", "-", "-", EVENTFD, 0),
	ROW("eventfd2", "flags", "1", EVENTFD, 0),
	ROW("timerfd_create", "flags", "1", TIMERFD, 0),
	ROW("epoll_create", "-", "-", EPOLL, 0),
	ROW("epoll_create1", "flags", "0", EPOLL, 0),
	ROW("inotify_init", "-", "-", INOTIFY, 0),
	ROW("inotify_init1", "flags", "0", INOTIFY, 0),
	ROW("signalfd", "- ufd", "-0", SIGNALFD, 0),
	ROW("signalfd4", "flags ufd", "30", SIGNALFD, 0),
	ROW("memfd_create", "flags uname:s", "1--", MEMFD, 0),
	NEW_FD("perf_event_open", 0),
	NEW_FD("fanotify_init", 0),
	NEW_FD("open_by_handle_at", IS(OPEN)),
	NEW_FD("open_tree", 0),
	NEW_FD("userfaultfd", 0),
	NEW_FD("io_uring_setup", 0),
	NEW_FD("pidfd_open", 0),
	NEW_FD("pidfd_getfd", 0),
	NEW_FD("mq_open", 0),
	/* No argument is read. */
	PLAIN("sync", IS(SYNC)),
	PLAIN("msync", IS(SYNC)),
	PLAIN("io_getevents", POLLS),
	PLAIN("io_getevents_time32", POLLS),
	PLAIN("io_pgetevents", POLLS),
	PLAIN("io_pgetevents_time32", POLLS),
	PLAIN("semop", IS(SEMAPHORE)),
	PLAIN("semtimedop", IS(SEMAPHORE)),
	PLAIN("semtimedop_time32", IS(SEMAPHORE)),
	PLAIN("semctl", IS(SEMAPHORE)),
	PLAIN("msgsnd", IS(QUEUE)),
	PLAIN("msgrcv", QUEUES),
	PLAIN("kill", IS(SIGNAL)),
	PLAIN("tkill", IS(SIGNAL)),
	PLAIN("tgkill", IS(SIGNAL)),
	PLAIN("rt_sigqueueinfo", IS(SIGNAL)),
	PLAIN("rt_tgsigqueueinfo", IS(SIGNAL)),
	PLAIN("pidfd_send_signal", IS(SIGNAL)),
	PLAIN("ptrace", IS(PTRACE)),
	PLAIN("wait4", IS(WAIT) | IS(AWAIT)),
	PLAIN("waitpid", IS(WAIT) | IS(AWAIT)),
	PLAIN("waitid", IS(WAIT) | IS(AWAIT)),
	PLAIN("fork", IS(FORK)),
	/* The parent waits until the child has a program of its own, or ends: clone only with a
	 * flag. */
	PLAIN("vfork", IS(FORK) | IS(WAIT) | IS(AWAIT)),
	PLAIN("clone", IS(FORK) | IS(AWAIT)),
	PLAIN("clone3", IS(FORK) | IS(AWAIT)),
	PLAIN("exit", IS(EXIT)),
	PLAIN("exit_group", IS(EXIT_GROUP)),
	PLAIN("rt_sigreturn", IS(NO_EXIT)),
	PLAIN("sigreturn", IS(NO_EXIT)),
	PLAIN("sched_yield", IS(YIELD)),
	PLAIN("nanosleep", IS(SLEEP)),
	PLAIN("nanosleep_time32", IS(SLEEP)),
	PLAIN("clock_nanosleep", IS(SLEEP)),
	PLAIN("clock_nanosleep_time32", IS(SLEEP)),
	PLAIN("clock_gettime", IS(TIME)),
	PLAIN("clock_gettime32", IS(TIME)),
	PLAIN("gettimeofday", IS(TIME)),
	PLAIN("time", IS(TIME)),
	PLAIN("time32", IS(TIME)),
	PLAIN("times", IS(TIME)),
	PLAIN("getrusage", IS(TIME)),
	PLAIN("getpid", IS(TIME)),
	PLAIN("gettid", IS(TIME)),
	PLAIN("mmap2", IS(ADDRESS)),
	PLAIN("mremap", IS(ADDRESS)),
	PLAIN("brk", IS(ADDRESS)),
};
const size_t kernel_n_call_rows = sizeof(kernel_call_rows) / sizeof(kernel_call_rows[0]);

uint16_t kernel_call_id(const char *name)
{
	for (size_t i = 0; i < kernel_n_call_rows; i++)
		if (strcmp(kernel_call_rows[i].name, name) == 0)
			return (uint16_t)(i + 1);
	return 0;
}

/* A slot's value is that of its register, or of the field in its own place. */
static void take_slots(
	uint16_t id, const uint64_t *values, bool by_register, uint64_t slots[KERNEL_ENTRY_SLOTS])
{
	const char *r = kernel_call_rows[id - 1].registers;
	memset(slots, 0, KERNEL_ENTRY_SLOTS * sizeof(*slots));
	for (size_t i = 0; r[i] && i < KERNEL_ENTRY_SLOTS; i++) {
		bool is_int = r[i] >= '0' && r[i] < '0' + KERNEL_REGISTERS;
		if (!is_int && !(r[i] >= 'A' && r[i] < 'A' + KERNEL_REGISTERS))
			continue;
		uint64_t value = values[by_register ? (size_t)(r[i] - (is_int ? '0' : 'A')) : i];
		slots[i] = is_int ? (uint32_t)value : value;
	}
}

void kernel_call_slots(
	uint16_t id, const uint64_t args[KERNEL_REGISTERS], uint64_t slots[KERNEL_ENTRY_SLOTS])
{
	take_slots(id, args, true, slots);
}

void kernel_call_typed_slots(
	uint16_t id, const uint64_t fields[KERNEL_ENTRY_SLOTS], uint64_t slots[KERNEL_ENTRY_SLOTS])
{
	take_slots(id, fields, false, slots);
}

/* What follows the first of the prefixes that text begins with; NULL: none, or nothing follows. */
static const char *after_prefix(const char *text, const char *const *prefixes)
{
	for (; *prefixes; prefixes++) {
		size_t len = strlen(*prefixes);
		if (strncmp(text, *prefixes, len) == 0)
			return text[len] ? text + len : NULL;
	}
	return NULL;
}

const char *kernel_call_of_entry(const char *event)
{
	static const char *const prefixes[] = { "syscall_entry_", "compat_syscall_entry_", "sys_",
		"compat_sys_", "syscalls:sys_enter_", NULL };
	return after_prefix(event, prefixes);
}

const char *kernel_call_of_exit(const char *event)
{
	static const char *const prefixes[] = { "syscall_exit_", "compat_syscall_exit_",
		"syscalls:sys_exit_", NULL };
	if (strcmp(event, "exit_syscall") == 0 || strcmp(event, "raw_syscalls:sys_exit") == 0)
		return "";
	return after_prefix(event, prefixes);
}
