/* The summary of a path for people: what it was in a sentence, then by cause, host and task. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/plural.h"
#include "path/path_diff.h"
#include "ask/path/path_others.h"
#include "ask/path/path_print.h"
#include "ask/path/path_words.h"
#include "ask/session.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "kernel/vm/guests.h"

enum { TASKS = 10, NAMED = 3 }; /* rows of the table of tasks; parts that the sentence names */

bool ask_path_has_hosts(const struct path *p)
{
	for (size_t i = 0; i < p->n_segments; i++)
		if (p->segments[i].host != p->host)
			return true;
	return false;
}

static void add_clean(struct mer_str *out, const char *text)
{
	ask_text_clean(out, text, strlen(text), false);
}

void ask_path_title(const struct path *p, struct mer_str *out)
{
	add_clean(out, path_comm(p, p->host, p->task));
	mer_str_printf(out, "/%" PRId32 " on ", path_tid(p, p->host, p->task));
	add_clean(out, path_host_name(p, p->host));
	mer_str_puts(out, ", from ");
	ask_text_time(out, p->begin);
	mer_str_puts(out, " for ");
	ask_text_duration(out, p->end - p->begin);
}

/* Why the window is what it is. */
static void put_window(const struct path *p, struct mer_str *out)
{
	const struct kernel_task *t = &p->world->hosts[p->host].tasks[p->task];
	bool all = p->begin <= t->begin && p->end >= (t->died < t->end ? t->died : t->end);
	if (!all)
		mer_str_puts(out, "Part of its lifetime");
	else if (t->born && t->died != INT64_MAX)
		mer_str_puts(out, "Its whole lifetime");
	else
		mer_str_puts(out, t->born ? "Since its fork" : "As far as recorded");
}

static void put_clocks(const struct ask_path *c, struct mer_str *out)
{
	const struct session_synced *s = c->w->synced;
	if (c->p->world->n_hosts < 2) {
		mer_str_puts(out, ".\n");
	} else if (!s) {
		mer_str_puts(out, "; clocks are not synchronized: other hosts are not followed.\n");
	} else if (s->summary.n_hosts < 2) {
		mer_str_puts(out, "; clocks cannot be compared: other hosts are not followed.\n");
	} else if (s->contradictory) {
		mer_str_puts(out, "; times of ");
		add_clean(out, s->contradictory);
		mer_str_puts(out,
			" cannot be compared with others: their messages contradict each other.\n");
	} else if (s->one_sided) {
		mer_str_puts(out, "; times of ");
		add_clean(out, s->one_sided);
		mer_str_puts(out,
			" cannot be compared with others: clocks are limited on one side only.\n");
	} else {
		mer_str_printf(
			out, "; clocks of %u hosts aligned to ", (unsigned)s->summary.n_hosts);
		add_clean(out, s->reference);
		bool likely = s->summary.likely_ns != INT64_MAX;
		if (likely) {
			mer_str_puts(out, ", accurate to ");
			ask_text_duration(out, s->summary.likely_ns);
		}
		if (s->summary.median_ns != INT64_MAX) {
			mer_str_puts(out, likely ? " (worst case " : ", error < ");
			ask_text_duration(out, s->summary.median_ns);
			mer_str_puts(out, likely ? ")" : "");
		}
		mer_str_puts(out, ".\n");
	}
}

static int put_verdict(const struct ask_path *c, struct mer_str *out)
{
	struct path_profile profile, none;
	struct path_diff_row *rows = NULL;
	struct mer_str text = { 0 };
	size_t n = 0;
	int64_t total = c->p->end - c->p->begin;
	path_profile_init(&none);
	int rc = path_profile_of(&profile, c->p, &c->ask->err);
	if (rc == 0) /* against nothing: the parts by size */
		rc = path_diff(&profile, &none, PATH_DIFF_BY_PART, &rows, &n, &c->ask->err);
	for (size_t i = 0; rc == 0 && i < n && i < NAMED; i++) {
		const struct path_diff_row *r = &rows[i];
		if (i && r->a_ns < total / 20)
			break;
		mer_str_puts(&text, i ? "; " : "Mostly: ");
		path_put_part(r, &text);
		mer_str_puts(&text, " (");
		ask_text_duration(&text, r->a_ns);
		mer_str_printf(
			&text, ", %.0f %%)", total ? 100 * (double)r->a_ns / (double)total : 0.0);
	}
	mer_str_puts(&text, ".");
	if (rc == 0 && n && !text.failed)
		ask_text_wrap(out, text.data, (size_t)ask_width(c->ask), 0);
	out->failed |= text.failed;
	mer_str_fini(&text);
	free(rows);
	path_profile_fini(&profile);
	path_profile_fini(&none);
	return rc;
}

