#include "ask/path/path_words.h"

#include <inttypes.h>
#include <string.h>

#include "base/plural.h"
#include "ask/print/text.h"
#include "kernel/files/files.h"
#include "kernel/vm/guests.h"

const char *path_cause_words(enum path_cause cause)
{
	static const char *const words[PATH_N_CAUSES] = {
		[PATH_RUNNING] = "running",
		[PATH_INTERRUPTED] = "interrupted",
		[PATH_RUNNABLE] = "runnable",
		[PATH_STOLEN] = "stolen from the guest",
		[PATH_HYPERVISOR] = "hypervisor",
		[PATH_DISK] = "disk",
		[PATH_NETWORK] = "network",
		[PATH_TIMER] = "timer",
		[PATH_TASK] = "another task, not followed",
		[PATH_FUTEX] = "futex",
		[PATH_PIPE] = "pipe",
		[PATH_INPUT] = "user input",
		[PATH_IPI] = "another CPU",
		[PATH_DEVICE] = "device",
		[PATH_STOPPED] = "stopped",
		[PATH_NEW] = "being created",
		[PATH_QUEUED] = "queued, server busy with others",
		[PATH_MPI] = "MPI wait (spinning)",
		[PATH_BLOCKED] = "wait, end not recorded",
		[PATH_UNKNOWN] = "unknown, events missing",
	};
	return (unsigned)cause < PATH_N_CAUSES && words[cause] ? words[cause] : "?";
}

const char *path_host_name(const struct path *p, uint32_t host)
{
	return host < p->world->n_hosts ? p->world->e->hosts[host].name : "?";
}

static const struct kernel_host *host_of(const struct path *p, uint32_t host)
{
	return &p->world->hosts[host];
}

const char *path_comm(const struct path *p, uint32_t host, uint32_t task)
{
	if (task == KERNEL_NONE)
		return PATH_NOBODY;
	if (host >= p->world->n_hosts || task >= host_of(p, host)->n_tasks)
		return "?";
	const char *comm = kernel_comm(host_of(p, host), task);
	return *comm ? comm : "?";
}

int32_t path_tid(const struct path *p, uint32_t host, uint32_t task)
{
	if (host >= p->world->n_hosts || task >= host_of(p, host)->n_tasks)
		return -1;
	return host_of(p, host)->tasks[task].tid;
}

void path_put_task(const struct path *p, uint32_t host, uint32_t task, struct mer_str *out)
{
	mer_str_puts(out, path_comm(p, host, task));
	if (task != KERNEL_NONE)
		mer_str_printf(out, "/%" PRId32, path_tid(p, host, task));
}

/* ---- What a segment is about ---- */

void path_put_task_state(const struct path *p, const struct path_segment *s, struct mer_str *out)
{
	const char *state = path_user_state(p, s);
	path_put_task(p, s->host, s->task, out);
	if (state)
		mer_str_printf(out, ": %s", state);
}

static const struct kernel_call *call_of(const struct path *p, const struct path_segment *s)
{
	const struct kernel_host *h = host_of(p, s->host);
	return s->call < h->n_calls ? &h->calls[s->call] : NULL;
}

/* Between a call and a socket or pipe that it is made on. */
static const char *preposition(const struct kernel_call *c, const char *name)
{
	size_t len = strlen(name);
	if ((len > 4 && strcmp(name + len - 4, "from") == 0) ||
		(len > 2 && strcmp(name + len - 2, "to") == 0))
		return " ";
	if (c->kind != KERNEL_OBJECT_SOCKET && c->kind != KERNEL_OBJECT_UNIX &&
		c->kind != KERNEL_OBJECT_PIPE)
		return " ";
	uint32_t classes = kernel_call_classes(c->id);
	return classes & KERNEL_CALLS_READ			       ? " from "
	       : classes & (KERNEL_CALLS_WRITE | KERNEL_CALLS_CONNECT) ? " to "
	       : classes & KERNEL_CALLS_ACCEPT			       ? " on "
								       : " ";
}

/* "read from 10.0.0.2:80"; plain: without the preposition. */
static void put_call(
	const struct path *p, const struct path_segment *s, bool plain, struct mer_str *out)
{
	const struct kernel_host *h = host_of(p, s->host);
	const struct kernel_call *c = call_of(p, s);
	if (!c)
		return;
	const char *name = kernel_name_text(h, c->name);
	mer_str_puts(out, name);
	if (c->object != KERNEL_NONE) {
		mer_str_puts(out, plain ? " " : preposition(c, name));
		mer_str_puts(out, kernel_name_text(h, c->object));
	} else if (c->fd >= 0) {
		mer_str_printf(out, " fd %" PRId32, c->fd);
	}
}

