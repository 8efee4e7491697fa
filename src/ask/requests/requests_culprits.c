/* What culprits did, in words. */
#include <inttypes.h>
#include <string.h>

#include "ask/path/path_words.h"
#include "ask/requests/requests_print.h"
#include "ask/print/text.h"

static const struct kernel_host *host_of(
	const struct ask_requests *c, const struct requests_culprit *u)
{
	return &c->r->w->hosts[u->host];
}

static const char *call_of(const struct ask_requests *c, const struct requests_culprit *u)
{
	return u->call == KERNEL_NONE ? "" : kernel_name_text(host_of(c, u), u->call);
}

static const char *object_of(const struct ask_requests *c, const struct requests_culprit *u)
{
	return u->object == KERNEL_NONE ? "" : kernel_name_text(host_of(c, u), u->object);
}

/* Of a kind: "db:5432 postgres". */
static const char *server_of(const struct ask_requests *c, uint32_t kind)
{
	static const char between[] = " -> ";
	const char *name = mer_intern_text(&c->kinds->names, kind), *at = strstr(name, between);
	return at ? at + sizeof(between) - 1 : name;
}

static void put_disk(
	const struct ask_requests *c, const struct requests_culprit *u, struct mer_str *out)
{
	if (u->number == KERNEL_NONE)
		mer_str_puts(out, "a disk");
	else
		path_put_device(host_of(c, u), u->number, out);
}

/* What a task did meanwhile. */
static const char *doing(enum path_cause cause)
{
	switch (cause) {
	case PATH_RUNNING: return "on the CPU";
	case PATH_INTERRUPTED: return "interrupted";
	case PATH_RUNNABLE: return "runnable";
	case PATH_STOLEN: return "without its CPU, which its hypervisor took";
	case PATH_HYPERVISOR: return "in the hypervisor";
	case PATH_DISK: return "waiting for the disk";
	case PATH_NETWORK: return "waiting for the network";
	case PATH_TIMER: return "asleep";
	case PATH_FUTEX: return "waiting for a lock";
	default: return "waiting";
	}
}

/* What its own task waited for, where that cannot be followed: "for another task". */
static const char *awaited(enum path_cause cause)
{
	switch (cause) {
	case PATH_PIPE: return "for a pipe";
	case PATH_INPUT: return "for user input";
	case PATH_DEVICE: return "for a device";
	case PATH_STOPPED: return "for a signal to continue";
	default: return "for another task";
	}
}

void ask_requests_put_awaited(
	const struct ask_requests *c, const struct requests_culprit *u, struct mer_str *out)
{
	const char *call = call_of(c, u);
	mer_str_puts(out, awaited((enum path_cause)u->meanwhile));
	mer_str_printf(out, *call ? " in %s" : "", call);
}

/* "12.3 KiB of writes to vdb" */
static void put_io(
	const struct ask_requests *c, const struct requests_culprit *u, struct mer_str *out)
{
	if (u->bytes) {
		ask_text_bytes(out, (int64_t)u->bytes);
		mer_str_puts(out, u->is_write ? " of writes to " : " of reads from ");
	} else {
		mer_str_puts(out, u->is_write ? "flushes of " : "requests to ");
	}
	put_disk(c, u, out);
}

/* ", runnable"; nothing where it is not known. */
static void put_meanwhile(const struct requests_culprit *u, const char *before, const char *after,
	struct mer_str *out)
{
	if (u->meanwhile != PATH_UNKNOWN && u->meanwhile != PATH_BLOCKED)
		mer_str_printf(out, "%s%s%s", before, doing((enum path_cause)u->meanwhile), after);
}

/* "wrote 9.1 MiB to vdb in that second" */
static void put_slowing(
	const struct ask_requests *c, const struct requests_culprit *u, struct mer_str *out)
{
	mer_str_puts(out, u->is_write ? "wrote " : "read ");
	ask_text_bytes(out, (int64_t)u->bytes);
	mer_str_puts(out, u->is_write ? " to " : " from ");
	put_disk(c, u, out);
	mer_str_puts(out, " in that second");
}

void ask_requests_put_via(const struct requests_culprit *u, struct mer_str *out)
{
	static const char *const words[REQUESTS_N_VIAS] = { "",
		", while another request was served", ", while another request had the connection",
		", while another task held the lock", ", while another task worked for it" };
	mer_str_puts(out, u->via < REQUESTS_N_VIAS ? words[u->via] : "");
}