/* ---- Who stole ---- */

struct thief {
	const char *name;
	int64_t ns;
};

static int by_time(const void *a, const void *b)
{
	const struct thief *p = a, *q = b;
	return p->ns != q->ns ? (p->ns < q->ns ? 1 : -1) : strcmp(p->name, q->name);
}

/* The VMs and tasks of hosts that had the CPU while it was stolen, most time first; malloc'ed. */
static int find_thieves(
	const struct ask_path *c, struct thief **thieves, size_t *n, int64_t *stolen_ns)
{
	const struct path *p = c->p;
	size_t cap = 0;
	*thieves = NULL;
	*n = 0;
	*stolen_ns = 0;
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *s = &p->segments[i];
		const struct kernel_guest *g = p->world->hosts[s->host].guest;
		if (s->cause != PATH_STOLEN || !g || s->source >= g->n)
			continue;
		const char *name = kernel_guest_text(g, g->absences[s->source].neighbour);
		size_t k = 0;
		*stolen_ns += s->end - s->begin;
		if (!*name)
			continue; /* nobody known */
		while (k < *n && strcmp((*thieves)[k].name, name) != 0)
			k++;
		if (k == *n) {
			if (!mer_grow(thieves, *n, &cap, sizeof(**thieves)))
				return mer_fail_nomem(&c->ask->err);
			(*thieves)[(*n)++] = (struct thief){ .name = name };
		}
		(*thieves)[k].ns += s->end - s->begin;
	}
	if (*n)
		qsort(*thieves, *n, sizeof(**thieves), by_time);
	return 0;
}

static int put_thieves(const struct ask_path *c, struct mer_str *out)
{
	struct thief *thieves;
	struct mer_str text = { 0 };
	size_t n;
	int64_t stolen_ns;
	int rc = find_thieves(c, &thieves, &n, &stolen_ns);
	/* What is less than a part of the sentence above needs no culprit, either. */
	bool is_much = stolen_ns >= (c->p->end - c->p->begin) / 20;
	for (size_t i = 0; rc == 0 && is_much && i < n && i < NAMED; i++) {
		if (i && thieves[i].ns < stolen_ns / 20)
			break;
		mer_str_puts(&text, i ? ", " : "Stolen by: ");
		add_clean(&text, thieves[i].name);
		mer_str_puts(&text, " (");
		ask_text_duration(&text, thieves[i].ns);
		mer_str_puts(&text, ")");
	}
	if (text.len) {
		mer_str_puts(&text, ".");
		ask_text_wrap(out, text.data, (size_t)ask_width(c->ask), 0);
	}
	out->failed |= text.failed;
	mer_str_fini(&text);
	free(thieves);
	return rc;
}

/* ---- Tables ---- */

static double part(int64_t ns, int64_t whole)
{
	return whole > 0 ? (double)ns / (double)whole : 0;
}

static void put_table(const struct ask_path *c, struct mer_table *t, struct mer_str *out)
{
	mer_str_printf(out, "\n%s\n", t->title);
	ask_table_text(t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	out->failed |= t->failed;
	mer_table_fini(t);
}

struct cause_row {
	const char *name;
	int64_t ns;
};

static int by_ns(const void *a, const void *b)
{
	const struct cause_row *p = a, *q = b;
	if (p->ns != q->ns)
		return p->ns > q->ns ? -1 : 1;
	return strcmp(p->name, q->name);
}

/* Waits for the network are of four kinds, which say different things. */
static size_t add_network(const struct path *p, struct cause_row *rows)
{
	const struct cause_row kinds[] = { { "network, packets in flight", p->in_flight_ns },
		{ "network, packet delivery", p->delivery_ns },
		{ "network, packets held back for ARP", p->held_ns },
		{ "network, sender not recorded", p->unresolved_ns } };
	size_t n = 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].ns)
			rows[n++] = kinds[i];
	return n;
}

