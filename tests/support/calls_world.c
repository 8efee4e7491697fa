#include "calls_world.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "kernel/files/files.h"
#include "requests/cost.h"
#include "requests/culprits.h"
#include "requests/own.h"
#include "requests/pieces.h"

enum { MAX_PAIRS = 16, MAX_WORDS = 14, US = 1000, END_US = 100000 };

struct text_end {
	int32_t tid, fd;
};

struct pairs {
	struct text_end ends[MAX_PAIRS][2];
	unsigned n;
	struct text_end files[MAX_PAIRS];
	unsigned n_files;
	struct text_end pipes[MAX_PAIRS][2];
	unsigned n_pipes;
	struct text_end unix_sockets[MAX_PAIRS];
	unsigned n_unix;
};

static struct text_end end_of(const char *word)
{
	char *colon;
	struct text_end e = { .tid = (int32_t)strtol(word, &colon, 10) };
	e.fd = (int32_t)strtol(colon + 1, NULL, 10);
	return e;
}

static void add_unix(struct pairs *p, const char *word)
{
	assert_true(p->n_unix < MAX_PAIRS);
	p->unix_sockets[p->n_unix++] = end_of(word);
}

static void add_file(struct pairs *p, const char *word)
{
	assert_true(p->n_files < MAX_PAIRS);
	p->files[p->n_files++] = end_of(word);
}

static uint32_t add_task(struct calls_world *c, int32_t tid, int64_t begin)
{
	struct mer_err err = { 0 };
	char name[20];
	uint32_t task = kernel_add_task(&c->host, tid, begin);
	assert_int_not_equal(task, KERNEL_NONE);
	c->host.tasks[task].pid = tid;
	c->host.tasks[task].end = c->host.tasks[task].died = END_US * US;
	int len = snprintf(name, sizeof(name), "t%" PRId32, tid);
	assert_int_equal(kernel_rename(&c->host, task, begin, name, (size_t)len, &err), 0);
	kernel_add_span(&c->host, &(struct kernel_span){ .begin = begin,
					  .task = task,
					  .before = KERNEL_NONE,
					  .call = KERNEL_NONE,
					  .by = KERNEL_NONE,
					  .source = KERNEL_NONE,
					  .state = KERNEL_USER });
	return task;
}

static uint32_t task_of(struct calls_world *c, int32_t tid)
{
	uint32_t task = kernel_find_task(&c->host, tid, NULL, 0);
	return task == KERNEL_NONE ? add_task(c, tid, 0) : task;
}

/* A descriptor belongs to its process. */
static uint32_t name_of(
	struct calls_world *c, const struct pairs *p, uint32_t task, int32_t fd, uint8_t *end)
{
	char text[40];
	for (unsigned i = 0; i < p->n; i++)
		for (unsigned k = 0; k < 2; k++) {
			const struct text_end *e = &p->ends[i][k];
			uint32_t owner = task_of(c, e->tid);
			if (e->fd != fd || c->host.tasks[owner].pid != c->host.tasks[task].pid)
				continue;
			int len = snprintf(text, sizeof(text), "socketpair#%u", i + 1);
			*end = (uint8_t)k;
			return mer_intern_add(&c->host.names, text, (size_t)len);
		}
	for (unsigned i = 0; i < 2 * p->n_pipes; i++) {
		const struct text_end *e = &p->pipes[i / 2][i % 2];
		if (e->fd != fd || e->tid != c->host.tasks[task].pid)
			continue;
		int len = snprintf(text, sizeof(text), "pipe#%u", i / 2 + 1);
		return mer_intern_add(&c->host.names, text, (size_t)len);
	}
	for (unsigned i = 0; i < p->n_unix; i++) {
		const struct text_end *e = &p->unix_sockets[i];
		if (e->fd == fd && e->tid == c->host.tasks[task].pid)
			return mer_intern_add(
				&c->host.names, "unix socket", sizeof("unix socket") - 1);
	}
	return KERNEL_NONE;
}