static const char *mapped_name(const struct kernel_host *h, const struct mer_map *m, uint32_t key)
{
	const uint32_t *name = mer_map_get(m, key);
	return name && *name ? kernel_name_text(h, *name - 1) : "";
}

/* "MPI_Recv, for rank 3 (spinning)". */
static void put_mpi(const struct path *p, const struct path_segment *s, struct mer_str *out)
{
	const struct mpi_run *run = p->world->mpi ? p->world->mpi->run : NULL;
	const struct mpi_call *c = run && s->source < run->n_calls ? &run->calls[s->source] : NULL;
	mer_str_puts(out, c ? mpi_call_names[c->id] : "MPI");
	if (c && c->wait && s->begin < c->until)
		mer_str_printf(out, ", for rank %" PRId32, mpi_process_of(run, c->by)->rank);
	mer_str_puts(out, " (spinning)");
}

void path_put_device(const struct kernel_host *h, uint32_t dev, struct mer_str *out)
{
	const char *name = mapped_name(h, &h->devices, dev);
	if (*name)
		mer_str_puts(out, name);
	else
		mer_str_printf(out, "%u:%u", dev >> 20, dev & 0xfffff);
}

static void put_flags(unsigned flags, const char *between, struct mer_str *out)
{
	static const struct {
		unsigned flag;
		const char *word;
	} words[] = { { KERNEL_READ, "read" }, { KERNEL_WRITE, "write" },
		{ KERNEL_DISCARD, "discard" }, { KERNEL_FLUSH, "flush" }, { KERNEL_SYNC, "sync" },
		{ KERNEL_META, "meta" } };
	bool any = false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (flags & words[i].flag) {
			mer_str_printf(out, "%s%s", any ? between : "", words[i].word);
			any = true;
		}
}

static const struct kernel_request *request_of(const struct path *p, const struct path_segment *s)
{
	const struct kernel_host *h = host_of(p, s->host);
	return s->cause == PATH_DISK && s->source < h->n_requests ? kernel_request_at(h, s->source)
								  : NULL;
}

static const struct kernel_bridge *packet_of(const struct path *p, const struct path_segment *s)
{
	return s->cause == PATH_NETWORK && s->source < p->world->n_bridges
		       ? kernel_bridge_at(p->world, s->source)
		       : NULL;
}

static void put_irq(const struct kernel_host *h, uint32_t irq, struct mer_str *out)
{
	const char *name = mapped_name(h, &h->irq_names, irq);
	if (irq == KERNEL_NONE) {
		mer_str_puts(out, "irq");
		return;
	}
	mer_str_printf(out, "irq %u", (unsigned)irq);
	if (*name)
		mer_str_printf(out, " %s", name);
}

void path_put_interrupt(
	const struct kernel_host *h, enum kernel_cause cause, uint32_t source, struct mer_str *out)
{
	const char *name = kernel_softirq_name(source);
	switch (cause) {
	case KERNEL_SOFTIRQ:
		mer_str_puts(out, "softirq");
		if (source == KERNEL_NONE)
			return;
		mer_str_putc(out, ' ');
		if (name)
			mer_str_puts(out, name);
		else
			mer_str_printf(out, "%u", (unsigned)source);
		return;
	case KERNEL_IRQ:
	case KERNEL_INPUT: put_irq(h, source, out); return;
	case KERNEL_TIMER: mer_str_puts(out, "timer"); return;
	case KERNEL_IPI: mer_str_puts(out, "ipi"); return;
	default: mer_str_puts(out, kernel_cause_name(cause)); return;
	}
}

static void put_interrupt(const struct path *p, const struct path_segment *s, struct mer_str *out)
{
	path_put_interrupt(host_of(p, s->host), (enum kernel_cause)s->by_cause, s->source, out);
}

/* The task of a span of the segment's host, "python3/154". */
static bool put_span_task(const struct path *p, const struct path_segment *s, struct mer_str *out)
{
	const struct kernel_host *h = host_of(p, s->host);
	if (s->by >= h->n_spans)
		return false;
	path_put_task(p, s->host, kernel_span(h, s->by)->task, out);
	return true;
}