static void put_causes(const struct ask_path *c, struct mer_str *out)
{
	enum { CAUSE, TOTAL, SHARE, N };
	static const struct mer_column columns[N + 1] = {
		[CAUSE] = { "cause", "Cause", MER_TEXT },
		[TOTAL] = { "total_ns", "Time", MER_DURATION },
		[SHARE] = { "percent", "Share", MER_RATIO },
	};
	struct cause_row rows[PATH_N_CAUSES + 3];
	size_t n = add_network(c->p, rows);
	struct mer_table t;
	for (unsigned i = 0; i < PATH_N_CAUSES; i++)
		if (i != PATH_NETWORK && c->p->by_cause[i])
			rows[n++] = (struct cause_row){ path_cause_words((enum path_cause)i),
				c->p->by_cause[i] };
	qsort(rows, n, sizeof(*rows), by_ns);
	mer_table_init(&t, "by_cause", "By cause", columns, NULL);
	for (size_t i = 0; i < n; i++)
		mer_table_add(&t,
			(struct mer_cell[N]){
				[CAUSE] = mer_text(rows[i].name),
				[TOTAL] = MER_INT(rows[i].ns),
				[SHARE] = MER_REAL_CELL(part(rows[i].ns, c->p->end - c->p->begin)),
			});
	put_table(c, &t, out);
}

/* Time that really is theirs. */
static int64_t own(const struct ask_path_share *r)
{
	return r->share.total_ns - r->in_flight_ns;
}

static int by_own(const void *a, const void *b)
{
	const struct ask_path_share *p = a, *q = b;
	if (own(p) != own(q))
		return own(p) > own(q) ? -1 : 1;
	if (p->share.host != q->share.host)
		return p->share.host < q->share.host ? -1 : 1;
	return p->share.task < q->share.task ? -1 : p->share.task > q->share.task;
}

/* What takes most of a row's waits, "disk", "runnable". */
static const char *main_wait(const struct ask_path_share *r)
{
	unsigned best = PATH_RUNNING;
	int64_t most = 0;
	for (unsigned i = 0; i < PATH_N_CAUSES; i++) {
		int64_t ns = r->share.by_cause[i] - (i == PATH_NETWORK ? r->in_flight_ns : 0);
		if (i != PATH_RUNNING && i != PATH_INTERRUPTED && ns > most) {
			most = ns;
			best = i;
		}
	}
	return !most ? NULL : path_cause_words((enum path_cause)best);
}

static struct mer_cell task_cell(
	const struct ask_path *c, struct mer_table *t, const struct path_share *r)
{
	struct mer_str name = { 0 };
	path_put_task(c->p, r->host, r->task, &name);
	return mer_table_keep(t, &name);
}

static int put_shares(const struct ask_path *c, bool tasks, struct mer_str *out)
{
	enum { HOST, TASK, TIME, SHARE, ON_CPU, WAITS, MOST, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[TASK] = { "task", "Task", MER_TEXT },
		[TIME] = { "own_ns", "Time", MER_DURATION },
		[SHARE] = { "percent", "Share", MER_RATIO },
		[ON_CPU] = { "on_cpu_ns", "On CPU", MER_DURATION },
		[WAITS] = { "waits_ns", "Waits", MER_DURATION },
		[MOST] = { "cause", "Mostly for", MER_TEXT },
	};
	struct ask_path_share *rows;
	struct mer_table t;
	size_t n;
	int64_t whole = c->p->end - c->p->begin - c->p->in_flight_ns, rest = 0;
	int rc = ask_path_shares(c, tasks, &rows, &n);
	if (rc) {
		free(rows);
		return rc;
	}
	qsort(rows, n, sizeof(*rows), by_own);
	while (n && own(&rows[n - 1]) == 0)
		n--;
	mer_table_init(&t, tasks ? "by_task" : "by_host", tasks ? "By task" : "By host", columns,
		&c->ask->arena);
	if (tasks && !ask_path_has_hosts(c->p))
		mer_table_hide(&t, HOST);
	if (!tasks)
		mer_table_hide(&t, TASK);
	for (size_t i = 0; i < n; i++) {
		const struct path_share *r = &rows[i].share;
		int64_t ns = own(&rows[i]);
		int64_t cpu = r->by_cause[PATH_RUNNING] + r->by_cause[PATH_INTERRUPTED];
		if (tasks && i >= TASKS) {
			rest += ns;
			continue;
		}
		mer_table_add(&t, (struct mer_cell[N]){
					  [HOST] = mer_text(path_host_name(c->p, r->host)),
					  [TASK] = tasks ? task_cell(c, &t, r) : MER_NONE,
					  [TIME] = MER_INT(ns),
					  [SHARE] = MER_REAL_CELL(part(ns, whole)),
					  [ON_CPU] = MER_INT(cpu),
					  [WAITS] = MER_INT(ns - cpu),
					  [MOST] = mer_text(main_wait(&rows[i])),
				  });
	}
	free(rows);
	put_table(c, &t, out);
	if (tasks && n > TASKS) {
		mer_str_printf(out, "... and %zu more %s with ", n - TASKS,
			mer_plural(n - TASKS, "task", "tasks"));
		ask_text_duration(out, rest);
		mer_str_puts(out, " (--json shows them)\n");
	}
	return 0;
}