void ask_requests_put_deed(
	const struct ask_requests *c, const struct requests_culprit *u, struct mer_str *out)
{
	const char *call = call_of(c, u), *object = object_of(c, u);
	switch ((enum requests_deed)u->deed) {
	case REQUESTS_DEED_CPU: mer_str_puts(out, "had the CPU"); return;
	case REQUESTS_DEED_INTERRUPT:
		path_put_interrupt(host_of(c, u), (enum kernel_cause)u->cause, u->number, out);
		return;
	case REQUESTS_DEED_COMPUTE:
		mer_str_printf(out, *call ? "on the CPU in %s" : "on the CPU in user mode", call);
		return;
	case REQUESTS_DEED_DISK:
		if (u->is_slowing) {
			put_slowing(c, u, out);
			return;
		}
		put_io(c, u, out);
		mer_str_puts(out, u->is_later ? " before it (written back later)" : " before it");
		return;
	case REQUESTS_DEED_OWN_READ:
		mer_str_printf(out, "%s%s%s, not in the page cache: ", *call ? call : "page fault",
			*object ? " of " : "", object);
		put_io(c, u, out);
		return;
	case REQUESTS_DEED_OWN_WRITE:
		mer_str_printf(out, "%s%s%s%s", call, *object ? " of " : "", object,
			*call || *object ? ": " : "");
		put_io(c, u, out);
		return;
	case REQUESTS_DEED_HELD:
	case REQUESTS_DEED_HELPED:
		mer_str_printf(out, "%s, %s",
			u->deed == REQUESTS_DEED_HELD ? "held the lock" : "worked for it",
			doing((enum path_cause)u->meanwhile));
		return;
	case REQUESTS_DEED_CONNECTION:
		mer_str_printf(out, "had the connection to %s", server_of(c, u->object));
		put_meanwhile(u, " (", ")", out);
		return;
	case REQUESTS_DEED_SERVED:
		mer_str_puts(out, "served another one");
		if (u->meanwhile != PATH_RUNNING)
			put_meanwhile(u, ", ", "", out);
		return;
	case REQUESTS_DEED_LOST:
		ask_text_things(
			out, u->count, "lost segment, sent again", "lost segments, sent again");
		return;
	case REQUESTS_DEED_SLEPT:
		mer_str_printf(out, *call ? "asleep in %s" : "asleep", call);
		return;
	case REQUESTS_DEED_WAITED:
		mer_str_puts(out, "waiting ");
		ask_requests_put_awaited(c, u, out);
		return;
	case REQUESTS_N_DEEDS: return;
	}
}

void ask_requests_put_whose(const struct ask_requests *c, const struct requests_culprit *u,
	uint32_t same_kind, struct mer_str *out)
{
	char id[REQUESTS_ID_BYTES];
	switch ((enum requests_deed)u->deed) {
	case REQUESTS_DEED_COMPUTE:
	case REQUESTS_DEED_HELPED:
	case REQUESTS_DEED_OWN_READ:
	case REQUESTS_DEED_OWN_WRITE:
	case REQUESTS_DEED_LOST:
	case REQUESTS_DEED_SLEPT:
	case REQUESTS_DEED_WAITED: return; /* it is the same one */
	default: break;
	}
	if (u->kind == KERNEL_NONE)
		return;
	bool is_mostly = u->example != KERNEL_NONE && u->example_ns < u->ns;
	bool is_same = u->kind == same_kind && u->example != KERNEL_NONE;
	mer_str_puts(out, is_same && is_mostly ? ", mostly for " : " for ");
	if (!is_same)
		mer_str_puts(out, mer_intern_text(&c->kinds->names, u->kind));
	if (u->example == KERNEL_NONE)
		return;
	requests_id_text(c->r, u->example, id);
	mer_str_printf(out, is_same ? "%s" : is_mostly ? ", mostly %s" : " (%s)", id);
	if (!is_mostly)
		return;
	mer_str_puts(out, " (");
	ask_text_duration(out, u->example_ns);
	mer_str_putc(out, ')');
}