void path_put_detail(const struct path *p, const struct path_segment *s, struct mer_str *out)
{
	const struct kernel_request *r = request_of(p, s);
	const struct kernel_bridge *k = packet_of(p, s);
	size_t before = out->len;
	if (r) {
		path_put_device(host_of(p, s->host), r->dev, out);
		mer_str_putc(out, ' ');
		put_flags(r->flags, " ", out);
		mer_str_printf(
			out, " %u %s", (unsigned)r->bytes, mer_plural(r->bytes, "byte", "bytes"));
	} else if (s->in_flight && k) {
		mer_str_printf(out, "%s to %s", path_host_name(p, k->from.host),
			path_host_name(p, k->to.host));
	} else if (s->cause == PATH_RUNNABLE) {
		put_span_task(p, s, out);
	} else if (s->cause == PATH_STOLEN || s->cause == PATH_HYPERVISOR) {
		if (put_span_task(p, s, out))
			mer_str_puts(out, s->cause == PATH_STOLEN ? ", stolen by " : ", in ");
		mer_str_puts(out, kernel_absence_words(host_of(p, s->host)->guest, s->source));
	} else if (s->cause == PATH_INTERRUPTED) {
		put_interrupt(p, s, out);
	} else if (s->cause == PATH_MPI) {
		put_mpi(p, s, out);
		return;
	} else if (s->cause == PATH_INPUT || s->cause == PATH_DEVICE) {
		put_interrupt(p, s, out);
	}
	if (s->in_flight || s->cause == PATH_INTERRUPTED || s->cause == PATH_RUNNABLE ||
		s->cause == PATH_STOLEN || s->cause == PATH_HYPERVISOR || !call_of(p, s))
		return;
	if (out->len > before)
		mer_str_puts(out, ", ");
	put_call(p, s, true, out);
}

/* ---- Sentences ---- */

static void put_in_call(const struct path *p, const struct path_segment *s, struct mer_str *out)
{
	if (!call_of(p, s))
		return;
	mer_str_puts(out, ", ");
	put_call(p, s, false, out);
}

static void put_running(const struct path *p, const struct path_segment *s, struct mer_str *out)
{
	if (s->state == KERNEL_SYSCALL && call_of(p, s))
		put_call(p, s, false, out);
	else
		mer_str_puts(out, s->state == KERNEL_SYSCALL  ? "runs in a system call"
				  : s->state == KERNEL_THREAD ? "runs in the kernel"
							      : "runs");
	if (s->state == KERNEL_THREAD)
		put_in_call(p, s, out);
}

static void put_disk(const struct path *p, const struct path_segment *s, struct mer_str *out)
{
	const struct kernel_request *r = request_of(p, s);
	mer_str_puts(out, "waits for disk");
	if (!r)
		return;
	mer_str_putc(out, ' ');
	path_put_device(host_of(p, s->host), r->dev, out);
	if (r->flags) {
		mer_str_puts(out, " (");
		put_flags(r->flags, ", ", out);
		mer_str_putc(out, ')');
	}
}

static void put_network(const struct path *p, const struct path_segment *s, struct mer_str *out)
{
	const struct kernel_bridge *k = packet_of(p, s);
	if (s->held) {
		mer_str_puts(out, "packet held back until its next hop's address is known (ARP)");
	} else if (s->delivery) {
		mer_str_puts(out, "packet delivery");
	} else if (!s->in_flight) {
		mer_str_puts(out, "waits for the network");
	} else if (k && k->from.host != k->to.host) {
		mer_str_printf(out, "packet in flight, %s to %s", path_host_name(p, k->from.host),
			path_host_name(p, k->to.host));
	} else {
		mer_str_puts(out, "packet in flight to the same host");
	}
}

/* Whoever else had the CPU later in the wait is not said: only what was true when it began. */
static void put_runnable(const struct path *p, const struct path_segment *s, struct mer_str *out)
{
	bool known = s->cpu != KERNEL_NO_CPU;
	mer_str_puts(out, "runnable");
	if (known)
		mer_str_printf(out, " on CPU %u", (unsigned)s->cpu);
	size_t before = out->len;
	mer_str_puts(out, ", ");
	if (put_span_task(p, s, out)) {
		mer_str_puts(out, known ? " had it first" : " had the CPU first");
	} else if (out->len > before && out->data) {
		out->len = before;
		out->data[before] = '\0';
	}
}