static bool is_file(const struct calls_world *c, const struct pairs *p, uint32_t task, int32_t fd)
{
	for (unsigned i = 0; i < p->n_files; i++)
		if (p->files[i].fd == fd && p->files[i].tid == c->host.tasks[task].pid)
			return true;
	return false;
}

static void add_call(
	struct calls_world *c, const struct pairs *p, struct requests_log *log, char **word, int n)
{
	const struct kernel_observer *o = requests_log_observers(log);
	char *dash;
	int64_t begin = strtoll(word[0], &dash, 10), end = strtoll(dash + 1, NULL, 10);
	assert_int_equal(*dash, '-');
	uint32_t task = task_of(c, (int32_t)strtol(word[1], NULL, 10));
	struct kernel_call call = { .object = KERNEL_NONE,
		.fd = (int32_t)strtol(word[3], NULL, 10) };
	call.name = mer_intern_add(&c->host.names, word[2], strlen(word[2]));
	call.id = kernel_call_id(word[2]);
	assert_int_not_equal(call.id, 0);
	call.object = name_of(c, p, task, call.fd, &call.end);
	call.kind = is_file(c, p, task, call.fd) ? KERNEL_OBJECT_FILE
		    : call.object == KERNEL_NONE ? KERNEL_OBJECT_EVENT
		    : strncmp(kernel_name_text(&c->host, call.object), "pipe#", 5) == 0
			    ? KERNEL_OBJECT_PIPE
			    : KERNEL_OBJECT_UNIX;
	struct kernel_call_end told = { .task = task,
		.call = kernel_add_call(&c->host, &call),
		.begin = begin * US,
		.end = end * US,
		.ret = n > 4 ? strtoll(word[4], NULL, 10) : 0,
		.kind = (uint16_t)kernel_call_kind_of(call.id) };
	assert_int_equal(o->call(o->ctx, &c->host, &told), 0);
}

static uint8_t find_state(const char *word)
{
	for (int s = 0; s < KERNEL_N_STATES; s++)
		if (strcmp(word, kernel_state_name((enum kernel_state)s)) == 0)
			return (uint8_t)s;
	fail_msg("no state %s", word);
	return 0;
}

/* The fourth word, if it is not an option. */
static uint8_t find_cause_in(char **words, int n)
{
	const char *word = n > 3 ? words[3] : "by";
	if (strcmp(word, "by") == 0 || strcmp(word, "cpu") == 0 || strcmp(word, "call") == 0)
		return KERNEL_NO_CAUSE;
	for (int s = 0; s < KERNEL_N_CAUSES; s++)
		if (strcmp(word, kernel_cause_name((enum kernel_cause)s)) == 0)
			return (uint8_t)s;
	fail_msg("no cause %s", word);
	return 0;
}

/* The number behind a word; -1: it is not there. */
static int32_t option(char **word, int n, const char *name)
{
	for (int i = 3; i + 1 < n; i++)
		if (strcmp(word[i], name) == 0)
			return (int32_t)strtol(word[i + 1], NULL, 10);
	return -1;
}

/* A call on the file "/f", or on a descriptor; KERNEL_NONE: none is named. */
static uint32_t call_named(
	struct calls_world *c, const struct pairs *p, uint32_t task, char **word, int n)
{
	int32_t fd = option(word, n, "fd");
	for (int i = 3; i + 1 < n; i++) {
		if (strcmp(word[i], "call") != 0)
			continue;
		struct kernel_call call = { .fd = 3, .kind = KERNEL_OBJECT_FILE };
		call.name = mer_intern_add(&c->host.names, word[i + 1], strlen(word[i + 1]));
		call.object = mer_intern_add(&c->host.names, "/f", 2);
		if (fd >= 0) {
			call.fd = fd;
			call.object = name_of(c, p, task, fd, &call.end);
			call.kind = KERNEL_OBJECT_UNIX;
		}
		call.id = kernel_call_id(word[i + 1]);
		return kernel_add_call(&c->host, &call);
	}
	return KERNEL_NONE;
}

