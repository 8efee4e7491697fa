#include "record/agents.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/now.h"
#include "record/words.h"

__asm__(".section .rodata\n"
	"record_agent_perl:\n"
	".incbin \"" MER_SCRIPTS "/agent.pl\"\n"
	".byte 0\n"
	"record_agent_python:\n"
	".incbin \"" MER_SCRIPTS "/agent.py\"\n"
	".byte 0\n"
	"record_agent_shell:\n"
	".incbin \"" MER_SCRIPTS "/agent.sh\"\n"
	".byte 0\n"
	".previous\n");
extern const char record_agent_perl[], record_agent_python[], record_agent_shell[];

#define SECOND INT64_C(1000000000)

/* Used where no agent can run: waits for `q`; exit status 7: the connection ended without it. */
static const char shell_agent[] =
	"(while read -r word rest; do [ \"$word\" = q ] && exit 0; done; exit 7)";

static void put_agent(const struct record_run *r, const struct record_host *h, struct mer_str *out)
{
	if (strcmp(h->facts.agent, "perl") == 0) {
		mer_str_puts(out, "perl -e ");
		record_put_word(out, record_agent_perl);
	} else if (strcmp(h->facts.agent, "python3") == 0) {
		mer_str_puts(out, "python3 -c ");
		record_put_word(out, record_agent_python);
	} else if (strcmp(h->facts.agent, "sh") == 0) {
		mer_str_puts(out, "sh -c ");
		record_put_word(out, record_agent_shell);
	} else {
		mer_str_puts(out, shell_agent);
	}
	if (!r->plan.session)
		return;
	/* The recorder is gone without `q`: the host removes the session itself. */
	mer_str_puts(out, "\n[ $? -eq 7 ] || exit 0\nsleep 1\n");
	record_steps[RECORD_STEP_DESTROY].line(r, h, out);
}

/* "12.000000034" -> ns; false: no such number. */
static bool read_ns(const char **at, int64_t *ns)
{
	int64_t seconds = 0, rest = 0;
	int digits = 0;
	const char *p = *at;
	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(seconds, 10, &seconds) ||
			__builtin_add_overflow(seconds, *p - '0', &seconds))
			return false;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++)
			if (digits < 9) {
				rest = rest * 10 + (*p - '0');
				digits++;
			}
	for (; digits < 9; digits++)
		rest *= 10;
	if (__builtin_mul_overflow(seconds, SECOND, ns) || __builtin_add_overflow(*ns, rest, ns))
		return false;
	*at = p;
	return true;
}

/* " 12.5": a number after a blank. */
static bool next_ns(const char **at, int64_t *ns)
{
	if (**at != ' ')
		return false;
	++*at;
	return read_ns(at, ns);
}

static int64_t on_the_way(const struct record_round *x)
{
	return x->answered - x->asked - (x->left - x->arrived);
}

/* Halves the number of rounds, to make room for later ones: of each two neighbours, the one with
 * the shorter round trip stays, as it limits the clock more. */
static void thin_rounds(struct record_host *h)
{
	size_t n = 0;
	for (size_t i = 0; i < h->n_rounds; i += 2) {
		const struct record_round *x = &h->rounds[i];
		bool is_alone = i + 1 == h->n_rounds;
		h->rounds[n++] = !is_alone && on_the_way(&x[1]) < on_the_way(x) ? x[1] : *x;
	}
	h->n_rounds = n;
}

static void read_line(struct record_host *h, const char *line, int64_t now_ns)
{
	struct record_round round = { .asked = h->asked_ns, .answered = now_ns };
	const char *at = line + 1;
	char *end;
	if (line[0] == 'n' && line[1] == ' ') {
		uint64_t answered = strtoull(line + 2, &end, 10);
		if (*end == ' ') {
			h->n_answered = answered;
			h->n_silent = strtoull(end + 1, &end, 10);
			h->counted = true;
		}
		return;
	}
	if (line[0] != 't' || line[1] != ' ' || !h->asked_ns)
		return;
	int64_t question = strtoll(line + 2, &end, 10);
	at = end;
	bool ok = question == h->asked_ns && next_ns(&at, &round.arrived) &&
		  next_ns(&at, &round.arrived_realtime) && next_ns(&at, &round.left) && !*at;
	if (question == h->asked_ns)
		h->asked_ns = 0;
	if (!ok || round.left < round.arrived || round.answered < round.asked ||
		round.left - round.arrived > round.answered - round.asked)
		return;
	if (h->n_rounds >= h->most_rounds)
		thin_rounds(h);
	if (!mer_grow(&h->rounds, h->n_rounds, &h->cap_rounds, sizeof(*h->rounds)))
		return;
	h->rounds[h->n_rounds++] = round;
}

