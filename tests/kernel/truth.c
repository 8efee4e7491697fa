/* Truth: reading the files, and finding their rows in the model. */
#include "truth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "given.h"
#include "sync/auto.h"

/* ---- files ---- */

enum { MAX_COLUMNS = 16 };

struct csv {
	FILE *f;
	char line[512];
	char *column[MAX_COLUMNS];
};

static bool next_row(struct csv *c)
{
	if (!fgets(c->line, sizeof(c->line), c->f))
		return false;
	c->line[strcspn(c->line, "\n")] = '\0';
	char *at = c->line;
	for (int i = 0; i < MAX_COLUMNS; i++)
		c->column[i] = at ? strsep(&at, ",") : c->line + strlen(c->line);
	return true;
}

static void open_csv(struct csv *c, const struct subject *s, const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/truth/%s", s->dir, name);
	c->f = fopen(path, "r");
	if (!c->f || !next_row(c))
		fail_msg("cannot read %s", path);
}

static void *grown(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	array = realloc(array, (n ? 2 * n : 1) * size);
	assert_non_null(array);
	return array;
}

static int64_t number(const char *text)
{
	return *text ? strtoll(text, NULL, 10) : -1;
}

static uint32_t host(const char *text)
{
	return (uint32_t)strtoul(text + 1, NULL, 10);
}

static uint8_t word(const char *text, const char *const *words, uint8_t n)
{
	for (uint8_t i = 0; i < n; i++)
		if (!strcmp(words[i], text))
			return i;
	fail_msg("unknown word %s", text);
	return 0;
}

static const char *const states[KERNEL_N_STATES] = { "unknown", "running", "user", "syscall",
	"thread", "interrupted", "runnable", "blocked", "new", "stopped", "dead" };
static const char *const causes[KERNEL_N_CAUSES] = { "", "disk", "network", "timer", "task",
	"futex", "pipe", "input", "ipi", "irq", "softirq" };

static void read_tasks(struct subject *s)
{
	struct truth *t = &s->truth;
	struct csv c;
	open_csv(&c, s, "tasks.csv");
	while (next_row(&c)) {
		t->tasks = grown(t->tasks, t->n_tasks, sizeof(*t->tasks));
		t->tasks[t->n_tasks++] = (struct truth_task){ .host = host(c.column[0]),
			.tid = (int32_t)number(c.column[1]),
			.pid = (int32_t)number(c.column[2]),
			.begin = number(c.column[4]),
			.end = number(c.column[5]),
			.is_kernel = number(c.column[9]) > 0 };
	}
	fclose(c.f);
}

/* The rows of a task follow one another, tasks in the same order. */
static void read_states(struct subject *s)
{
	struct truth *t = &s->truth;
	struct csv c;
	struct truth_task *task = t->tasks;
	open_csv(&c, s, "states.csv");
	while (next_row(&c)) {
		struct truth_span p = { .begin = number(c.column[2]),
			.end = number(c.column[3]),
			.state = word(c.column[4], states, KERNEL_N_STATES),
			.cause = word(c.column[5], causes, KERNEL_N_CAUSES),
			.by = (int32_t)number(c.column[6]),
			.packet = number(c.column[7]) };
		while (task->host != host(c.column[0]) || task->tid != number(c.column[1]) ||
			p.begin < task->begin || p.begin >= task->end)
			assert_true(++task < t->tasks + t->n_tasks);
		if (!task->n++)
			task->first = (uint32_t)t->n_spans;
		t->spans = grown(t->spans, t->n_spans, sizeof(*t->spans));
		t->spans[t->n_spans++] = p;
	}
	fclose(c.f);
}