static void add_disk(struct calls_world *c, char **word, int n)
{
	int64_t begin = strtoll(word[2], NULL, 10) * US;
	uint32_t task = task_of(c, (int32_t)strtol(word[1], NULL, 10));
	kernel_add_request(&c->host,
		&(struct kernel_request){ .insert = begin,
			.issue = begin,
			.complete = strtoll(word[3], NULL, 10) * US,
			.dev = 8 << 20,
			.bytes = n > 5 ? (uint32_t)strtoul(word[5], NULL, 10) : 4096,
			.by = KERNEL_NONE,
			.task = task,
			.flags = strcmp(word[4], "read") == 0 ? KERNEL_READ : KERNEL_WRITE });
}

/* What a task does from now on; its wait before is told to the log, with who ended it then. */
static void add_span(
	struct calls_world *c, const struct pairs *p, struct requests_log *log, char **word, int n)
{
	const struct kernel_observer *o = requests_log_observers(log);
	int64_t at = strtoll(word[0], NULL, 10) * US;
	uint32_t task = task_of(c, (int32_t)strtol(word[1], NULL, 10));
	int32_t by = option(word, n, "by"), cpu = option(word, n, "cpu"),
		source = option(word, n, "source");
	uint32_t last = c->host.tasks[task].last;
	struct kernel_span *was = kernel_span(&c->host, last);
	if (was->by != KERNEL_NONE) /* until now the number of a task */
		was->by = c->host.tasks[was->by].last;
	kernel_add_span(&c->host, &(struct kernel_span){ .begin = at,
					  .task = task,
					  .call = call_named(c, p, task, word, n),
					  .by = by >= 0 ? task_of(c, by) : KERNEL_NONE,
					  .source = source >= 0 ? (uint32_t)source : KERNEL_NONE,
					  .cpu = (uint16_t)(cpu >= 0 ? cpu : 0),
					  .state = find_state(word[2]),
					  .cause = find_cause_in(word, n) });
	assert_int_equal(o->span(o->ctx, &c->host, last, at), 0);
}

static void add_datagram(struct calls_world *c, char **word)
{
	int64_t time = strtoll(word[1], NULL, 10) * US;
	uint32_t task = task_of(c, (int32_t)strtol(word[2], NULL, 10));
	struct kernel_bridge *b = realloc(c->w.bridges, (c->w.n_bridges + 1) * sizeof(*b));
	assert_non_null(b);
	c->w.bridges = b;
	b[c->w.n_bridges++] =
		(struct kernel_bridge){ .from = { .time = time,
						.span = c->host.tasks[task].last,
						.endpoint = (uint32_t)strtoul(word[3], NULL, 10) },
			.to = { .time = time + 1,
				.span = KERNEL_NONE,
				.endpoint = (uint32_t)strtoul(word[4], NULL, 10) },
			.answers = KERNEL_NONE,
			.kind = SYNC_UDP,
			.content = SYNC_DATA };
}

