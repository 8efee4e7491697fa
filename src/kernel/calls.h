/* Calls: the one dictionary of system calls: what each does (its classes), and which of its
 * arguments are read, whatever the tracer calls its events.
 *
 *   sys_X / compat_sys_X, exit_syscall               LTTng before 2.6
 *   syscall_entry_X, syscall_exit_X, compat_...      LTTng
 *   raw_syscalls:sys_enter, raw_syscalls:sys_exit    perf: by number
 *   syscalls:sys_enter_X, syscalls:sys_exit_X        perf
 *
 * Names are compared once, where an event is bound or a call is new. From there on a call is known
 * by its id, the number of its row: no other file compares names of system calls. A call without a
 * row is nothing but a name. */
#ifndef MER_KERNEL_CALLS_H
#define MER_KERNEL_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include "meridian/meridian.h"

/* What a call does with descriptors, and which slots its entry and its exit have, in order; those
 * of the exit follow ret. Text and arrays are written as in mer_need and take two. */
enum kernel_call_kind {
	KERNEL_CALL_OTHER, /* nothing that is looked at */
	/* About no descriptor: all before USES_FD. */
	KERNEL_CALL_FUTEX,	/* uaddr op val: op says what it does */
	KERNEL_CALL_FUTEX_WAIT, /* the same slots; op is not recorded */
	KERNEL_CALL_FUTEX_WAKE, /* the same */
	KERNEL_CALL_PRCTL,	/* option */
	KERNEL_CALL_POLL,	/* nfds fds:r */
	KERNEL_CALL_SELECT,	/* n readfds:a writefds:a exceptfds:a */
	KERNEL_CALL_SHMAT,	/* id flags */
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

/* Of the operation of futex: flags beside its number. */
enum { KERNEL_FUTEX_PRIVATE = 128, KERNEL_FUTEX_FLAGS = KERNEL_FUTEX_PRIVATE | 256 };
static inline uint64_t kernel_futex_op(uint64_t op)
{
	return op & ~(uint64_t)KERNEL_FUTEX_FLAGS;
}

/* Where these are: slots of an entry, of all calls of the kind that has them. */
enum kernel_call_slot {
	KERNEL_ARG_FD = 0, /* of all calls on a descriptor */
	KERNEL_ARG_RECEIVE_FLAGS = 1,
	KERNEL_ARG_FUTEX = 0, /* address */
	KERNEL_ARG_FUTEX_OP,
	KERNEL_ARG_FUTEX_VALUE,
	KERNEL_ARG_PRCTL = 0, /* option */
	KERNEL_ARG_POLL_N = 0,
	KERNEL_ARG_POLL_FDS, /* rows: number, address */
	KERNEL_ARG_SELECT_N = 0,
	KERNEL_ARG_SELECT_SETS, /* three arrays: number, address */
	KERNEL_ARG_SHMAT_ID = 0,
	KERNEL_ARG_SHMAT_FLAGS,
	KERNEL_ARG_PATH = 0, /* also of open: text */
	KERNEL_ARG_OPEN_FLAGS = 2,
	KERNEL_ARG_AT_DIR = 0, /* of openat and others with a directory */
	KERNEL_ARG_AT_PATH,    /* text */
	KERNEL_ARG_AT_FLAGS = 3,
	KERNEL_ARG_RANGE_FIRST = 0, /* close_range */
	KERNEL_ARG_RANGE_LAST,
	KERNEL_ARG_RANGE_FLAGS,
	KERNEL_ARG_DUP_NEW = 1,
	KERNEL_ARG_DUP_FLAGS,
	KERNEL_ARG_FCNTL_CMD = 1,
	KERNEL_ARG_FCNTL_ARG,
	KERNEL_ARG_IOCTL_CMD = 1,
	KERNEL_ARG_MMAP_FLAGS = 1,
	KERNEL_ARG_MMAP_PROT,
	KERNEL_ARG_FLAGS = 0, /* of unshare, pipe, and what makes a descriptor for no file */
	KERNEL_ARG_SOCKET_FAMILY = 0,
	KERNEL_ARG_SOCKET_TYPE,
	KERNEL_ARG_SOCKET_PROTOCOL,
	KERNEL_ARG_CONNECT_FAMILY = 1,
	KERNEL_ARG_CONNECT_PORT,
	KERNEL_ARG_CONNECT_V4,	   /* array: number, address */
	KERNEL_ARG_CONNECT_V6 = 5, /* array */
	KERNEL_ARG_ACCEPT_FLAGS = 1,
	KERNEL_ARG_SIGNALFD_FD = 1,
	KERNEL_ARG_MEMFD_NAME = 1, /* text */
	/* Of an exit. */
	KERNEL_EXIT_RET = 0,
	KERNEL_EXIT_ENDS,	/* array of a pipe or pair */
	KERNEL_EXIT_FAMILY = 1, /* accept */
	KERNEL_EXIT_PORT,
	KERNEL_EXIT_V4,
	KERNEL_EXIT_V6 = 5
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
	case KERNEL_CALL_FUTEX_WAIT:
	case KERNEL_CALL_FUTEX_WAKE:
	case KERNEL_CALL_MMAP: return KERNEL_CALL_ARGS;
	default: return 0;
	}
}