void record_agent_read(struct record_host *h, const char *text, size_t len, int64_t now_ns)
{
	while (h->parsed < len) {
		const char *line = text + h->parsed;
		const char *end = memchr(line, '\n', len - h->parsed);
		char copy[256];
		if (!end)
			return;
		size_t n = (size_t)(end - line);
		h->parsed += n + 1;
		if (n >= sizeof(copy))
			continue;
		memcpy(copy, line, n);
		copy[n] = '\0';
		read_line(h, copy, now_ns);
	}
}

static void on_output(struct record_child *c)
{
	struct record_host *h = c->owner;
	record_agent_read(h, c->output.data, c->output.len, c->read_ns);
	if (h->parsed == c->output.len) {
		/* Answers that were parsed are not kept. */
		mer_str_clear(&c->output);
		h->parsed = 0;
	}
}

int record_agents_begin(struct record_run *r, struct mer_err *err)
{
	for (size_t i = 0; i < r->n_hosts; i++) {
		struct record_host *h = &r->hosts[i];
		struct mer_str line = { 0 };
		/* Left by an earlier recording. */
		record_child_free(&h->agent);
		h->parsed = 0;
		h->asked_ns = 0;
		h->agent_failed = h->counted = h->sends_beacons = false;
		h->n_answered = h->n_silent = 0;
		h->most_rounds = RECORD_MOST_ROUNDS / r->n_hosts;
		put_agent(r, h, &line);
		const char *text = line.failed ? NULL : mer_arena_strdup(r->arena, line.data);
		const char *const *argv = text ? record_host_argv(r, h, text) : NULL;
		mer_str_fini(&line);
		if (!argv)
			return mer_fail_nomem(err);
		int rc = record_loop_spawn(&r->loop, &h->agent,
			&(struct record_spawn){ .argv = argv,
				.keeps_input = true,
				.owner = h,
				.on_output = on_output },
			err);
		if (rc)
			return rc;
	}
	return 0;
}

static bool answers(const struct record_host *h)
{
	return h->agent.started && !h->agent.ended && h->facts.agent[0];
}

static void ask(struct record_host *h)
{
	char text[64];
	int64_t now = mer_now_ns();
	int n = snprintf(text, sizeof(text), "t %" PRId64 "\n", now);
	h->asked_ns = now;
	if (!record_child_write(&h->agent, text, (size_t)n))
		h->asked_ns = 0;
}

void record_agents_ask(struct record_run *r)
{
	for (size_t i = 0; i < r->n_hosts; i++) {
		struct record_host *h = &r->hosts[i];
		/* A request that got no answer for 30 s is given up, and a new one sent. */
		if (answers(h) && (!h->asked_ns || mer_now_ns() - h->asked_ns > 30 * SECOND))
			ask(h);
	}
}

void record_agents_burst(struct record_run *r, unsigned n, int64_t most_ns)
{
	int64_t end = mer_now_ns() + most_ns;
	unsigned interrupts = r->loop.n_interrupts;
	for (;;) {
		size_t n_short = 0;
		for (size_t i = 0; i < r->n_hosts; i++) {
			struct record_host *h = &r->hosts[i];
			if (!answers(h) || h->watched >= n)
				continue;
			if (!h->asked_ns) {
				h->watched++;
				ask(h);
			}
			n_short++;
		}
		if (!n_short || mer_now_ns() >= end || r->loop.n_interrupts != interrupts)
			break;
		record_loop_turn(&r->loop, end);
	}
	for (size_t i = 0; i < r->n_hosts; i++)
		r->hosts[i].watched = 0;
}

