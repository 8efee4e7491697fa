/* Files: what the descriptors of a host's tasks stand for, so that "read of 5" becomes
 * "read 10.0.0.2:80".
 *
 * Told by system calls (open, socket, connect, accept, dup, pipe, close, ...) and by the state
 * dump. Threads of a process share a table (fd_table.h). A descriptor that nothing told about has
 * no name; a name is never guessed. Everything is as of the latest event: names are asked for when
 * a call begins.
 *
 *   /etc/passwd, a relative path as it was given    files
 *   10.0.0.2:80, [::1]:80                           sockets with a peer that is known
 *   tcp socket, unix socket, listening socket       other sockets
 *   socket:[1234], pipe:[1234]                      known from the state dump alone
 *   socket:[1234] listens on 0.0.0.0:80             the same, from a copy of /proc
 *   pipe#1, socketpair#1                            made while recorded; both ends, all copies
 *   epoll, eventfd, timerfd, memfd:NAME, ... */
#ifndef MER_KERNEL_FILES_FILES_H
#define MER_KERNEL_FILES_FILES_H

#include <stdbool.h>
#include "kernel/calls.h"
#include "kernel/host.h"

enum kernel_object_kind {
	KERNEL_OBJECT_UNKNOWN,
	KERNEL_OBJECT_FILE,
	KERNEL_OBJECT_SOCKET, /* of any family but unix, or known from the state dump alone */
	KERNEL_OBJECT_UNIX,
	KERNEL_OBJECT_PIPE,  /* a fifo with a path is a FILE */
	KERNEL_OBJECT_EVENT, /* eventfd, signalfd, inotify, ... */
	KERNEL_OBJECT_TIMER,
	KERNEL_OBJECT_POLL, /* epoll */
	KERNEL_OBJECT_TTY,
	KERNEL_N_OBJECT_KINDS
};
/* "file", "socket", ... Stable words for programs. */
const char *kernel_object_kind_name(enum kernel_object_kind);

struct kernel_files;

/* Names go to h->names; pids are those of h->tasks. */
int kernel_files_new(struct kernel_host *h, struct kernel_files **files, struct mer_err *err);
void kernel_files_free(struct kernel_files *); /* NULL is fine */

/* All below take numbers of h->tasks. They return 0 or an error of the system; what makes no sense
 * (a close of an unknown descriptor) is ignored. */

/* A system call begins: says on what (call->object, fd, kind; name is not touched). slots: as
 * the call's row in calls.h has them; NULL: the event does not tell its arguments. */
int kernel_files_enter(struct kernel_files *, uint32_t task, enum kernel_call_kind kind,
	const uint64_t *slots, struct kernel_call *call, struct mer_err *err);
/* What an argument of the call that the task is in points to, which its entry did not tell: a path;
 * a peer (of connect; of accept, before it ends; of the socket that data goes to or comes from, if
 * that is not known). call: as kernel_files_enter left it, changed if something is known now. v4:
 * as of kernel_name_peer. */
int kernel_files_told_path(struct kernel_files *, uint32_t task, const char *text, size_t len,
	struct kernel_call *call, struct mer_err *err);
int kernel_files_told_peer(struct kernel_files *, uint32_t task, uint64_t family, uint64_t port,
	const uint64_t *v4, struct kernel_call *call, struct mer_err *err);
/* It ends with ret. slots: of the exit event, slots[0] is ret; NULL: the event tells nothing else
 * (exit_syscall). kind: as at its entry, which must be that of this call. */
int kernel_files_leave(struct kernel_files *, uint32_t task, enum kernel_call_kind kind,
	int64_t ret, const uint64_t *slots, struct mer_err *err);
/* The same of a call of which the entry was not seen: it waited in accept when the recording
 * began. */
int kernel_files_leave_unseen(struct kernel_files *, uint32_t task, enum kernel_call_kind kind,
	int64_t ret, const uint64_t *slots, struct mer_err *err);
/* The task forks: shares: child is a thread of the same process. Child's pid is set before. */
int kernel_files_fork(
	struct kernel_files *, uint32_t parent, uint32_t child, bool shares, struct mer_err *err);
int kernel_files_exec(struct kernel_files *, uint32_t task, struct mer_err *err);
void kernel_files_exit(struct kernel_files *, uint32_t task);
/* State dump: lttng_statedump_process_state has told the task's table (0: not told, then its pid is
 * its table), lttng_statedump_file_descriptor a row of a table or (older tracers) of a process. */
int kernel_files_dump_task(
	struct kernel_files *, uint32_t task, uint64_t table, struct mer_err *err);
int kernel_files_dump(struct kernel_files *, uint64_t table, int32_t pid, int32_t fd,
	const char *name, size_t len, struct mer_err *err);

/* The same of a socket, of which the dump tells more than its number: name is as system calls name
 * it, or begins as that of a socket without addresses. family: of the ABI; 0: not known. */
int kernel_files_dump_socket(struct kernel_files *, int32_t pid, int32_t fd, uint16_t family,
	const char *name, size_t len, struct mer_err *err);

#endif