/* What a call does, whatever its arguments; bits. */
enum kernel_call_class {
	KERNEL_CALLS_READ = 1 << 0,  /* data of its descriptor; the result is the number of bytes */
	KERNEL_CALLS_WRITE = 1 << 1, /* the same */
	/* From one descriptor to another; READ or WRITE says what it does with the recorded one. */
	KERNEL_CALLS_COPY = 1 << 2,
	KERNEL_CALLS_MESSAGES = 1 << 3, /* READ, WRITE: the result is a number of messages */
	KERNEL_CALLS_PEEK = 1 << 4,	/* READ: the data can be read again */
	KERNEL_CALLS_OPEN = 1 << 5,
	KERNEL_CALLS_CLOSE = 1 << 6, /* may close a descriptor */
	KERNEL_CALLS_SYNC = 1 << 7,  /* waits until data is on the disk */
	KERNEL_CALLS_CONNECT = 1 << 8,
	KERNEL_CALLS_ACCEPT = 1 << 9,
	KERNEL_CALLS_SHUTDOWN = 1 << 10,
	KERNEL_CALLS_MULTIPLEX = 1 << 11, /* waits for the first of several things */
	KERNEL_CALLS_POLL = 1 << 12,	  /* the same; the result is how many are ready */
	KERNEL_CALLS_FUTEX = 1 << 13,
	KERNEL_CALLS_LOCK = 1 << 14, /* locks of files */
	KERNEL_CALLS_SEMAPHORE = 1 << 15,
	KERNEL_CALLS_QUEUE = 1 << 16,  /* message queues */
	KERNEL_CALLS_SIGNAL = 1 << 17, /* sends one */
	KERNEL_CALLS_FORK = 1 << 18,
	KERNEL_CALLS_WAIT = 1 << 19, /* for a child */
	KERNEL_CALLS_EXEC = 1 << 20,
	KERNEL_CALLS_EXIT = 1 << 21,	   /* ends a thread */
	KERNEL_CALLS_EXIT_GROUP = 1 << 22, /* ends all threads of the process */
	KERNEL_CALLS_PTRACE = 1 << 23,
	/* May wait until another task passes on something: data, a connection, its end. A write to
	 * a full pipe or to a slow receiver waits too, but gets nothing. */
	KERNEL_CALLS_AWAIT = 1 << 24,
	KERNEL_CALLS_TIME = 1 << 25, /* asks for the time, or for what a task knows of itself */
	KERNEL_CALLS_YIELD = 1 << 26,
	KERNEL_CALLS_SLEEP = 1 << 27,	/* waits for nothing but time */
	KERNEL_CALLS_ADDRESS = 1 << 28, /* the result is an address */
	KERNEL_CALLS_LOOKUP = 1 << 29,	/* searches a name: that there is none is no failure */
	/* Goes back to where a signal came, so tracers record no exit of it, or one without its
	 * name: it ends where it begins. Calls that end the task have no exit, too, but no user
	 * mode follows: these last until the end. */
	KERNEL_CALLS_NO_EXIT = 1 << 30
};

struct kernel_call_row {
	const char *name;	  /* "read" */
	const char *entry_fields; /* for mer_need.fields of its entry events; NULL: none */
	const char *exit_fields;  /* likewise, besides "ret", which is always the first; NULL */
	/* Where the slots of its entry are among the arguments of an event that has these by
	 * number: a digit (32 bits of the argument) or a letter ('A': all of argument 0) each;
	 * '-', or the text ends: it is not there. */
	const char *registers;
	int kind;	  /* enum kernel_call_kind; OTHER: its arguments are not read */
	uint32_t classes; /* enum kernel_call_class */
};
extern const struct kernel_call_row kernel_call_rows[];
extern const size_t kernel_n_call_rows;

/* The id of a call: the number of its row, plus 1; 0: it has none. By comparing: not for each
 * event. */
uint16_t kernel_call_id(const char *name);
/* The classes of the call of this id, and its kind as the row has it. A tracer may not record the
 * arguments: then the kind of an event (kernel_binding.kind) is KERNEL_CALL_OTHER nevertheless. */
static inline uint32_t kernel_call_classes(uint16_t id)
{
	return id ? kernel_call_rows[id - 1].classes : 0;
}
static inline enum kernel_call_kind kernel_call_kind_of(uint16_t id)
{
	return id ? (enum kernel_call_kind)kernel_call_rows[id - 1].kind : KERNEL_CALL_OTHER;
}

/* The slots of the entry of this call, from its arguments by number: what these do not tell is 0.
 * Of a call with an id and a kind. Slots beyond KERNEL_ENTRY_SLOTS are not written. */
enum { KERNEL_REGISTERS = 6, KERNEL_ENTRY_SLOTS = 8 };
void kernel_call_slots(
	uint16_t id, const uint64_t args[KERNEL_REGISTERS], uint64_t slots[KERNEL_ENTRY_SLOTS]);
/* The same from an event of the call's own that has a field for each register
 * (syscalls:sys_enter_*): a field for each slot, of 64 bits each, of which an int has the lower
 * half. */
void kernel_call_typed_slots(
	uint16_t id, const uint64_t fields[KERNEL_ENTRY_SLOTS], uint64_t slots[KERNEL_ENTRY_SLOTS]);

/* The call that an event's name is the entry of: "sys_read", "syscall_entry_read",
 * "compat_syscall_entry_read" -> "read". NULL: it is none. Exits likewise; "exit_syscall" -> "". */
const char *kernel_call_of_entry(const char *event);
const char *kernel_call_of_exit(const char *event);

#endif
