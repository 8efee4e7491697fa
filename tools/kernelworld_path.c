/* kernelworld: the critical path of each request, from what the simulation knows about who waited
 * for whom. Written from the definition, and from nothing else:
 *
 * Backward from the window's end. A task that runs, or is ready, is on the path. When it waited,
 * the path goes to who ended the wait, at the time it did so, and back along that one to the begin
 * of the wait, where it returns. Nothing before the wait counts. */
#include "kernelworld.h"

#include <stdlib.h>

struct piece {
	int64_t begin, end;
	const struct machine *machine;
	const struct task *task; /* NULL: the machine's kernel, in an interrupt */
	const char *cause;
	const struct packet *in_flight; /* NULL: none is */
};

struct pieces { /* the latest first */
	struct piece *of;
	size_t n, cap;
};

static void note_in(struct pieces *ps, const struct machine *m, const struct task *t, int64_t begin,
	int64_t end, const struct packet *in_flight, const char *cause)
{
	if (begin >= end)
		return;
	ps->of = grown(ps->of, ps->n, &ps->cap, sizeof(*ps->of));
	ps->of[ps->n++] = (struct piece){ begin, end, m, t, cause, in_flight };
}

static void note(
	struct pieces *ps, const struct task *t, int64_t begin, int64_t end, const char *cause)
{
	note_in(ps, t->m, t, begin, end, NULL, cause);
}

static void follow(struct pieces *ps, const struct task *t, int64_t begin, int64_t end);

/* A wait that a packet ended: back to the task that sent it. If an interrupt did, in answer to
 * another packet, that machine's kernel waited for that one, and was busy with it from then on. */
static void follow_packet(
	struct pieces *ps, const struct task *t, const struct packet *p, int64_t begin, int64_t end)
{
	const struct machine *m = t->m;
	for (; p; p = p->answers) {
		int64_t received = p->received > begin ? p->received : begin;
		int64_t sent = p->sent > begin ? p->sent : begin;
		note_in(ps, m, t, received, end, NULL, t ? "network" : "interrupted");
		note_in(ps, m, t, sent, received, p, "network");
		end = sent;
		if (end > begin && p->sender)
			follow(ps, p->sender, begin, end);
		if (end <= begin || p->sender)
			return;
		m = p->conn->end[p->side].m;
		t = NULL;
	}
	note_in(ps, m, t, begin, end, NULL, "network");
}

/* A wait of a guest for its host: who sent the interrupt, then the vCPU that brought it. */
static void follow_served(
	struct pieces *ps, const struct task *t, const struct served *x, int64_t begin, int64_t end)
{
	int64_t issued = x->issued > begin ? x->issued : begin;
	int64_t entered = x->entered > issued ? x->entered : issued;
	int64_t sent = x->sent > issued ? x->sent : issued;
	note(ps, t, entered, end, "disk");
	if (entered > sent)
		follow(ps, x->vcpu, sent, entered);
	if (sent > issued)
		follow(ps, x->sender, issued, sent);
	note(ps, t, begin, issued, "disk");
}

static void follow_wait(struct pieces *ps, const struct task *t, const struct span *wait,
	int64_t begin, int64_t end)
{
	switch ((enum kernel_cause)wait->cause) {
	case KERNEL_TASK:
	case KERNEL_FUTEX:
	case KERNEL_PIPE: follow(ps, wait->by, begin, end); break;
	case KERNEL_NETWORK: follow_packet(ps, t, wait->packet, begin, end); break;
	case KERNEL_DISK:
		if (wait->served)
			follow_served(ps, t, wait->served, begin, end);
		else
			note(ps, t, begin, end, "disk");
		break;
	case KERNEL_TIMER: note(ps, t, begin, end, "timer"); break;
	case KERNEL_SOFTIRQ: note(ps, t, begin, end, "device"); break;
	default: note(ps, t, begin, end, "blocked"); break;
	}
}

static uint32_t span_before(const struct task *t, int64_t time)
{
	uint32_t lo = 0, hi = t->n_spans; /* the last that begins before */
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (t->spans[mid].begin < time)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static void follow(struct pieces *ps, const struct task *t, int64_t begin, int64_t end)
{
	for (uint32_t i = span_before(t, end); end > begin; i--) {
		const struct span *p = &t->spans[i];
		int64_t from = p->begin > begin ? p->begin : begin;
		switch ((enum kernel_state)p->state) {
		case KERNEL_RUNNABLE: note(ps, t, from, end, "runnable"); break;
		case KERNEL_INTERRUPTED: note(ps, t, from, end, "interrupted"); break;
		case KERNEL_NEW: note(ps, t, from, end, "fork"); break;
		case KERNEL_BLOCKED: follow_wait(ps, t, p, from, end); break;
		default: note(ps, t, from, end, "running"); break;
		}
		end = from;
		if (i == 0)
			break;
	}
	if (end > begin && t->parent) /* before its fork it was its parent's work */
		follow(ps, t->parent, begin, end);
	else
		note(ps, t, begin, end, "unknown");
}

void write_paths(struct sim *s)
{
	struct pieces ps = { 0 };
	FILE *f = open_csv(s, "paths.csv"), *requests = open_csv(s, "requests.csv");
	fprintf(f, "request,host,tid,begin,end,cause,in_flight\n");
	fprintf(requests, "request,host,tid,begin,end\n");
	size_t number = 0;
	for (size_t i = 0; i < s->n_windows; i++) {
		const struct window *w = &s->windows[i];
		if (w->end > w->task->m->recorded)
			continue;
		fprintf(requests, "%zu,%s,%d,%lld,%lld\n", number, w->task->m->name, w->task->tid,
			(long long)shown(w->begin), (long long)shown(w->end));
		ps.n = 0;
		follow(&ps, w->task, w->begin, w->end);
		for (size_t k = ps.n; k--;) {
			const struct piece *p = &ps.of[k];
			fprintf(f, "%zu,%s,%d,%lld,%lld,%s,", number, p->machine->name,
				p->task ? p->task->tid : -1, (long long)shown(p->begin),
				(long long)shown(p->end), p->cause);
			if (p->in_flight)
				fprintf(f, "%llu", (unsigned long long)p->in_flight->id);
			fprintf(f, "\n");
		}
		number++;
	}
	free(ps.of);
	close_csv(f, "paths.csv");
	close_csv(requests, "requests.csv");
}
