/* See calls.h. The fields have the names that LTTng gives them; those that an event does not have, or
 * a name that no field has ("-"), read 0. One row a call: what differs by version must not differ in
 * name, or the field is not used. */
#include "kernel/calls.h"

#include <string.h>

#define FD(name)                                                                                   \
	{                                                                                          \
		name, "fd", NULL, KERNEL_CALL_USES_FD                                              \
	}
#define FD_IN(name, field)                                                                         \
	{                                                                                          \
		name, field, NULL, KERNEL_CALL_USES_FD                                             \
	}
#define PATH(name, field)                                                                          \
	{                                                                                          \
		name, field ":s", NULL, KERNEL_CALL_PATH                                           \
	}
#define PATH_AT(name, field, flags)                                                                \
	{                                                                                          \
		name, "dfd " field ":s " flags, NULL, KERNEL_CALL_PATH_AT                          \
	}
#define FD_SETS " readfds:a writefds:a exceptfds:a"
#define PEER " v4addr:a v6addr:a"

const struct kernel_call_row kernel_call_rows[] = {
	/* On a descriptor, in the order of how often they are seen. */
	FD("read"),
	FD("write"),
	FD("readv"),
	FD("writev"),
	FD("pread64"),
	FD("pwrite64"),
	FD("preadv"),
	FD("pwritev"),
	FD("preadv2"),
	FD("pwritev2"),
	{ "recvfrom", "fd flags", NULL, KERNEL_CALL_RECEIVE },
	{ "recvmsg", "fd flags", NULL, KERNEL_CALL_RECEIVE },
	{ "recvmmsg", "fd flags", NULL, KERNEL_CALL_RECEIVE },
	{ "recv", "fd flags", NULL, KERNEL_CALL_RECEIVE },
	FD("sendto"),
	FD("sendmsg"),
	FD("sendmmsg"),
	FD("send"),
	FD_IN("epoll_wait", "epfd"),
	FD_IN("epoll_pwait", "epfd"),
	FD_IN("epoll_pwait2", "epfd"),
	FD_IN("epoll_wait_old", "epfd"),
	FD_IN("epoll_ctl", "epfd"),
	/* To whom, as that is what it usually waits for. */
	FD_IN("sendfile", "out_fd"),
	FD_IN("sendfile64", "out_fd"),
	FD_IN("splice", "fd_in"),
	FD_IN("tee", "fdin"),
	FD_IN("copy_file_range", "fd_in"),
	FD("vmsplice"),
	FD("fsync"),
	FD("fdatasync"),
	FD("syncfs"),
	FD("sync_file_range"),
	FD("sync_file_range2"),
	FD("ftruncate"),
	FD("ftruncate64"),
	FD("fallocate"),
	FD("lseek"),
	FD("llseek"),
	FD("fstat"),
	FD("newfstat"),
	FD("fstat64"),
	FD("fstatfs"),
	FD("fstatfs64"),
	FD("getdents"),
	FD("getdents64"),
	FD("flock"),
	FD("fadvise64"),
	FD("readahead"),
	FD("fchmod"),
	FD("fchown"),
	FD("fchdir"),
	FD("fgetxattr"),
	FD("fsetxattr"),
	FD("flistxattr"),
	FD("fremovexattr"),
	FD("bind"),
	FD("shutdown"),
	FD("getsockopt"),
	FD("setsockopt"),
	FD("getsockname"),
	FD("getpeername"),
	FD("inotify_add_watch"),
	FD("inotify_rm_watch"),
	FD_IN("timerfd_settime", "ufd"),
	FD_IN("timerfd_gettime", "ufd"),
	FD_IN("mq_timedsend", "mqdes"),
	FD_IN("mq_timedreceive", "mqdes"),
	FD("io_uring_enter"),
	FD("setns"),
	FD("finit_module"),
	{ "ioctl", "fd cmd", NULL, KERNEL_CALL_IOCTL },
	{ "fcntl", "fd cmd arg", NULL, KERNEL_CALL_FCNTL },
	{ "fcntl64", "fd cmd arg", NULL, KERNEL_CALL_FCNTL },
	{ "mmap", "fd flags prot", NULL, KERNEL_CALL_MMAP },
	{ "mmap_pgoff", "fd flags prot", NULL, KERNEL_CALL_MMAP },
	{ "shmat", "shmid shmflg", NULL, KERNEL_CALL_SHMAT },
	{ "futex", "uaddr op val", NULL, KERNEL_CALL_FUTEX },
	{ "futex_time32", "uaddr op val", NULL, KERNEL_CALL_FUTEX },
	{ "futex_waitv", "- - -", NULL, KERNEL_CALL_FUTEX },
	{ "futex_wait", "uaddr - val", NULL, KERNEL_CALL_FUTEX },
	{ "futex_wake", "uaddr - -", NULL, KERNEL_CALL_FUTEX },
	{ "futex_requeue", "- - -", NULL, KERNEL_CALL_FUTEX },
	{ "prctl", "option", NULL, KERNEL_CALL_PRCTL },
	{ "poll", "nfds fds:r", NULL, KERNEL_CALL_POLL },
	{ "ppoll", "nfds fds:r", NULL, KERNEL_CALL_POLL },
	{ "ppoll_time32", "nfds fds:r", NULL, KERNEL_CALL_POLL },
	{ "select", "n" FD_SETS, NULL, KERNEL_CALL_SELECT },
	{ "pselect6", "n" FD_SETS, NULL, KERNEL_CALL_SELECT },
	{ "pselect6_time32", "n" FD_SETS, NULL, KERNEL_CALL_SELECT },
	/* On a path. */
	PATH("stat", "filename"),
	PATH("newstat", "filename"),
	PATH("stat64", "filename"),
	PATH("lstat", "filename"),
	PATH("newlstat", "filename"),
	PATH("lstat64", "filename"),
	PATH("access", "filename"),
	PATH("execve", "filename"),
	PATH("chdir", "filename"),
	PATH("chmod", "filename"),
	PATH("chown", "filename"),
	PATH("statfs", "pathname"),
	PATH("unlink", "pathname"),
	PATH("mkdir", "pathname"),
	PATH("rmdir", "pathname"),
	PATH("rename", "oldname"),
	PATH("readlink", "path"),
	PATH("truncate", "path"),
	PATH_AT("newfstatat", "filename", "flag"),
	PATH_AT("fstatat64", "filename", "flag"),
	PATH_AT("statx", "filename", "flags"),
	PATH_AT("faccessat", "filename", "-"),
	PATH_AT("faccessat2", "filename", "flags"),
	PATH_AT("unlinkat", "pathname", "-"),
	PATH_AT("mkdirat", "pathname", "-"),
	PATH_AT("readlinkat", "pathname", "-"),
	PATH_AT("fchmodat", "filename", "-"),
	PATH_AT("utimensat", "filename", "flags"),
	{ "execveat", "fd filename:s flags", NULL, KERNEL_CALL_PATH_AT },
	{ "open", "filename:s flags", NULL, KERNEL_CALL_OPEN },
	{ "creat", "pathname:s -", NULL, KERNEL_CALL_OPEN },
	{ "openat", "dfd filename:s flags", NULL, KERNEL_CALL_OPEN_AT },
	{ "openat2", "dfd filename:s -", NULL, KERNEL_CALL_OPEN_AT },
	/* Make, change and close descriptors. */
	{ "close", "fd", NULL, KERNEL_CALL_CLOSE },
	{ "close_range", "fd max_fd flags", NULL, KERNEL_CALL_CLOSE_RANGE },
	{ "dup", "fildes", NULL, KERNEL_CALL_DUP },
	{ "dup2", "oldfd newfd -", NULL, KERNEL_CALL_DUP_TO },
	{ "dup3", "oldfd newfd flags", NULL, KERNEL_CALL_DUP_TO },
	{ "unshare", "unshare_flags", NULL, KERNEL_CALL_UNSHARE },
	{ "pipe", "-", "fildes:a", KERNEL_CALL_PIPE },
	{ "pipe2", "flags", "fildes:a", KERNEL_CALL_PIPE },
	{ "socket", "family type protocol", NULL, KERNEL_CALL_SOCKET },
	{ "socketpair", "family type", "socket:a", KERNEL_CALL_SOCKETPAIR },
	{ "connect", "fd family dport" PEER, NULL, KERNEL_CALL_CONNECT },
	{ "accept", "fd -", "family sport" PEER, KERNEL_CALL_ACCEPT },
	{ "accept4", "fd flags", "family sport" PEER, KERNEL_CALL_ACCEPT },
	{ "listen", "fd", NULL, KERNEL_CALL_LISTEN },
	{ "eventfd", "-", NULL, KERNEL_CALL_EVENTFD },
	{ "eventfd2", "flags", NULL, KERNEL_CALL_EVENTFD },
	{ "timerfd_create", "flags", NULL, KERNEL_CALL_TIMERFD },
	{ "epoll_create", "-", NULL, KERNEL_CALL_EPOLL },
	{ "epoll_create1", "flags", NULL, KERNEL_CALL_EPOLL },
	{ "inotify_init", "-", NULL, KERNEL_CALL_INOTIFY },
	{ "inotify_init1", "flags", NULL, KERNEL_CALL_INOTIFY },
	{ "signalfd", "- ufd", NULL, KERNEL_CALL_SIGNALFD },
	{ "signalfd4", "flags ufd", NULL, KERNEL_CALL_SIGNALFD },
	{ "memfd_create", "flags uname:s", NULL, KERNEL_CALL_MEMFD },
	{ "perf_event_open", NULL, NULL, KERNEL_CALL_NEW_FD },
	{ "fanotify_init", NULL, NULL, KERNEL_CALL_NEW_FD },
	{ "open_by_handle_at", NULL, NULL, KERNEL_CALL_NEW_FD },
	{ "open_tree", NULL, NULL, KERNEL_CALL_NEW_FD },
	{ "userfaultfd", NULL, NULL, KERNEL_CALL_NEW_FD },
	{ "io_uring_setup", NULL, NULL, KERNEL_CALL_NEW_FD },
	{ "pidfd_open", NULL, NULL, KERNEL_CALL_NEW_FD },
	{ "pidfd_getfd", NULL, NULL, KERNEL_CALL_NEW_FD },
	{ "mq_open", NULL, NULL, KERNEL_CALL_NEW_FD },
};
const size_t kernel_n_call_rows = sizeof(kernel_call_rows) / sizeof(kernel_call_rows[0]);

const struct kernel_call_row *kernel_call_find(const char *name)
{
	for (size_t i = 0; i < kernel_n_call_rows; i++)
		if (strcmp(kernel_call_rows[i].name, name) == 0)
			return &kernel_call_rows[i];
	return NULL;
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