void calls_world_open(struct calls_world *c, const char *text)
{
	struct requests_log *log;
	struct pairs pairs = { 0 };
	struct mer_err err = { 0 };
	memset(c, 0, sizeof(*c));
	kernel_host_init(&c->host);
	c->w.hosts = &c->host;
	c->w.n_hosts = 1;
	c->host.end = END_US * US;
	assert_int_equal(requests_log_new(1, NULL, &log, &err), 0);
	while (*text) {
		char line[200], *word[MAX_WORDS], *at = line;
		int n = 0;
		size_t len = strcspn(text, "\n");
		assert_true(len < sizeof(line));
		memcpy(line, text, len);
		line[len] = '\0';
		text += len + (text[len] == '\n');
		for (char *p; (p = strsep(&at, " \t")) != NULL && n < MAX_WORDS;)
			if (*p)
				word[n++] = p;
		if (n < 2)
			continue;
		if (strcmp(word[0], "pair") == 0) {
			assert_true(pairs.n < MAX_PAIRS);
			for (int k = 0; k < 2; k++) {
				pairs.ends[pairs.n][k] = end_of(word[1 + k]);
			}
			pairs.n++;
		} else if (strcmp(word[0], "thread") == 0) {
			uint32_t task = task_of(c, (int32_t)strtol(word[1], NULL, 10));
			c->host.tasks[task].pid = (int32_t)strtol(word[2], NULL, 10);
		} else if (strcmp(word[0], "born") == 0) {
			uint32_t task = add_task(c, (int32_t)strtol(word[1], NULL, 10),
				strtoll(word[2], NULL, 10) * US);
			if (n > 4) {
				uint32_t parent = task_of(c, (int32_t)strtol(word[4], NULL, 10));
				struct kernel_span *s =
					kernel_span(&c->host, c->host.tasks[task].last);
				s->state = KERNEL_NEW;
				s->by = parent;
			}
		} else if (strcmp(word[0], "kernel") == 0) {
			uint32_t task = task_of(c, (int32_t)strtol(word[1], NULL, 10));
			c->host.tasks[task].is_kernel = true;
			assert_int_equal(
				kernel_rename(&c->host, task, 0, word[2], strlen(word[2]), &err),
				0);
		} else if (strcmp(word[0], "datagram") == 0) {
			add_datagram(c, word);
		} else if (strcmp(word[0], "contradictions") == 0) {
			assert_true(n == 3);
			c->host.n_odd = strtoull(word[1], NULL, 10);
			c->host.n_events = strtoull(word[2], NULL, 10);
		} else if (strcmp(word[0], "file") == 0) {
			add_file(&pairs, word[1]);
		} else if (strcmp(word[0], "pipe") == 0) {
			assert_true(pairs.n_pipes < MAX_PAIRS);
			pairs.pipes[pairs.n_pipes][0] = end_of(word[1]);
			pairs.pipes[pairs.n_pipes++][1] = end_of(word[2]);
		} else if (strcmp(word[0], "unix") == 0) {
			add_unix(&pairs, word[1]);
		} else if (strcmp(word[0], "disk") == 0) {
			add_disk(c, word, n);
		} else if (strchr(word[0], '-')) {
			add_call(c, &pairs, log, word, n);
		} else {
			add_span(c, &pairs, log, word, n);
		}
	}
	for (uint32_t t = 0; t < c->host.n_tasks; t++) {
		struct kernel_span *s = kernel_span(&c->host, c->host.tasks[t].last);
		if (s->by != KERNEL_NONE)
			s->by = KERNEL_NONE; /* never ended */
	}
	assert_int_equal(requests_find(&c->w, log, &c->r, &err), 0);
	assert_int_equal(requests_parts_finder_new(c->r, &c->parts, &err), 0);
}

static int32_t read_tid(const char *text, char **end)
{
	if (*text != '?')
		return (int32_t)strtol(text, end, 10);
	*end = (char *)(uintptr_t)(text + 1);
	return -1;
}

void calls_world_own(struct calls_world *c, const char *text)
{
	struct analysis_whole_period all[MAX_PAIRS];
	struct analysis_periods p = { .all = all };
	struct mer_err err = { 0 };
	while (*text) {
		char *at;
		assert_true(p.n < MAX_PAIRS);
		struct analysis_whole_period *x = &all[p.n++];
		*x = (struct analysis_whole_period){ .begin = strtoll(text, &at, 10) * US };
		assert_int_equal(*at, '-');
		x->end = strtoll(at + 1, &at, 10) * US;
		x->from.tid = read_tid(at + 1, &at);
		assert_int_equal(*at, '>');
		x->to.tid = read_tid(at + 1, &at);
		text = at + (*at == '\n');
	}
	assert_int_equal(requests_add_own(c->r, &p, &err), 0);
	requests_parts_finder_free(c->parts);
	assert_int_equal(requests_parts_finder_new(c->r, &c->parts, &err), 0);
}