void ask_requests_put_why(const struct ask_requests *c, const struct requests_culprit *u,
	const char *by, struct mer_str *out)
{
	const char *call = call_of(c, u), *object = object_of(c, u);
	switch ((enum requests_deed)u->deed) {
	case REQUESTS_DEED_CPU: mer_str_printf(out, "%s had the CPU", by); return;
	case REQUESTS_DEED_INTERRUPT:
		path_put_interrupt(host_of(c, u), (enum kernel_cause)u->cause, u->number, out);
		mer_str_puts(out, " had the CPU");
		return;
	case REQUESTS_DEED_COMPUTE:
		mer_str_printf(out, *call ? "in %s on the CPU" : "computing in user mode", call);
		return;
	case REQUESTS_DEED_DISK:
		if (u->is_slowing) {
			mer_str_printf(
				out, "%s while %s ", *call ? call : "disk", *by ? by : "others");
			put_slowing(c, u, out);
			return;
		}
		mer_str_printf(
			out, "%s behind %s%s", *call ? call : "disk", by, *by ? "'s " : "other ");
		mer_str_puts(out, u->is_write ? "writes to " : "reads from ");
		put_disk(c, u, out);
		return;
	case REQUESTS_DEED_OWN_READ:
		mer_str_printf(out, "%s%s%s, not in the page cache", *call ? call : "page faults",
			*object ? " of " : "", object);
		return;
	case REQUESTS_DEED_OWN_WRITE:
		mer_str_printf(out, "%s, ", *call ? call : "disk");
		put_io(c, u, out);
		return;
	case REQUESTS_DEED_HELD: mer_str_printf(out, "%s held the lock", by); return;
	case REQUESTS_DEED_HELPED: mer_str_printf(out, "%s worked for it", by); return;
	case REQUESTS_DEED_CONNECTION:
		mer_str_printf(
			out, "other requests had its connection to %s", server_of(c, u->object));
		return;
	case REQUESTS_DEED_SERVED: mer_str_puts(out, "it served other requests"); return;
	case REQUESTS_DEED_LOST: mer_str_puts(out, "a segment was lost and sent again"); return;
	case REQUESTS_DEED_SLEPT:
		mer_str_printf(out, *call ? "asleep in %s" : "asleep", call);
		return;
	case REQUESTS_DEED_WAITED:
		mer_str_puts(out, "waiting ");
		ask_requests_put_awaited(c, u, out);
		return;
	case REQUESTS_N_DEEDS: return;
	}
}

void ask_requests_put_culprit_line(
	const struct ask_requests *c, int64_t ns, const struct mer_str *line, struct mer_str *out)
{
	enum { INDENT = 12 };
	struct mer_str time = { 0 }, clean = { 0 }, text = { 0 };
	mer_put_duration(&time, ns);
	mer_str_printf(out, "%*s  ", INDENT - 2, time.data ? time.data : "");
	ask_text_clean(&clean, line->data ? line->data : "", line->len, false);
	ask_text_wrap(&text, clean.data ? clean.data : "", (size_t)ask_width(c->ask), INDENT);
	if (text.len > INDENT)
		mer_str_add(out, text.data + INDENT, text.len - INDENT);
	else
		mer_str_putc(out, '\n');
	out->failed |= line->failed || time.failed || clean.failed || text.failed;
	mer_str_fini(&text);
	mer_str_fini(&clean);
	mer_str_fini(&time);
}

/* ---- as cells ---- */

static struct mer_cell text_of(struct mer_table *t, const char *text)
{
	const char *copy = mer_arena_strdup(t->arena, text);
	t->failed |= !copy;
	return mer_text(copy);
}

void ask_requests_culprit_cells(const struct ask_requests *c, const struct requests_culprit *u,
	struct mer_table *t, struct mer_cell cells[ASK_N_CULPRIT])
{
	struct mer_str what = { 0 };
	char id[REQUESTS_ID_BYTES];
	ask_requests_put_deed(c, u, &what);
	cells[ASK_CULPRIT_HOST] = mer_text(c->w->e->hosts[u->host].name);
	if (u->task != KERNEL_NONE) {
		const char *comm = kernel_comm(host_of(c, u), u->task);
		cells[ASK_CULPRIT_TID] = MER_INT(host_of(c, u)->tasks[u->task].tid);
		cells[ASK_CULPRIT_COMM] = mer_text(*comm ? comm : NULL);
	}
	if (what.len || what.failed)
		cells[ASK_CULPRIT_WHAT] = mer_table_keep(t, &what);
	if (u->kind != KERNEL_NONE)
		cells[ASK_CULPRIT_FOR] = mer_text(mer_intern_text(&c->kinds->names, u->kind));
	if (u->example != KERNEL_NONE) {
		requests_id_text(c->r, u->example, id);
		cells[ASK_CULPRIT_REQUEST] = text_of(t, id);
	}
	cells[ASK_CULPRIT_NS] = MER_INT(u->ns);
	cells[ASK_CULPRIT_VIA] = mer_text(requests_via_name((enum requests_via)u->via));
	mer_str_fini(&what);
}
