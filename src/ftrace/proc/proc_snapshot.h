/* Snapshot: a copy of /proc, made at some moment, as the kernel's own texts (proc(5)):
 *
 *   tasks   `grep -H` of PID/task/TID/stat and of some lines of PID/task/TID/status
 *   fds     `ls -l` of PID/fd, or of PID/task/TID/fd, where the first thread has ended
 *   net/tcp, tcp6, udp, udp6, unix       sockets
 *   partitions, interrupts, cpuinfo, net/dev, sys/kernel/hostname, uptime
 *   clock   lines "before MONOTONIC REALTIME" and "after ...", in ns, around the whole copy
 *   times   lines "PID BEFORE AFTER": CLOCK_MONOTONIC in ns, before and after each process was read
 *
 * In place of the first two, a folder for each process, as it is in /proc: PID/stat, status,
 * task/TID/stat, status, and PID/fd as a folder of links or the text of `ls -l`.
 *
 * Missing or invalid data is left out, and counted if it is damage. */
#ifndef MER_FTRACE_PROC_SNAPSHOT_H
#define MER_FTRACE_PROC_SNAPSHOT_H

#include "base/arena.h"
#include "base/map.h"
#include "ftrace/proc/proc_folder.h"

enum { PROC_INET = 2, PROC_INET6 = 10, PROC_UNIX = 1, PROC_COMM = 16 };

struct proc_task {
	int32_t tid, pid, ppid;
	int32_t vtid, vpid; /* in its own namespace; 0: not known, or the same */
	char comm[PROC_COMM];
	char state;
	bool is_kernel;
	bool has_own, has_switches;
	uint64_t start_ticks;		 /* since boot, in 1/100 s */
	uint64_t own_switches, switches; /* context switches: voluntary ones; all */
	int64_t read_ns;    /* CLOCK_MONOTONIC when its process was read; 0: not known */
	int64_t read_by_ns; /* ... and when that was done; 0: not known */
};

struct proc_fd {
	int32_t pid, fd;
	const char *text;
};

struct proc_socket {
	uint64_t inode;
	uint16_t family;
	bool is_listening;
	const char *local, *remote; /* "10.0.0.1:80", a path; NULL: it has none */
};

struct proc_named { /* a disk, an interrupt, a CPU with its package, an interface */
	uint32_t number, other;
	const char *name;
};
struct proc_list {
	struct proc_named *item;
	size_t n, cap;
};

struct proc_snapshot { /* zeroed */
	bool is_there;
	bool has_clock;
	int64_t mono_before, mono_after, real_before, real_after;
	int64_t uptime_ns; /* since boot, including suspend; 0: unknown */
	const char *hostname;
	struct proc_task *tasks; /* by pid, each process together */
	size_t n_tasks, cap_tasks;
	struct mer_map by_tid; /* -> task, plus 1 */
	struct proc_fd *fds;   /* by pid */
	size_t n_fds, cap_fds;
	struct mer_map by_fd; /* proc_fd_key -> descriptor, plus 1 */
	struct proc_socket *sockets;
	size_t n_sockets, cap_sockets;
	struct mer_map by_inode; /* -> socket, plus 1 */
	struct proc_list disks, irqs, cpus, interfaces;
	uint64_t n_damaged; /* lines that make no sense */
	uint32_t n_cut;
};

/* Reads the folder `name` in dir. is_be: the host's byte order. False: no memory. Texts are in
 * arena. */
bool proc_snapshot_read(
	struct proc_snapshot *s, int dir, const char *name, bool is_be, struct mer_arena *arena);
void proc_snapshot_fini(struct proc_snapshot *s);

static inline uint64_t proc_fd_key(int32_t pid, int32_t fd)
{
	return ((uint64_t)(uint32_t)pid << 32 | (uint32_t)fd) + 1;
}
const struct proc_task *proc_task_at(const struct proc_snapshot *s, int32_t tid);
const struct proc_fd *proc_fd_at(const struct proc_snapshot *s, int32_t pid, int32_t fd);
/* The socket of a descriptor's text "socket:[1234]"; NULL: not a socket, or one of another kind or
 * namespace. */
const struct proc_socket *proc_socket_of(const struct proc_snapshot *s, const char *text);

/* Shared by proc_snapshot.c, proc_host.c (data of the host) and proc_listed.c. */
struct proc_reading {
	struct proc_snapshot *s;
	struct proc_folder folder;
	struct mer_arena *arena;
	struct mer_map times; /* pid -> number in read_ns, plus 1 */
	struct proc_times {
		int64_t before, after; /* 0: not said */
	} * read_ns;
	size_t n_times, cap_times;
	bool is_be;
	/* The process that is being read. */
	struct proc_task *process; /* only while its files are read */
	int32_t pid;
	bool has_fds;
};
bool proc_read_host(struct proc_reading *r, int dir);
/* The processes of `tasks` and `fds`. False: no memory. */
bool proc_read_listed(struct proc_reading *r, int dir, bool *is_there);
/* The text of a task's stat; false: damaged. A line of its status, in their order. */
bool proc_parse_stat(const char *text, struct proc_task *t);
void proc_parse_status(const char *line, struct proc_task *t);
/* Parses a line of `ls -l` as a descriptor of r->pid. False: no memory. */
bool proc_parse_fd(struct proc_reading *r, char *line);
bool proc_add_task(struct proc_reading *r, const struct proc_task *t);
/* When a process was read, in CLOCK_MONOTONIC; 0: unknown. */
void proc_time_of(struct proc_reading *r, int32_t pid, int64_t *before, int64_t *after);
/* Takes the line at *at, and moves *at to the next one; false: there is none. The line's end
 * becomes a NUL. */
bool proc_next_line(char **at, char **line);
/* Reads a decimal number at *p, and moves *p after it; false: there is none, or it is larger than
 * most. */
bool proc_number(const char **p, uint64_t most, uint64_t *n);

#endif
