/* What people see of a recording: its hosts, what is missing there, what came of it. */
#include <inttypes.h>
#include <string.h>

#include "cli/messages.h"
#include "base/plural.h"
#include "base/table.h"
#include "cli/record/record.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "record/agents.h"
#include "record/words.h"

static void say(void *ctx, enum record_say kind, const char *text)
{
	struct recording *r = ctx;
	struct ask *ask = r->ask;
	if (kind == RECORD_SAY_WARNING) {
		ask_warn(ask, "%s", text);
		cli_say_notes(ask);
	} else if (!ask->quiet) {
		struct mer_str clean = { 0 }, s = { 0 };
		mer_str_puts(&clean, "meridian: ");
		ask_text_clean(&clean, text, strlen(text), false);
		ask_text_wrap(&s, clean.data ? clean.data : "", cli_message_width(), 2);
		/* The first line begins at the margin. */
		if (s.len > 2)
			fputs(s.data + 2, stderr);
		mer_str_fini(&s);
		mer_str_fini(&clean);
	}
}

void record_talk_to_people(struct recording *r)
{
	r->run.talk = (struct record_talk){ say, r };
}

static const char *or_dash(const char *text)
{
	return *text ? text : NULL;
}

void record_print_hosts(struct recording *r, FILE *out)
{
	enum { HOST, KERNEL, CPUS, TRACER, CLOCK, DAEMON, FREE, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[KERNEL] = { "kernel", "Kernel", MER_TEXT },
		[CPUS] = { "cpus", "CPUs", MER_COUNT },
		[TRACER] = { "tracer", "Tracer", MER_TEXT },
		[CLOCK] = { "clock_source", "Clock", MER_TEXT },
		[DAEMON] = { "clock_daemon", "Kept by", MER_TEXT },
		[FREE] = { "free_bytes", "Free", MER_BYTES },
	};
	struct mer_table t;
	struct mer_str text = { 0 };
	mer_table_init(&t, "hosts", NULL, columns, &r->ask->arena);
	for (size_t i = 0; i < r->run.n_hosts; i++) {
		const struct record_host *h = &r->run.hosts[i];
		const struct record_facts *f = &h->facts;
		const char *tracer =
			h->backend == RECORD_TRACEFS ? "ftrace"
			: h->backend == RECORD_PERF
				? mer_arena_printf(&r->ask->arena, "perf %s", f->perf)
			: *f->lttng ? mer_arena_printf(&r->ask->arena, "LTTng %s", f->lttng)
				    : NULL;
		mer_table_add(&t, (struct mer_cell[N]){ [HOST] = mer_text(h->name),
					  [KERNEL] = mer_text(or_dash(f->kernel)),
					  [CPUS] = f->cpus > 0 ? MER_INT(f->cpus) : MER_NONE,
					  [TRACER] = mer_text(tracer),
					  [CLOCK] = mer_text(or_dash(f->clock_source)),
					  [DAEMON] = mer_text(or_dash(f->clock_daemon)),
					  [FREE] = f->free_kib >= 0 && f->free_kib < INT64_MAX >> 10
							   ? MER_INT(f->free_kib << 10)
							   : MER_NONE });
	}
	ask_table_text(&t, &text, (size_t)ask_width(r->ask), r->ask->bold_err, r->ask->ascii);
	if (text.data)
		fputs(text.data, out);
	mer_str_fini(&text);
	mer_table_fini(&t);
}

void record_print_findings(struct recording *r, FILE *out)
{
	static const char *const names[] = { "note", "warning", "error" };
	for (size_t i = 0; i < r->findings.n; i++) {
		const struct record_finding *f = &r->findings.item[i];
		struct mer_str s = { 0 }, line = { 0 };
		mer_str_printf(&line, "%s: %s: ", f->host, names[f->severity]);
		mer_str_puts(&line, f->text);
		ask_text_wrap(&s, line.data ? line.data : "", (size_t)ask_width(r->ask), 2);
		for (const char *p = f->repair; p && *p;) {
			size_t n = strcspn(p, "\n");
			mer_str_puts(&s, "    ");
			mer_str_add(&s, p, n);
			mer_str_putc(&s, '\n');
			p += n + (p[n] == '\n');
		}
		/* The first line begins at the margin. */
		if (s.data)
			fputs(s.len > 2 ? s.data + 2 : s.data, out);
		mer_str_fini(&s);
		mer_str_fini(&line);
	}
}

/* How many beacons were answered, and which hosts got no answer at all. */
static void print_beacons(struct recording *r)
{
	struct record_edge edges[RECORD_MOST_EDGES];
	size_t n = record_edges(&r->run, edges, RECORD_MOST_EDGES);
	for (size_t i = 0; i < r->run.n_hosts; i++) {
		const struct record_host *h = &r->run.hosts[i];
		struct mer_str to = { 0 };
		if (!h->counted || !h->n_silent || h->n_answered)
			continue;
		for (size_t k = 0; k < n; k++)
			if (edges[k].from == i)
				mer_str_printf(&to, "%s%s", to.len ? ", " : "",
					r->run.hosts[edges[k].to].name);
		ask_warn(r->ask,
			"%s got no answer to its packets from %s: a firewall drops them, so clocks "
			"depend on other traffic",
			h->name, to.data ? to.data : "others");
		mer_str_fini(&to);
	}
}

bool record_is_empty(const struct recording *r)
{
	return r->is_looked_at && !r->has_events;
}

/* What is written at the begin and the end is most of a shorter one. */
#define LEAST_FOR_RATE_NS INT64_C(5000000000)