static void read_packets(struct subject *s)
{
	struct truth *t = &s->truth;
	struct csv c;
	open_csv(&c, s, "packets.csv");
	while (next_row(&c)) {
		t->packets = grown(t->packets, t->n_packets, sizeof(*t->packets));
		t->packets[t->n_packets++] = (struct truth_packet){ .id = number(c.column[0]),
			.from = host(c.column[1]),
			.sender = (int32_t)number(c.column[2]),
			.answers = number(c.column[3]),
			.sent = number(c.column[4]),
			.to = host(c.column[5]),
			.received = number(c.column[7]) };
	}
	fclose(c.f);
}

static void read_paths(struct subject *s)
{
	struct truth *t = &s->truth;
	struct csv c;
	open_csv(&c, s, "requests.csv");
	while (next_row(&c)) {
		t->windows = grown(t->windows, t->n_windows, sizeof(*t->windows));
		t->windows[t->n_windows++] = (struct truth_window){ .host = host(c.column[1]),
			.tid = (int32_t)number(c.column[2]),
			.begin = number(c.column[3]),
			.end = number(c.column[4]) };
	}
	fclose(c.f);
	open_csv(&c, s, "paths.csv");
	while (next_row(&c)) {
		struct truth_window *w = &t->windows[number(c.column[0])];
		struct truth_piece p = { .host = host(c.column[1]),
			.tid = (int32_t)number(c.column[2]),
			.begin = number(c.column[3]),
			.end = number(c.column[4]),
			.in_flight = number(c.column[6]) };
		snprintf(p.cause, sizeof(p.cause), "%s", c.column[5]);
		if (!w->n++)
			w->first = t->n_pieces;
		t->pieces = grown(t->pieces, t->n_pieces, sizeof(*t->pieces));
		t->pieces[t->n_pieces++] = p;
	}
	fclose(c.f);
	open_csv(&c, s, "clocks.csv");
	while (next_row(&c)) {
		t->ahead[host(c.column[0])] = strtod(c.column[1], NULL);
		t->drift[host(c.column[0])] = strtod(c.column[2], NULL);
	}
	fclose(c.f);
}

/* ---- the model ---- */

/* Clocks that are right: all hosts in one group, no maps. */
static struct sync_result *believe(struct mer_experiment *e)
{
	struct sync_result *r = calloc(1, sizeof(*r));
	assert_non_null(r);
	mer_arena_init(&r->arena);
	mer_diags_init(&r->diags, &r->arena);
	r->hosts = mer_arena_zalloc(&r->arena, e->n_hosts + 1, sizeof(*r->hosts));
	assert_non_null(r->hosts);
	r->n_hosts = e->n_hosts;
	return r;
}

void subject_open(struct subject *s, const char *options, bool sync, unsigned n_threads)
{
	char command[1024], paths[64][460];
	const char *list[64];
	const char *build = getenv("BUILD"), *program = given_environment("KERNELWORLD");
	struct sync_messages messages;
	struct mer_diags found;
	struct mer_err err;
	memset(s, 0, sizeof(*s));
	snprintf(s->options, sizeof(s->options), "%s", options);
	snprintf(s->dir, sizeof(s->dir), "%s/test-kernelworld-%ld", build ? build : "/tmp",
		(long)getpid());
	snprintf(command, sizeof(command), "rm -rf '%s' && '%s' -o '%s' %s >/dev/null", s->dir,
		program, s->dir, options);
	if (system(command))
		fail_msg("%s", command);
	s->lossy = strstr(options, "--lose") || strstr(options, "--lost");
	s->cut = strstr(options, "--begin-cut") != NULL;
	s->old = strstr(options, "--layout old") != NULL;
	read_tasks(s);
	read_states(s);
	read_packets(s);
	read_paths(s);
	uint32_t n_hosts = 0;
	s->begin = INT64_MAX;
	for (size_t i = 0; i < s->truth.n_tasks; i++) {
		if (s->truth.tasks[i].host >= n_hosts)
			n_hosts = s->truth.tasks[i].host + 1;
		if (s->truth.tasks[i].begin < s->begin)
			s->begin = s->truth.tasks[i].begin;
	}
	for (uint32_t i = 0; i < n_hosts; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/h%u", s->dir, i);
		list[i] = paths[i];
	}
	if (mer_experiment_open(list, n_hosts, NULL, &s->e, &err))
		fail_msg("%s", err.text);
	assert_int_equal(s->e->n_hosts, n_hosts);
	for (uint32_t i = 0; i < n_hosts; i++)
		s->host_of[host(s->e->hosts[i].name)] = i;
	mer_diags_init(&found, &s->e->arena);
	struct sync_gather_options gather = { .keep_streams = true };
	if (sync_auto_gather(s->e, &gather, &messages, &found, NULL, &err))
		fail_msg("%s", err.text);
	if (!sync)
		s->r = believe(s->e);
	else if (sync_auto_solve(s->e, &messages, &found, NULL, &s->r, &err) ||
		 sync_apply(s->e, s->r, &err))
		fail_msg("%s", err.text);
	struct kernel_world_options o = { .n_threads = n_threads };
	if (kernel_world_build(s->e, &messages, s->r, &o, &s->w, &err))
		fail_msg("%s: %s", options, err.text);
	sync_messages_free(&messages);
	mer_diags_fini(&found);
}

