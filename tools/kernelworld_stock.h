/* kernelworld: the same hosts recorded by what every kernel has: ftrace, as trace.dat, and perf, as
 * perf.data.
 *
 *   kernelworld_stock.c     events of the kernel: their formats, and records of what happened
 *   kernelworld_tracedat.c  trace.dat, versions 6 and 7
 *   kernelworld_perf.c      perf.data
 *   kernelworld_proc.c      proc-before: what LTTng's state dump tells, as a copy of /proc
 *
 * An event of LTTng is one of the kernel, and what that does not have is in probes (of group mer)
 * at the same moment. Left out is what no file of these has: which descriptors a poll is about, the
 * two of a pipe (--by-number leaves these out of LTTng's traces, too). */
#ifndef KERNELWORLD_STOCK_H
#define KERNELWORLD_STOCK_H

#include "kernelworld.h"

enum { STOCK_PAGE = 4096, STOCK_MOST_RECORD = 1024 };
#define STOCK_RELEASE "6.1.0-56-amd64"

struct bytes { /* that grow */
	uint8_t *of;
	size_t n, cap;
};
void put(struct bytes *b, const void *data, size_t n);
void put_u16(struct bytes *b, uint16_t x);
void put_u32(struct bytes *b, uint32_t x);
void put_u64(struct bytes *b, uint64_t x);
void put_text(struct bytes *b, const char *t); /* with its NUL */
void put_zeros(struct bytes *b, size_t align); /* up to a multiple */
void set_u64(struct bytes *b, size_t at, uint64_t x);

/* A file, all of whose writes succeed. */
FILE *open_in(const char *dir, const char *name, const char *mode);
void write_to(FILE *f, const void *data, size_t n);
void close_whole(FILE *f, const char *name);

/* ---- events ---- */

/* Of the same number as EV_..., then these. */
enum {
	ST_NEWTASK = EV_N,
	ST_ENTER,
	ST_EXIT,
	ST_TX,
	ST_RX,
	ST_OPEN,
	ST_EXECVE,
	ST_CONNECT,
	ST_ACCEPT,
	ST_N
};

bool stock_has(const struct machine *m, int event);
uint16_t stock_id(int event);
/* Their formats as trace.dat and perf.data have them: header_page to the events of all systems. */
void put_header_info(struct bytes *b);
void put_systems(struct bytes *b, const struct machine *m);

/* What LTTng would record now, with these values. */
void stock_event(struct cpu *c, int event, const struct ctf_value *v, unsigned n);
void stock_call(struct cpu *c, int call, int fd);
void stock_return(struct cpu *c, int call, int64_t ret);

void stock_open(struct machine *m);
void stock_close(struct machine *m);
uint64_t clock_of(const struct machine *m, int64_t t);
int64_t time_of_day(const struct machine *m); /* ns, minus the clock */

/* ---- containers: of one host ---- */

struct dat;
struct dat *dat_open(const struct machine *m, const char *dir);
void dat_record(struct dat *d, uint32_t cpu, uint64_t time, const void *data, size_t n);
void dat_close(struct dat *d);

struct perf;
struct perf *perf_open(const struct machine *m, const char *dir);
void perf_record(
	struct perf *p, const struct cpu *c, int event, uint64_t time, const void *data, size_t n);
void perf_close(struct perf *p);

struct proc;
void proc_dump(struct proc **p, struct cpu *c, int event, const struct ctf_value *v);

struct stock { /* of a machine */
	char dir[4096];
	struct dat *dat;
	struct perf *perf;
	struct proc *proc;
};

#endif