void calls_world_close(struct calls_world *c)
{
	requests_parts_finder_free(c->parts);
	requests_free(c->r);
	kernel_host_fini(&c->host);
	free(c->w.bridges);
}

static void put_tid(const struct calls_world *c, uint32_t task, struct mer_str *s)
{
	if (task == KERNEL_NONE)
		mer_str_putc(s, '?');
	else
		mer_str_printf(s, "%" PRId32, c->host.tasks[task].tid);
}

static void take(struct mer_str *s, char *text, size_t size)
{
	assert_false(s->failed);
	snprintf(text, size, "%s", s->data ? s->data : "");
	mer_str_fini(s);
}

void calls_world_text(const struct calls_world *c, char *text, size_t size)
{
	struct mer_str s = { 0 };
	char id[REQUESTS_ID_BYTES];
	for (uint32_t i = 0; i < c->r->n; i++) {
		const struct requests_exchange *x = &c->r->exchanges[i];
		requests_id_text(c->r, i, id);
		assert_int_equal(requests_by_id(c->r, id), i);
		mer_str_printf(&s, "%s%s ", i ? ", " : "", id);
		put_tid(c, x->client_task, &s);
		mer_str_putc(&s, '>');
		put_tid(c, x->server_task, &s);
		mer_str_printf(&s, " %" PRId64 "-%" PRId64, x->begin / US, x->end / US);
		if (x->n_messages > 1)
			mer_str_printf(&s, " x%" PRIu32, x->n_messages);
		if (x->is_damaged)
			mer_str_puts(&s, " damaged");
		if (!x->parent)
			continue;
		requests_id_text(c->r, x->parent - 1, id);
		mer_str_printf(&s, " of %s", id);
		if (x->confidence < 1)
			mer_str_printf(&s, " %.2f", (double)x->confidence);
	}
	take(&s, text, size);
}

void calls_world_parts(const struct calls_world *c, const char *id, char *text, size_t size)
{
	struct mer_str s = { 0 };
	struct requests_parts p = { 0 };
	struct mer_err err = { 0 };
	char other[REQUESTS_ID_BYTES];
	int64_t sum = 0;
	uint32_t i = requests_by_id(c->r, id);
	assert_int_not_equal(i, KERNEL_NONE);
	assert_int_equal(requests_parts_find(c->parts, i, &p, &err), 0);
	for (size_t k = 0; k < p.n; k++) {
		const struct requests_part *x = &p.item[k];
		assert_int_equal(x->begin, k ? p.item[k - 1].end : c->r->exchanges[i].begin);
		assert_true(x->end > x->begin);
		mer_str_puts(&s, k ? ", " : "");
		put_tid(c, x->task, &s);
		mer_str_printf(&s, " %s %" PRId64,
			requests_part_name((enum requests_part_kind)x->kind),
			(x->end - x->begin) / US);
		if (x->of) {
			requests_id_text(c->r, x->of - 1, other);
			mer_str_printf(&s, " for %s", other);
		}
		if (x->exchange != i) {
			requests_id_text(c->r, x->exchange, other);
			mer_str_printf(&s, " in %s", other);
		}
		sum += x->end - x->begin;
	}
	assert_int_equal(sum, c->r->exchanges[i].end - c->r->exchanges[i].begin);
	requests_parts_fini(&p);
	take(&s, text, size);
}

struct culprits_text {
	const struct calls_world *c;
	struct mer_str *s;
};