void subject_close(struct subject *s)
{
	char command[600];
	kernel_world_free(s->w);
	mer_experiment_free(s->e);
	sync_result_free(s->r);
	free(s->truth.spans);
	free(s->truth.tasks);
	free(s->truth.packets);
	free(s->truth.windows);
	free(s->truth.pieces);
	snprintf(command, sizeof(command), "rm -rf '%s'", s->dir);
	assert_int_equal(system(command), 0);
}

int64_t subject_time(const struct subject *s, uint32_t h, int64_t t)
{
	int64_t since = t - 1700000000000000000;
	int64_t recorded =
		t + (int64_t)s->truth.ahead[h] + (int64_t)((double)since * s->truth.drift[h]);
	return trace_map_time(&s->r->hosts[s->host_of[h]].map, recorded);
}

uint32_t subject_task(const struct subject *s, const struct truth_task *t)
{
	const struct kernel_host *h = &s->w->hosts[s->host_of[t->host]];
	int64_t begin = subject_time(s, t->host, t->begin), end = subject_time(s, t->host, t->end);
	int64_t best = 0;
	uint32_t found = KERNEL_NONE;
	for (uint32_t i = 0; i < h->n_tasks; i++) {
		if (h->tasks[i].tid != t->tid)
			continue;
		int64_t from = h->tasks[i].begin > begin ? h->tasks[i].begin : begin;
		int64_t to = h->tasks[i].end < end ? h->tasks[i].end : end;
		if (to - from > best) {
			best = to - from;
			found = i;
		}
	}
	return found;
}

static bool is_packet(
	const struct subject *s, const struct kernel_bridge *k, const struct truth_packet *p)
{
	return k->from.host == s->host_of[p->from] && k->to.host == s->host_of[p->to] &&
	       k->from.time == subject_time(s, p->from, p->sent) &&
	       k->to.time == subject_time(s, p->to, p->received);
}

int64_t subject_packet(const struct subject *s, const struct truth_packet *p)
{
	uint32_t lo = 0, hi = s->w->n_bridges;
	int64_t sent = subject_time(s, p->from, p->sent);
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->w->bridges[mid].from.time < sent)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < s->w->n_bridges && s->w->bridges[lo].from.time == sent; lo++)
		if (is_packet(s, &s->w->bridges[lo], p))
			return lo;
	return -1;
}

const struct truth_packet *truth_packet_of(const struct subject *s, uint32_t packet)
{
	for (size_t i = 0; i < s->truth.n_packets; i++)
		if (is_packet(s, &s->w->bridges[packet], &s->truth.packets[i]))
			return &s->truth.packets[i];
	return NULL;
}
