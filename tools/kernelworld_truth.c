/* kernelworld: what really happened: the states of each task, and the files that say so. */
#include "kernelworld.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void note_state(struct task *t, enum kernel_state state, int cause)
{
	struct sim *s = t->m->sim;
	if (t->is_idle)
		return;
	if (s->o.no_truth) /* the latest is enough */
		t->n_spans = 0;
	if (t->n_spans && t->spans[t->n_spans - 1].state == state)
		return;
	size_t cap = t->cap_spans;
	t->spans = grown(t->spans, t->n_spans, &cap, sizeof(*t->spans));
	t->cap_spans = (uint32_t)cap;
	t->spans[t->n_spans++] = (struct span){ .begin = s->now,
		.call = t->call,
		.cpu = (uint16_t)t->cpu->id,
		.state = (uint8_t)state,
		.cause = (uint8_t)cause };
}

void note_place(struct task *t)
{
	struct span *last = t->n_spans ? &t->spans[t->n_spans - 1] : NULL;
	if (last && last->state == KERNEL_RUNNABLE)
		last->cpu = (uint16_t)t->cpu->id;
}

void note_on_cpu(struct task *t)
{
	enum kernel_state state = KERNEL_USER;
	if (t->is_idle)
		return;
	if (t->is_kernel)
		state = KERNEL_THREAD;
	else if (t->call >= 0)
		state = KERNEL_SYSCALL;
	note_state(t, state, KERNEL_NO_CAUSE);
}

void note_end_of_wait(struct task *t, int cause, struct task *by, struct packet *p)
{
	struct span *last = &t->spans[t->n_spans - 1];
	last->cause = (uint8_t)cause;
	last->by = by;
	last->packet = p;
	if (cause == KERNEL_DISK) {
		last->served = t->m->sim->served;
		t->m->sim->served = NULL;
	}
	note_state(t, KERNEL_RUNNABLE, KERNEL_NO_CAUSE);
}

/* ---- files ---- */

int64_t shown(int64_t t)
{
	return EPOCH_S * 1000000000ll + t;
}

FILE *open_csv(struct sim *s, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/truth/%s", s->o.dir, name);
	FILE *f = n > 0 && (size_t)n < sizeof(path) ? fopen(path, "w") : NULL;
	if (!f)
		give_up("cannot write %s", path);
	return f;
}

void close_csv(FILE *f, const char *name)
{
	if (ferror(f) || fclose(f))
		give_up("cannot write %s", name);
}

static const char *const states[KERNEL_N_STATES] = { "unknown", "running", "user", "syscall",
	"thread", "interrupted", "runnable", "blocked", "new", "stopped", "dead" };
static const char *const causes[KERNEL_N_CAUSES] = { "", "disk", "network", "timer", "task",
	"futex", "pipe", "input", "ipi", "irq", "softirq" };

static int64_t end_of(const struct sim *s, const struct task *t)
{
	return t->freed_at < s->end ? t->freed_at : s->end;
}

static void write_states(FILE *f, const struct sim *s, const struct task *t)
{
	for (uint32_t i = 0; i < t->n_spans; i++) {
		const struct span *p = &t->spans[i];
		int64_t begin = p->begin;
		int64_t end = i + 1 < t->n_spans ? p[1].begin : end_of(s, t);
		if (end <= s->o.begin_cut || begin >= end)
			continue;
		if (begin < s->o.begin_cut)
			begin = s->o.begin_cut;
		fprintf(f, "%s,%d,%lld,%lld,%s,%s,", t->m->name, t->tid, (long long)shown(begin),
			(long long)shown(end), states[p->state], causes[p->cause]);
		if (p->by)
			fprintf(f, "%d", p->by->tid);
		fprintf(f, ",");
		if (p->packet)
			fprintf(f, "%llu", (unsigned long long)p->packet->id);
		fprintf(f, ",%s,%u\n", p->call >= 0 ? calls[p->call].name : "", p->cpu);
	}
}

static void write_tasks(struct sim *s)
{
	FILE *f = open_csv(s, "states.csv"), *tasks = open_csv(s, "tasks.csv");
	fprintf(f, "host,tid,begin,end,state,cause,by,packet,call,cpu\n");
	fprintf(tasks, "host,tid,pid,ppid,begin,end,born,died,freed,kernel,comm\n");
	for (uint32_t i = 0; i < s->o.n_machines; i++) {
		for (const struct task *t = s->machines[i].tasks; t; t = t->next) {
			int64_t begin = t->born < s->o.begin_cut ? s->o.begin_cut : t->born;
			if (t->is_idle || t->freed_at <= s->o.begin_cut)
				continue;
			fprintf(tasks, "%s,%d,%d,%d,%lld,%lld,%d,%d,%d,%d,%s\n", t->m->name, t->tid,
				t->pid, t->ppid, (long long)shown(begin),
				(long long)shown(end_of(s, t)), t->born >= s->o.begin_cut,
				t->died < INT64_MAX, t->freed_at < INT64_MAX, t->is_kernel,
				t->comm);
			write_states(f, s, t);
		}
	}
	close_csv(f, "states.csv");
	close_csv(tasks, "tasks.csv");
}

static void write_packets(struct sim *s)
{
	FILE *f = open_csv(s, "packets.csv");
	fprintf(f, "packet,from,sender,answers,sent,to,receiver,received,bytes\n");
	for (size_t i = 0; i < s->n_packets; i++) {
		const struct packet *p = s->packets[i];
		if (p->sent < s->o.begin_cut || p->received < 0)
			continue;
		fprintf(f, "%llu,%s,", (unsigned long long)p->id, p->conn->end[p->side].m->name);
		if (p->sender)
			fprintf(f, "%d", p->sender->tid);
		fprintf(f, ",");
		if (p->answers)
			fprintf(f, "%llu", (unsigned long long)p->answers->id);
		fprintf(f, ",%lld,%s,%d,%lld,%u\n", (long long)shown(p->sent),
			p->conn->end[!p->side].m->name, p->receiver->tid,
			(long long)shown(p->received), p->bytes);
	}
	close_csv(f, "packets.csv");
}

static void write_clocks(struct sim *s)
{
	FILE *f = open_csv(s, "clocks.csv");
	fprintf(f, "host,ahead_ns,drift\n");
	for (uint32_t i = 0; i < s->o.n_machines; i++)
		fprintf(f, "%s,%lld,%.17g\n", s->machines[i].name, (long long)s->machines[i].ahead,
			s->machines[i].drift);
	close_csv(f, "clocks.csv");
}

void write_truth(struct sim *s)
{
	write_clocks(s);
	if (s->o.no_truth)
		return;
	write_tasks(s);
	write_packets(s);
	write_paths(s);
}