/* Flights between hosts that are shorter than their clocks are exact. */
static void put_uncertain(const struct ask_path *c, struct mer_str *out)
{
	size_t n = 0, below = 0;
	for (size_t i = 0; i < c->p->n_segments; i++) {
		const struct path_segment *s = &c->p->segments[i];
		n += ask_path_crosses(c->p, s);
		below += ask_path_is_below_bound(c, s);
	}
	if (!below)
		return;
	mer_str_printf(out, "%zu of %zu flights between hosts %s shorter than the clocks' error (",
		below, n, below == 1 ? "was" : "were");
	ask_text_duration(out, c->w->synced->summary.median_ns);
	mer_str_puts(out, "): where they begin and end is not exact.\n\n");
}

static void put_remarks(const struct ask_path *c, struct mer_str *out)
{
	const struct path *p = c->p;
	int64_t total = p->end - p->begin;
	struct mer_str text = { 0 };
	if (p->in_flight_ns) {
		mer_str_puts(&text, "Shares by host and task are relative to the ");
		ask_text_duration(&text, total - p->in_flight_ns);
		mer_str_puts(&text, " that belong to tasks; packets were in flight for ");
		ask_text_duration(&text, p->in_flight_ns);
		mer_str_puts(&text, ".\n\n");
	}
	put_uncertain(c, &text);
	ask_path_put_others(c, &text);
	if (p->unexplained_ns) {
		mer_str_puts(&text, "Unexplained: ");
		ask_text_duration(&text, p->unexplained_ns);
		mer_str_printf(&text, " (%.2g %%).\n\n", 100 * part(p->unexplained_ns, total));
	}
	if (p->n_unresolved_remote) {
		bool apart = p->world->n_unsynchronized ||
			     (p->world->n_hosts > 1 &&
				     (!c->w->synced || c->w->synced->summary.n_unsynchronized));
		mer_str_printf(&text,
			"%" PRIu64
			" %s ended by a packet whose sender is unknown: it was not recorded, or not with its headers%s.\n\n",
			p->n_unresolved_remote,
			p->n_unresolved_remote == 1 ? "wait was" : "waits were",
			apart ? ", or its clock cannot be compared ('meridian sync' says more)"
			      : "");
	}
	if (text.len && !text.failed) {
		text.data[text.len - 1] = '\0'; /* one line end is enough at the end */
		mer_str_putc(out, '\n');
		ask_text_wrap(out, text.data, (size_t)ask_width(c->ask), 0);
	}
	out->failed |= text.failed;
	mer_str_fini(&text);
}

int ask_path_text(const struct ask_path *c, struct mer_str *out)
{
	struct mer_str clocks = { 0 };
	if (c->ask->bold_out)
		mer_str_puts(out, "\033[1m");
	ask_path_title(c->p, out);
	if (c->ask->bold_out)
		mer_str_puts(out, "\033[0m");
	mer_str_putc(out, '\n');
	put_window(c->p, &clocks);
	put_clocks(c, &clocks);
	if (clocks.len && !clocks.failed)
		ask_text_wrap(out, clocks.data, (size_t)ask_width(c->ask), 0);
	out->failed |= clocks.failed;
	mer_str_fini(&clocks);
	int rc = put_verdict(c, out);
	if (rc == 0)
		rc = put_thieves(c, out);
	if (rc)
		return rc;
	if (c->holders)
		ask_request_holders_text(c->ask, c->holders, out);
	put_causes(c, out);
	if (ask_path_has_hosts(c->p))
		rc = put_shares(c, false, out);
	if (rc == 0)
		rc = put_shares(c, true, out);
	if (rc)
		return rc;
	put_remarks(c, out);
	return ask_path_list(c, out);
}