/* The address by which `from` reaches the host; "": unknown. */
static const char *address_of(const struct record_run *r, size_t host, size_t from)
{
	const struct record_host *h = &r->hosts[host];
	if (h->target)
		return h->facts.address;
	return r->hosts[from].facts.seen_address;
}

/* Can it send beacons? An agent in shell only answers. */
static bool can_send(const struct record_host *h)
{
	return h->facts.agent[0] && strcmp(h->facts.agent, "sh") != 0;
}

static void add_edge(
	const struct record_run *r, size_t a, size_t b, struct record_edge *edges, size_t *n)
{
	for (size_t i = 0; i < *n; i++)
		if ((edges[i].from == a && edges[i].to == b) ||
			(edges[i].from == b && edges[i].to == a))
			return;
	/* From a to b; from b to a, if that is possible, when b is the local host, b's address is
	 * unknown, or a cannot send. */
	const char *address = address_of(r, b, a);
	if (!r->hosts[b].target || !*address || !can_send(&r->hosts[a])) {
		const char *back = address_of(r, a, b);
		if (*back && can_send(&r->hosts[b])) {
			edges[(*n)++] = (struct record_edge){ b, a, back };
			return;
		}
	}
	if (*address && can_send(&r->hosts[a]))
		edges[(*n)++] = (struct record_edge){ a, b, address };
}

size_t record_edges(const struct record_run *r, struct record_edge *edges, size_t most)
{
	size_t n = 0;
	for (size_t i = 1; i < r->n_hosts && n + 3 < most; i++)
		add_edge(r, i, (i - 1) / 2, edges, &n);
	/* Two more edges, which close rings; one with three hosts, of which the tree joins two
	 * pairs. */
	if (r->n_hosts > 2)
		add_edge(r, r->n_hosts - 1, r->n_hosts > 3 ? 0 : 1, edges, &n);
	if (r->n_hosts > 3)
		add_edge(r, r->n_hosts - 2, 1, edges, &n);
	return n;
}

void record_agents_beacons(struct record_run *r, double every_s)
{
	struct record_edge edges[RECORD_MOST_EDGES];
	size_t n = record_edges(r, edges, RECORD_MOST_EDGES);
	for (size_t i = 0; i < r->n_hosts; i++) {
		struct record_host *h = &r->hosts[i];
		struct mer_str line = { 0 };
		if (!answers(h))
			continue;
		mer_str_printf(&line, "b %.3f", every_s);
		for (size_t k = 0; k < n; k++)
			if (edges[k].from == i)
				mer_str_printf(&line, " %s", edges[k].address);
		mer_str_putc(&line, '\n');
		if (!line.failed && strchr(line.data + 2, ' ')) {
			h->sends_beacons = true;
			record_child_write(&h->agent, line.data, line.len);
		}
		mer_str_fini(&line);
	}
}

void record_agents_count(struct record_run *r)
{
	int64_t end = mer_now_ns() + 2 * SECOND;
	for (size_t i = 0; i < r->n_hosts; i++)
		if (answers(&r->hosts[i]))
			record_child_write(&r->hosts[i].agent, "b 0\nn\n", 6);
	for (;;) {
		bool all = true;
		for (size_t i = 0; i < r->n_hosts; i++)
			all &= r->hosts[i].counted || !answers(&r->hosts[i]);
		if (all || mer_now_ns() >= end)
			return;
		record_loop_turn(&r->loop, end);
	}
}

void record_agents_end(struct record_run *r)
{
	int64_t end = mer_now_ns() + 3 * SECOND;
	for (size_t i = 0; i < r->n_hosts; i++) {
		struct record_child *c = &r->hosts[i].agent;
		if (!c->started || c->ended)
			continue;
		record_child_write(c, "q\n", 2);
		record_child_close_input(c);
		c->deadline_ns = end;
	}
	for (;;) {
		bool all = true;
		for (size_t i = 0; i < r->n_hosts; i++)
			all &= !r->hosts[i].agent.started || r->hosts[i].agent.ended;
		if (all || mer_now_ns() >= end + 3 * SECOND)
			return;
		record_loop_turn(&r->loop, end);
	}
}