void path_put_part(const struct path_diff_row *r, struct mer_str *out)
{
	bool is_victim = r->cause == PATH_STOLEN && r->comm; /* not who stole */
	if (r->in_flight)
		mer_str_puts(out, "packets in flight");
	else
		mer_str_puts(out,
			is_victim ? "stolen from" : path_cause_words((enum path_cause)r->cause));
	if (r->in_flight || !r->comm)
		return;
	mer_str_puts(out, is_victim ? " " : ", ");
	ask_text_clean(out, r->comm, strlen(r->comm), false);
	mer_str_puts(out, " on ");
	ask_text_clean(out, r->host, strlen(r->host), false);
}

void path_put_sentence(const struct path *p, const struct path_segment *s, struct mer_str *out)
{
	switch ((enum path_cause)s->cause) {
	case PATH_RUNNING: put_running(p, s, out); return;
	case PATH_INTERRUPTED:
		mer_str_puts(out, s->task == KERNEL_NONE ? "" : "interrupted by ");
		put_interrupt(p, s, out);
		return;
	case PATH_RUNNABLE: put_runnable(p, s, out); return;
	case PATH_STOLEN:
		if (s->state == KERNEL_RUNNABLE) {
			put_runnable(p, s, out);
			mer_str_puts(out, ", ");
		}
		mer_str_puts(out, "stolen by ");
		mer_str_puts(out, kernel_absence_words(host_of(p, s->host)->guest, s->source));
		return;
	case PATH_HYPERVISOR:
		if (s->state == KERNEL_RUNNABLE) {
			put_runnable(p, s, out);
			mer_str_puts(out, ", ");
		}
		mer_str_puts(out, "in the hypervisor (");
		mer_str_puts(out, kernel_absence_words(host_of(p, s->host)->guest, s->source));
		mer_str_putc(out, ')');
		return;
	case PATH_NETWORK:
		put_network(p, s, out);
		if (s->in_flight || s->delivery || s->held)
			return;
		break;
	case PATH_DISK: put_disk(p, s, out); break;
	case PATH_TIMER:
		mer_str_puts(out, "timer");
		if (call_of(p, s)) {
			mer_str_puts(out, " (");
			put_call(p, s, false, out);
			mer_str_putc(out, ')');
		}
		return;
	case PATH_TASK: mer_str_puts(out, "waits for another task"); break;
	case PATH_FUTEX: mer_str_puts(out, "waits for a futex"); break;
	case PATH_PIPE: mer_str_puts(out, "waits for a pipe"); break;
	case PATH_INPUT: mer_str_puts(out, "waits for user input"); break;
	case PATH_IPI: mer_str_puts(out, "waits for another CPU"); break;
	case PATH_DEVICE:
		mer_str_puts(out, "waits for a device");
		if (s->source != KERNEL_NONE) {
			mer_str_puts(out, " (");
			put_interrupt(p, s, out);
			mer_str_putc(out, ')');
		}
		break;
	case PATH_STOPPED: mer_str_puts(out, "stopped by a signal"); return;
	case PATH_NEW: mer_str_puts(out, "forked, not yet run"); return;
	case PATH_QUEUED: mer_str_puts(out, "works for another request"); return;
	case PATH_MPI: put_mpi(p, s, out); return;
	case PATH_BLOCKED: mer_str_puts(out, "waits, end not recorded"); break;
	default: mer_str_puts(out, "unknown, events are missing"); return;
	}
	put_in_call(p, s, out);
}

void path_put_link(const struct path *p, const struct path_link *l, bool hosts, struct mer_str *out)
{
	switch ((enum path_link_kind)l->kind) {
	case PATH_LINK_WAKE: mer_str_puts(out, "wakes "); break;
	case PATH_LINK_FUTEX: mer_str_puts(out, "frees the futex of "); break;
	case PATH_LINK_PIPE: mer_str_puts(out, "writes the pipe of "); break;
	case PATH_LINK_FORK: mer_str_puts(out, "forks "); break;
	case PATH_LINK_NETWORK: mer_str_puts(out, "sends to "); break;
	case PATH_LINK_MPI: mer_str_puts(out, "MPI, for "); break;
	default: return; /* the next line shows who it waits for */
	}
	path_put_task(p, l->to_host, l->to_task, out);
	if (hosts && l->from_host != l->to_host) {
		mer_str_puts(out, " on ");
		mer_str_puts(out, path_host_name(p, l->to_host));
	}
}
