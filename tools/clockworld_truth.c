/* clockworld: what is true, as CSV files beside the traces.
 *
 *   truth.csv     host,host_clock_ns,true_ns: at regular true times, the same for all hosts, and
 *                 around steps
 *   steps.csv     host,kind,true_ns,lasts_ns,clock_before_ns,clock_after_ns: sudden changes
 *   messages.csv  each message, with true times and those of the clocks
 *
 * True time is 0 when the world begins. */
#include "clockworld.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static FILE *open_file(const struct clockworld *c, const char *name, const char *head)
{
	char path[4096];
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", c->dir, name) >= sizeof(path))
		give_up("%s: the path is too long", c->dir);
	FILE *f = fopen(path, "w");
	if (!f || fputs(head, f) < 0)
		give_up("%s: %s", path, strerror(errno));
	return f;
}

static void close_file(FILE *f, const char *name)
{
	if (ferror(f) || fclose(f))
		give_up("cannot write %s: %s", name, strerror(errno));
}

/* Only host 1 has glitches: see world.h. */
static unsigned n_glitches(const struct clockworld *c, uint32_t host)
{
	return host == 1 ? c->world.options.clock.n_glitches : 0;
}

static int64_t lasts(const struct world_glitch *g)
{
	return g->step_ns < 0 ? -g->step_ns : g->slew_for_ns;
}

static void write_clock(const struct clockworld *c, uint32_t host, FILE *f)
{
	const struct world_clock *clock = &c->world.clocks[host];
	char name[32];
	host_name(c, host, name, sizeof(name));
	unsigned k = 0;
	for (int64_t t = 0;; t += c->truth_every_ns) {
		if (t > c->world.options.duration_ns)
			t = c->world.options.duration_ns;
		for (; k < n_glitches(c, host); k++) {
			const struct world_glitch *g = &c->world.options.clock.glitches[k];
			int64_t at[] = { g->at_ns - 1, g->at_ns, g->at_ns + lasts(g) };
			if (g->at_ns > t)
				break;
			for (unsigned i = 0; i < (lasts(g) ? 3 : 2); i++)
				fprintf(f, "%s,%" PRId64 ",%" PRId64 "\n", name,
					world_clock_at(clock, at[i]), at[i]);
		}
		fprintf(f, "%s,%" PRId64 ",%" PRId64 "\n", name, world_clock_at(clock, t), t);
		if (t == c->world.options.duration_ns)
			return;
	}
}

static void write_steps(const struct clockworld *c, FILE *f)
{
	char name[32];
	for (uint32_t host = 0; host < c->world.options.n_hosts; host++) {
		const struct world_clock *clock = &c->world.clocks[host];
		host_name(c, host, name, sizeof(name));
		for (unsigned i = 0; i < n_glitches(c, host); i++) {
			const struct world_glitch *g = &c->world.options.clock.glitches[i];
			const char *kind = g->step_ns > 0   ? "jump"
					   : g->step_ns < 0 ? "pause"
					   : g->back_ns > 0 ? "back"
							    : "slew";
			fprintf(f, "%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", name,
				kind, g->at_ns, lasts(g), world_clock_at(clock, g->at_ns - 1),
				world_clock_at(clock, g->at_ns + lasts(g)));
		}
	}
}

static const char *protocol_name(uint8_t protocol)
{
	return protocol == PROTOCOL_TCP ? "tcp" : protocol == PROTOCOL_UDP ? "udp" : "icmp";
}

static void write_messages(const struct clockworld *c, FILE *f)
{
	const struct world *w = &c->world;
	char from[32], to[32];
	for (size_t i = 0; i < w->n_links; i++) {
		const struct world_link *l = &w->links[i];
		host_name(c, l->from, from, sizeof(from));
		host_name(c, l->to, to, sizeof(to));
		for (size_t k = 0; k < l->n; k++) {
			const struct world_message *m = &l->messages[k];
			fprintf(f, "%s,%s,%s,%" PRId64 ",%" PRId64 ",", from, to,
				protocol_name(c->packets[i][k].protocol), m->sent,
				world_clock_at(&w->clocks[l->from], m->sent));
			if (m->flags & WORLD_LOST)
				fprintf(f, ",,lost");
			else
				fprintf(f, "%" PRId64 ",%" PRId64 ",", m->received,
					world_clock_at(&w->clocks[l->to], m->received));
			if (m->flags & WORLD_RETRANSMISSION)
				fprintf(f, "%srepeated", m->flags & WORLD_LOST ? " " : "");
			fprintf(f, "\n");
		}
	}
}

void write_truth(const struct clockworld *c)
{
	FILE *f = open_file(c, "truth.csv", "host,host_clock_ns,true_ns\n");
	for (uint32_t i = 0; i < c->world.options.n_hosts; i++)
		write_clock(c, i, f);
	close_file(f, "truth.csv");
	f = open_file(
		c, "steps.csv", "host,kind,true_ns,lasts_ns,clock_before_ns,clock_after_ns\n");
	write_steps(c, f);
	close_file(f, "steps.csv");
	if (!c->write_messages)
		return;
	f = open_file(c, "messages.csv",
		"from,to,protocol,sent_true_ns,sent_clock_ns,received_true_ns,"
		"received_clock_ns,remarks\n");
	write_messages(c, f);
	close_file(f, "messages.csv");
}