const char *calls_world_deed(enum requests_deed d)
{
	static const char *const names[REQUESTS_N_DEEDS] = { "cpu", "interrupt", "compute", "disk",
		"own-read", "own-write", "held", "helped", "connection", "served", "lost", "slept",
		"waited" };
	return d < REQUESTS_N_DEEDS ? names[d] : "?";
}

static bool put_culprit(void *ctx, const struct requests_culprit *u)
{
	const struct culprits_text *x = ctx;
	char id[REQUESTS_ID_BYTES];
	mer_str_puts(x->s, x->s->len ? ", " : "");
	if (u->task == KERNEL_NONE)
		mer_str_putc(x->s, '-');
	else
		put_tid(x->c, u->task, x->s);
	mer_str_printf(
		x->s, " %s %" PRId64, calls_world_deed((enum requests_deed)u->deed), u->ns / US);
	if (u->deed == REQUESTS_DEED_HELD || u->deed == REQUESTS_DEED_HELPED ||
		u->deed == REQUESTS_DEED_WAITED || u->deed == REQUESTS_DEED_CONNECTION ||
		(u->deed == REQUESTS_DEED_SERVED && u->meanwhile != PATH_RUNNING))
		mer_str_printf(x->s, " %s", path_cause_name((enum path_cause)u->meanwhile));
	else if (u->deed == REQUESTS_DEED_INTERRUPT)
		mer_str_printf(x->s, " %s %" PRIu32, kernel_cause_name((enum kernel_cause)u->cause),
			u->number);
	else if (u->is_slowing)
		mer_str_printf(x->s, " slowing %" PRIu64, u->bytes);
	else if (u->object != KERNEL_NONE && u->deed != REQUESTS_DEED_CONNECTION)
		mer_str_printf(x->s, " %s", kernel_name_text(&x->c->host, u->object));
	if (u->example != KERNEL_NONE && u->deed != REQUESTS_DEED_COMPUTE) {
		requests_id_text(x->c->r, u->example, id);
		mer_str_printf(x->s, " for %s", id);
	}
	if (u->via)
		mer_str_printf(x->s, " via %s", requests_via_name((enum requests_via)u->via));
	return true;
}

static void put_culprits(const struct calls_world *c, struct requests_parts_finder *f,
	uint32_t exchange, struct mer_str *s)
{
	struct requests_parts p = { 0 };
	struct requests_kinds kinds;
	struct requests_culprits *x;
	struct mer_err err = { 0 };
	struct culprits_text to = { c, s };
	assert_int_equal(requests_kinds_find(c->r, &kinds, &err), 0);
	assert_int_equal(requests_culprits_new(&kinds, f, &x, &err), 0);
	assert_int_equal(requests_parts_find_each(f, exchange, &p, &err), 0);
	for (size_t k = 0; k < p.n; k++)
		assert_true(requests_culprits_of(x, &p.item[k], put_culprit, &to));
	requests_parts_fini(&p);
	requests_culprits_free(x);
	requests_kinds_fini(&kinds);
}

/* The same with what is found of this request alone: who was behind it may be another one. */
void calls_world_culprits(const struct calls_world *c, const char *id, char *text, size_t size)
{
	struct mer_str s = { 0 }, alone = { 0 };
	struct requests_parts_finder *f;
	struct mer_err err = { 0 };
	uint32_t i = requests_by_id(c->r, id);
	assert_int_not_equal(i, KERNEL_NONE);
	put_culprits(c, c->parts, i, &s);
	assert_int_equal(requests_parts_finder_of(c->r, &i, 1, &f, &err), 0);
	put_culprits(c, f, i, &alone);
	requests_parts_finder_free(f);
	assert_string_equal(s.data ? s.data : "", alone.data ? alone.data : "");
	mer_str_fini(&alone);
	take(&s, text, size);
}

