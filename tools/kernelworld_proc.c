/* kernelworld: what LTTng's state dump would tell, as a copy of /proc, made at the same moments:
 * the folder proc-before beside a host's recording (layout: src/ftrace/proc/proc_snapshot.h). */
#include "kernelworld_stock.h"

#include <stdlib.h>
#include <string.h>

struct proc {
	char dir[4200];
	FILE *times, *clock, *fds;
	struct bytes interfaces;
	int32_t pid; /* of the process that is told */
};

static const char *text_of(const struct ctf_value *v)
{
	static char text[300];
	snprintf(text, sizeof(text), "%.*s", (int)v->v.bytes.len, (const char *)v->v.bytes.data);
	return text;
}

static void write_file(const struct proc *p, const char *name, const char *text)
{
	FILE *f = open_in(p->dir, name, "w");
	write_to(f, text, strlen(text));
	close_whole(f, name);
}

static long long now(const struct cpu *c)
{
	return (long long)clock_of(c->m, c->sim->now);
}

static void write_clock(struct proc *p, const struct cpu *c, const char *word)
{
	fprintf(p->clock, "%s %lld %lld\n", word, now(c), now(c) + (long long)time_of_day(c->m));
}

static struct proc *begin(struct cpu *c)
{
	struct proc *p = need(calloc(1, sizeof(*p)));
	char below[4300];
	snprintf(p->dir, sizeof(p->dir), "%.4000s/proc-before", c->m->stock->dir);
	snprintf(below, sizeof(below), "%s/net", p->dir);
	make_dirs(below);
	snprintf(below, sizeof(below), "%s/sys/kernel", p->dir);
	make_dirs(below);
	p->times = open_in(p->dir, "times", "w");
	p->clock = open_in(p->dir, "clock", "w");
	write_clock(p, c, "before");
	write_file(p, "sys/kernel/hostname", c->m->name);
	return p;
}

static void end_process(struct proc *p)
{
	if (p->fds)
		close_whole(p->fds, "fd");
	p->fds = NULL;
}

static void end(struct proc *p, const struct cpu *c)
{
	static const char head[] =
		"Inter-|   Receive                  |  Transmit\n"
		" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n";
	end_process(p);
	write_clock(p, c, "after");
	close_whole(p->clock, "clock");
	close_whole(p->times, "times");
	FILE *f = open_in(p->dir, "net/dev", "w");
	write_to(f, head, sizeof(head) - 1);
	write_to(f, p->interfaces.of, p->interfaces.n);
	close_whole(f, "net/dev");
	free(p->interfaces.of);
	free(p);
}

static char state_of(int64_t status)
{
	switch (status) {
	case 4: return 'Z';
	case 5: return 'S';
	case 7: return 'X';
	default: return 'R';
	}
}

/* In 1/100 s since boot. */
static long long started(const struct cpu *c, int32_t tid)
{
	const struct task *t = c->m->by_tid[tid];
	/* Those that were there at first: they began long ago. */
	int64_t born = t && t->born > 0 ? t->born : -10000000000;
	return (long long)(c->m->boot + born) / 10000000;
}

static void tell_process(struct proc *p, struct cpu *c, const struct ctf_value *v)
{
	enum { TID, PID, PPID, NAME, KERNEL, STATUS = 7 };
	enum { THREAD_OF_KERNEL = 0x00200000, OTHER = 0x00400000 };
	int32_t tid = (int32_t)v[TID].v.i, pid = (int32_t)v[PID].v.i;
	char below[4300], name[60];
	if (tid == pid) {
		end_process(p);
		p->pid = pid;
		snprintf(name, sizeof(name), "%d", pid);
		fprintf(p->times, "%d %lld %lld\n", pid, now(c), now(c));
	} else {
		snprintf(name, sizeof(name), "%d/task/%d", pid, tid);
	}
	snprintf(below, sizeof(below), "%s/%s", p->dir, name);
	make_dirs(below);
	FILE *f = open_in(below, "stat", "w");
	fprintf(f, "%d (%s) %c %lld %d %d 0 -1 %d 0 0 0 0 0 0 0 0 20 0 1 0 %lld 0 0\n", tid,
		text_of(&v[NAME]), state_of(v[STATUS].v.i), (long long)v[PPID].v.i, pid, pid,
		v[KERNEL].v.i ? THREAD_OF_KERNEL : OTHER, started(c, tid));
	close_whole(f, "stat");
}

static void tell_descriptor(struct proc *p, const struct ctf_value *v)
{
	enum { FD = 1, NAME = 4 };
	char below[4300];
	if (!p->fds) {
		snprintf(below, sizeof(below), "%s/%d", p->dir, p->pid);
		p->fds = open_in(below, "fd", "w");
		fprintf(p->fds, "total 0\n");
	}
	fprintf(p->fds, "lrwx------ 1 0 0 64 Nov 14 22:13 %lld -> %s\n", (long long)v[FD].v.i,
		text_of(&v[NAME]));
}

void proc_dump(struct proc **proc, struct cpu *c, int event, const struct ctf_value *v)
{
	struct proc *p = *proc;
	char line[500];
	if (event == EV_DUMP_START && !p)
		p = *proc = begin(c);
	if (!p)
		return;
	switch (event) {
	case EV_DUMP_PROCESS: tell_process(p, c, v); break;
	case EV_DUMP_FD: tell_descriptor(p, v); break;
	case EV_DUMP_DEVICE:
		snprintf(line, sizeof(line), "major minor  #blocks  name\n\n %4lld %7lld %10d %s\n",
			(long long)v[0].v.i >> 20, (long long)v[0].v.i & 0xFFFFF, 8388608,
			text_of(&v[1]));
		write_file(p, "partitions", line);
		break;
	case EV_DUMP_INTERFACE:
		put(&p->interfaces, line,
			(size_t)snprintf(
				line, sizeof(line), "%6s:       0       0    0\n", text_of(&v[0])));
		break;
	case EV_DUMP_END:
		end(p, c);
		*proc = NULL;
		break;
	default: break;
	}
}
