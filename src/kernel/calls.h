/* Calls: the system calls whose arguments the model looks at, whatever the tracer calls their events.
 *
 *   sys_X / compat_sys_X, exit_syscall               LTTng before 2.6
 *   syscall_entry_X, syscall_exit_X, compat_...      LTTng
 *   raw_syscalls:sys_enter, raw_syscalls:sys_exit    perf: by number
 *   syscalls:sys_enter_X, syscalls:sys_exit_X        perf
 *
 * Of all others only the name counts. */
#ifndef MER_KERNEL_CALLS_H
#define MER_KERNEL_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include "meridian/meridian.h"

/* What a call does with descriptors, and which slots its entry and its exit have; those of the exit
 * follow ret. Text and arrays are written as in mer_need and take two. */
enum kernel_call_kind {
	KERNEL_CALL_OTHER, /* nothing that is looked at */
	/* About no descriptor: all before USES_FD. */
	KERNEL_CALL_FUTEX,  /* uaddr op val */
	KERNEL_CALL_PRCTL,  /* option */
	KERNEL_CALL_POLL,   /* nfds fds:r */
	KERNEL_CALL_SELECT, /* n readfds:a writefds:a exceptfds:a */
	KERNEL_CALL_SHMAT,  /* id flags */
	/* On a descriptor, which goes on to mean what it did: these two. */
	KERNEL_CALL_USES_FD, /* read, write, fsync, ...: fd */
	KERNEL_CALL_RECEIVE, /* fd flags */
	/* All others make, change or name what a descriptor stands for. */
	KERNEL_CALL_PATH,	 /* on a path: path:s */
	KERNEL_CALL_PATH_AT,	 /* dirfd path:s flags */
	KERNEL_CALL_OPEN,	 /* path:s flags */
	KERNEL_CALL_OPEN_AT,	 /* dirfd path:s flags */
	KERNEL_CALL_CLOSE,	 /* fd */
	KERNEL_CALL_CLOSE_RANGE, /* first last flags */
	KERNEL_CALL_DUP,	 /* fd */
	KERNEL_CALL_DUP_TO,	 /* old new flags */
	KERNEL_CALL_FCNTL,	 /* fd cmd arg */
	KERNEL_CALL_IOCTL,	 /* fd cmd */
	KERNEL_CALL_MMAP,	 /* fd flags prot */
	KERNEL_CALL_UNSHARE,	 /* flags */
	KERNEL_CALL_PIPE,	 /* flags; exit: both ends:a */
	KERNEL_CALL_SOCKET,	 /* family type protocol */
	KERNEL_CALL_SOCKETPAIR,	 /* family type; exit: both ends:a */
	KERNEL_CALL_CONNECT,	 /* fd family port v4:a v6:a */
	KERNEL_CALL_ACCEPT,	 /* fd flags; exit: family port v4:a v6:a */
	KERNEL_CALL_LISTEN,	 /* fd */
	/* Make a descriptor that stands for no file: flags, with O_CLOEXEC. */
	KERNEL_CALL_EVENTFD,
	KERNEL_CALL_TIMERFD,
	KERNEL_CALL_EPOLL,
	KERNEL_CALL_INOTIFY,
	KERNEL_CALL_SIGNALFD, /* flags fd: -1, or the descriptor that it is about */
	KERNEL_CALL_MEMFD,    /* flags name:s */
	KERNEL_CALL_NEW_FD,   /* another, of which no name is told; none */
	KERNEL_N_CALL_KINDS
};

/* How many of its slots observers get (kernel_call_end.args), from the first on. */
enum { KERNEL_CALL_ARGS = 3 };
static inline unsigned kernel_call_args(enum kernel_call_kind kind)
{
	switch (kind) {
	case KERNEL_CALL_PRCTL: return 1;
	case KERNEL_CALL_RECEIVE:
	case KERNEL_CALL_SHMAT: return 2;
	case KERNEL_CALL_FUTEX:
	case KERNEL_CALL_MMAP: return KERNEL_CALL_ARGS;
	default: return 0;
	}
}

struct kernel_call_row {
	const char *name;	  /* "read" */
	const char *entry_fields; /* for mer_need.fields of its entry events; NULL: none */
	const char *exit_fields;  /* likewise, besides "ret", which is always the first; NULL */
	int kind;
};
extern const struct kernel_call_row kernel_call_rows[];
extern const size_t kernel_n_call_rows;

/* The row of a call; NULL: none, it is KERNEL_CALL_OTHER. By comparing: not for each event. */
const struct kernel_call_row *kernel_call_find(const char *name);

/* The call that an event's name is the entry of: "sys_read", "syscall_entry_read",
 * "compat_syscall_entry_read" -> "read". NULL: it is none. Exits likewise; "exit_syscall" -> "". */
const char *kernel_call_of_entry(const char *event);
const char *kernel_call_of_exit(const char *event);
/* Name of a call by its number on x86-64, for events that have only that; NULL: not known. */
const char *kernel_call_by_number(uint64_t number);

#endif