void record_print_result(struct recording *r)
{
	const struct record_run *run = &r->run;
	int64_t bytes = 0, lost = 0, ns = run->ended_ns - run->began_ns;
	bool known = true;
	for (size_t i = 0; i < run->n_hosts; i++) {
		known &= run->hosts[i].bytes >= 0;
		bytes += run->hosts[i].bytes > 0 ? run->hosts[i].bytes : 0;
		lost += run->hosts[i].n_discarded > 0 ? run->hosts[i].n_discarded : 0;
	}
	struct mer_str s = { 0 };
	mer_str_puts(&s, "recorded ");
	ask_text_things(&s, run->n_hosts, "host", "hosts");
	mer_str_puts(&s, " for ");
	ask_text_duration(&s, ns);
	if (run->n_hosts > 1) {
		mer_str_puts(&s, ", started within ");
		ask_text_duration(&s, run->spread_ns);
	}
	if (known && !record_is_empty(r)) {
		mer_str_puts(&s, ": ");
		ask_text_bytes(&s, bytes);
		if (ns >= LEAST_FOR_RATE_NS) {
			double minute = (double)bytes * 60e9 / (double)ns;
			mer_str_puts(&s, ", ");
			ask_text_bytes(&s, (int64_t)minute);
			mer_str_puts(&s, " a minute, an hour would be ");
			ask_text_bytes(&s, (int64_t)(60 * minute));
		}
	}
	if (run->talk.say)
		run->talk.say(run->talk.ctx, RECORD_SAY_NOTE, s.data ? s.data : "");
	mer_str_fini(&s);
	if (lost)
		ask_warn(r->ask, "%" PRId64 " %s lost: the times around them are unknown; %s", lost,
			mer_plural((uint64_t)lost, "event was", "events were"),
			r->o->grow
				? "begin with larger buffers, such as -b 4Mx16"
				: "-b 4Mx16 has larger buffers, --grow repeats the command with such");
	if (run->beacons)
		print_beacons(r);
	cli_say_notes(r->ask);
}

/* The command, if it ran on a host that was recorded: this one; else NULL. */
static const char *recorded_command(const struct recording *r)
{
	bool own = false;
	for (size_t i = 0; i < r->run.n_hosts; i++)
		own |= !r->run.hosts[i].target;
	return own && r->run.command ? r->run.command[0] : NULL;
}

/* Do traces say where packets went? */
static bool has_headers(const struct record_run *run)
{
	bool any = false;
	for (size_t i = 0; i < run->n_hosts; i++) {
		const struct record_host *h = &run->hosts[i];
		any |= h->backend == RECORD_LTTNG ||
		       (h->backend == RECORD_TRACEFS && record_rung_of(&h->facts, &h->skb).headers);
	}
	return any;
}

/* {dir}, {comm} and {packets}, which becomes nothing; false: there is no command, or packets have
 * no headers. */
static bool fill_in(struct recording *r, const char *text, struct mer_str *out)
{
	const char *command = recorded_command(r);
	if (command && strrchr(command, '/'))
		command = strrchr(command, '/') + 1;
	for (const char *p = text; *p;) {
		if (strncmp(p, "{dir}", 5) == 0) {
			const char *dir = r->o->output ? r->o->output : r->run.plan.label;
			record_put_word(out, dir);
			p += 5;
		} else if (strncmp(p, "{comm}", 6) == 0) {
			if (!command)
				return false;
			/* As the kernel cuts it. */
			mer_str_add(out, command, strnlen(command, 15));
			p += 6;
		} else if (strncmp(p, "{packets}", 9) == 0) {
			if (!has_headers(&r->run))
				return false;
			p += 9;
		} else {
			mer_str_putc(out, *p++);
		}
	}
	return true;
}

void record_print_next(struct recording *r)
{
	enum { LINES = 3 };
	static const struct record_next usual[] = {
		{ "info {dir}", "hosts, traces, and what was recorded" },
		{ "stats --by name {dir}", "which events, and how many" },
		{ "events {dir}", "all events, in order" },
	};
	const struct record_preset *p = &r->run.plan.preset;
	struct mer_str line[LINES] = { 0 }, what[LINES] = { 0 };
	size_t n = 0, longest = 0, longest_what = 0;
	for (size_t i = 0; !r->ask->quiet && i < p->n_next + 3 && n < LINES; i++) {
		const struct record_next *next =
			i < p->n_next ? &p->next[i] : &usual[i - p->n_next];
		mer_str_clear(&line[n]);
		mer_str_clear(&what[n]);
		if (!fill_in(r, next->arguments, &line[n]) || !fill_in(r, next->what, &what[n]) ||
			line[n].failed || what[n].failed)
			continue;
		longest = line[n].len > longest ? line[n].len : longest;
		longest_what = what[n].len > longest_what ? what[n].len : longest_what;
		n++;
	}
	/* Behind the line where there is room, above it otherwise. */
	bool fits = 2 + 9 + longest + 3 + 2 + longest_what <= (size_t)ask_width(r->ask);
	if (n)
		fputs("\nNext:\n", stderr);
	for (size_t i = 0; i < n; i++)
		if (fits)
			fprintf(stderr, "  meridian %-*s   # %s\n", (int)longest, line[i].data,
				what[i].data);
		else
			fprintf(stderr, "  # %s\n  meridian %s\n", what[i].data, line[i].data);
	for (size_t i = 0; i < LINES; i++) {
		mer_str_fini(&line[i]);
		mer_str_fini(&what[i]);
	}
}