void calls_world_pieces(const struct calls_world *c, const char *id, char *text, size_t size)
{
	struct mer_str s = { 0 };
	struct requests_piece *p;
	struct mer_err err = { 0 };
	size_t n;
	uint32_t i = requests_by_id(c->r, id);
	assert_int_not_equal(i, KERNEL_NONE);
	assert_int_equal(requests_pieces_find(c->parts, c->r, i, &p, &n, &err), 0);
	for (size_t k = 0; k < n; k++) {
		assert_true(p[k].begin >= c->r->exchanges[i].begin);
		assert_true(p[k].end <= c->r->exchanges[i].end);
		assert_true(!k || p[k - 1].task != p[k].task || p[k - 1].end <= p[k].begin);
		mer_str_puts(&s, k ? ", " : "");
		put_tid(c, p[k].task, &s);
		mer_str_printf(&s, " %" PRId64 "-%" PRId64, p[k].begin / US, p[k].end / US);
		if (p[k].cpu != KERNEL_NO_CPU)
			mer_str_printf(&s, " cpu %u", (unsigned)p[k].cpu);
	}
	free(p);
	take(&s, text, size);
}

enum { MAX_COSTS = 64 };
struct costs {
	struct requests_charge item[MAX_COSTS]; /* each request and task once */
	size_t n;
};

static bool add_charge(void *ctx, const struct requests_charge *x)
{
	struct costs *all = ctx;
	size_t i = 0;
	while (i < all->n && (all->item[i].exchange != x->exchange || all->item[i].task != x->task))
		i++;
	assert_true(i < MAX_COSTS);
	if (i == all->n)
		all->item[all->n++] =
			(struct requests_charge){ .task = x->task, .exchange = x->exchange };
	requests_cost_add(&all->item[i].cost, &x->cost);
	return true;
}

/* Those for none at the end. */
static int by_request(const void *a, const void *b)
{
	const struct requests_charge *p = a, *q = b;
	if (p->exchange != q->exchange)
		return p->exchange - 1 < q->exchange - 1 ? -1 : 1;
	return (p->task > q->task) - (p->task < q->task);
}

void calls_world_costs(const struct calls_world *c, int64_t until_us, char *text, size_t size)
{
	struct mer_str s = { 0 };
	struct costs all = { 0 };
	struct mer_err err = { 0 };
	char id[REQUESTS_ID_BYTES];
	assert_int_equal(
		requests_charge(c->parts, c->r, NULL, 0, until_us * US, add_charge, &all, &err), 0);
	qsort(all.item, all.n, sizeof(*all.item), by_request);
	for (size_t i = 0; i < all.n; i++) {
		const struct requests_charge *x = &all.item[i];
		if (x->exchange)
			requests_id_text(c->r, x->exchange - 1, id);
		mer_str_printf(&s, "%s%s ", i ? ", " : "", x->exchange ? id : "-");
		put_tid(c, x->task, &s);
		mer_str_printf(&s, " %" PRId64, x->cost.cpu_ns / US);
	}
	take(&s, text, size);
}

void calls_world_account(const struct calls_world *c, const char *id, char *text, size_t size)
{
	struct mer_str s = { 0 };
	struct account a;
	struct mer_err err = { 0 };
	uint32_t exchange = requests_by_id(c->r, id);
	assert_int_not_equal(exchange, KERNEL_NONE);
	assert_int_equal(requests_account(c->parts, c->r, NULL, exchange, &a, &err), 0);
	for (uint32_t i = 0; i < a.n; i++) {
		const struct account_node *n = &a.nodes[i];
		mer_str_puts(&s, i ? ", " : "");
		put_tid(c, n->task, &s);
		mer_str_printf(&s, " self %" PRId64 " below %" PRId64, n->self_ns / US,
			n->children_ns / US);
		if (i)
			mer_str_puts(&s, " of ");
		if (i)
			put_tid(c, a.nodes[n->parent].task, &s);
		if (i && n->n_served)
			mer_str_printf(&s, " x%" PRIu64, n->n_served);
	}
	account_fini(&a);
	take(&s, text, size);
}
