/* Windows: a world that begins at a checkpoint says the same about its part of the time as one for
 * which everything was read. On recordings of real machines, for random windows and tasks: the
 * path, to the nanosecond, with all names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "given.h"
#include "kernel/checkpoint/checkpoint.h"
#include "path/path.h"
#include "sync/auto.h"

static uint64_t seed = 1;

static uint64_t draw(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

struct recording {
	struct mer_experiment *e;
	struct sync_result *r;
	struct kernel_world *whole;
	struct kernel_checkpoints *from;
	size_t n_windows, n_differ, n_far;
	int64_t read, asked;
};

static const struct kernel_checkpoint_key key = { { 1, 2 } };

static void open_recording(struct recording *x, const char *name, char *file)
{
	char path[4096];
	struct mer_err err = { 0 };
	struct sync_messages messages = { 0 };
	struct sync_gather_options gather = { .keep_streams = true };
	struct kernel_keeper *keeper;
	given_path(path, sizeof(path), name);
	const char *paths[] = { path };
	*x = (struct recording){ 0 };
	assert_int_equal(mer_experiment_open(paths, 1, NULL, &x->e, &err), 0);
	assert_int_equal(sync_gather(x->e, &gather, &messages, &err), 0);
	if (x->e->n_hosts > 1) {
		struct mer_arena arena;
		struct sync_options o = { .no_lines = true };
		mer_arena_init(&arena);
		struct sync_host_info *hosts = sync_host_infos(x->e, &arena);
		assert_int_equal(sync_solve(&messages, hosts, x->e->n_hosts, &o, &x->r, &err), 0);
		assert_int_equal(sync_apply(x->e, x->r, &err), 0);
		mer_arena_fini(&arena);
	}
	assert_int_equal(kernel_keeper_new(x->e, 40, &keeper, &err), 0);
	struct kernel_world_options o = { .n_threads = 2, .keeper = keeper };
	assert_int_equal(kernel_world_build(x->e, &messages, x->r, &o, &x->whole, &err), 0);
	if (kernel_keeper_save(keeper, x->whole, &key, file)) {
		x->from = kernel_checkpoints_open(file, &key, x->e);
		assert_non_null(x->from);
	}
	kernel_keeper_free(keeper);
	sync_messages_free(&messages);
}

static void close_recording(struct recording *x)
{
	kernel_checkpoints_free(x->from);
	kernel_world_free(x->whole);
	sync_result_free(x->r);
	mer_experiment_free(x->e);
}

static void complain(
	struct recording *x, const char *what, const struct path *a, const struct path *b, size_t i)
{
	if (++x->n_differ > 5)
		return;
	const struct kernel_host *h = &x->whole->hosts[a->host];
	fprintf(stderr, "%s: host %u task %d (%s) [+%lld, +%lld): segment %zu of %zu and %zu\n",
		what, a->host, (int)h->tasks[a->task].tid, kernel_comm(h, a->task),
		(long long)(a->begin - x->e->begin), (long long)(a->end - x->e->begin), i,
		a->n_segments, b->n_segments);
	for (int k = 0; k < 2; k++) {
		const struct path *p = k ? b : a;
		const struct path_segment *s = &p->segments[i];
		if (i < p->n_segments)
			fprintf(stderr,
				"  [+%lld, +%lld) host %u tid %d cause %s state %s cpu %d depth %u "
				"flight %d\n",
				(long long)(s->begin - x->e->begin),
				(long long)(s->end - x->e->begin), s->host,
				s->task == KERNEL_NONE
					? -1
					: (int)p->world->hosts[s->host].tasks[s->task].tid,
				path_cause_name((enum path_cause)s->cause),
				kernel_state_name((enum kernel_state)s->state), s->cpu, s->depth,
				s->in_flight);
	}
}

static const char *call_text(
	const struct path *p, const struct path_segment *s, char *text, size_t n)
{
	const struct kernel_host *h = &p->world->hosts[s->host];
	const struct kernel_call *c = s->call == KERNEL_NONE ? NULL : &h->calls[s->call];
	snprintf(text, n, "%s %s %d %d", c ? kernel_name_text(h, c->name) : "",
		c ? kernel_name_text(h, c->object) : "", c ? c->fd : 0, c ? c->kind : 0);
	return text;
}

static bool same_packet(const struct path *a, uint32_t x, const struct path *b, uint32_t y)
{
	if (x == KERNEL_NONE || y == KERNEL_NONE)
		return x == y;
	const struct kernel_bridge *p = &a->world->bridges[x], *q = &b->world->bridges[y];
	return p->from.time == q->from.time && p->to.time == q->to.time &&
	       p->from.host == q->from.host && p->from.endpoint == q->from.endpoint &&
	       p->to.endpoint == q->to.endpoint;
}

static bool same_segment(const struct path *a, const struct path_segment *s, const struct path *b,
	const struct path_segment *t)
{
	char x[9000], y[9000];
	const struct kernel_host *h = &a->world->hosts[s->host], *k = &b->world->hosts[t->host];
	if (s->begin != t->begin || s->end != t->end || s->host != t->host || s->task != t->task ||
		s->depth != t->depth || s->state != t->state || s->cause != t->cause ||
		s->by_cause != t->by_cause || s->in_flight != t->in_flight ||
		s->delivery != t->delivery || s->held != t->held || s->cpu != t->cpu)
		return false;
	if (strcmp(call_text(a, s, x, sizeof(x)), call_text(b, t, y, sizeof(y))) != 0)
		return false;
	if (s->task != KERNEL_NONE && strcmp(kernel_comm(h, s->task), kernel_comm(k, t->task)) != 0)
		return false;
	if ((s->by == KERNEL_NONE) != (t->by == KERNEL_NONE) ||
		(s->by != KERNEL_NONE &&
			kernel_span(h, s->by)->task != kernel_span(k, t->by)->task))
		return false;
	if (s->cause == PATH_NETWORK)
		return same_packet(a, s->source, b, t->source);
	if (s->cause == PATH_DISK && s->source != KERNEL_NONE)
		return t->source != KERNEL_NONE &&
		       h->requests[s->source].sector == k->requests[t->source].sector &&
		       h->requests[s->source].bytes == k->requests[t->source].bytes;
	return s->source == t->source;
}

static void compare(struct recording *x, const struct path *a, const struct path *b)
{
	size_t i = 0;
	while (i < a->n_segments && i < b->n_segments &&
		same_segment(a, &a->segments[i], b, &b->segments[i]))
		i++;
	if (i < a->n_segments || i < b->n_segments || a->n_links != b->n_links ||
		memcmp(a->by_cause, b->by_cause, sizeof(a->by_cause)) != 0 ||
		a->unresolved_ns != b->unresolved_ns ||
		a->n_unresolved_remote != b->n_unresolved_remote)
		complain(x, "paths differ", a, b, i);
}

static void try_window(
	struct recording *x, uint32_t host, uint32_t task, int64_t begin, int64_t end)
{
	struct mer_err err = { 0 };
	struct path whole, part;
	assert_int_equal(path_find(x->whole, host, task, begin, end, &whole, &err), 0);
	int64_t more = end - begin > 10000000 ? end - begin : 10000000, until = end + more;
	for (bool is_open = true; is_open; more *= 2) {
		if (until > x->e->end)
			until = INT64_MAX;
		struct kernel_world *w;
		struct kernel_window window = { .from = x->from, .begin = begin, .until = until };
		struct kernel_world_options o = { .n_threads = 2, .window = &window };
		int rc = kernel_world_build(x->e, NULL, x->r, &o, &w, &err);
		if (rc)
			fail_msg("%s", err.text);
		assert_int_equal(w->hosts[host].n_tasks, x->whole->hosts[host].n_tasks);
		rc = path_find(w, host, task, begin, end, &part, &err);
		if (rc)
			fail_msg("%s", err.text);
		is_open = part.is_open;
		if (!is_open)
			compare(x, &whole, &part);
		if (!is_open && until == INT64_MAX)
			x->n_far++;
		path_fini(&part);
		kernel_world_free(w);
		assert_true(!is_open || until != INT64_MAX);
		until = until == INT64_MAX || until > INT64_MAX - more ? INT64_MAX : until + more;
	}
	x->n_windows++;
	path_fini(&whole);
}

/* Windows that differed, so rarely that no random one is them. */
static const struct {
	const char *name;
	int32_t tid;
	int64_t begin, end;
} known[] = {
	/* Blocked and unknown in turn, which is known at the end of the recording alone. */
	{ "lab/lost-events", 181, 1795227652554000000, 1795227654603282540 },
	{ "lab/lost-events", 181, 1795227654300000000, 1795227654603282540 },
};

static void try_known(struct recording *x, const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const struct kernel_host *h = &x->whole->hosts[0];
		uint32_t task = 0;
		if (strcmp(known[i].name, name) != 0)
			continue;
		while (task < h->n_tasks && h->tasks[task].tid != known[i].tid)
			task++;
		assert_true(task < h->n_tasks);
		try_window(x, 0, task, known[i].begin, known[i].end);
	}
}

static void try_recording(const char *name, size_t n)
{
	struct recording x;
	char file[] = "/tmp/test_windows.XXXXXX";
	int fd = mkstemp(file);
	assert_true(fd >= 0);
	close(fd);
	open_recording(&x, name, file);
	if (x.from)
		try_known(&x, name);
	int64_t length = x.e->end - x.e->begin;
	for (size_t i = 0; x.from && i < n; i++) {
		uint32_t host = (uint32_t)draw(x.e->n_hosts);
		const struct kernel_host *h = &x.whole->hosts[host];
		if (!h->n_tasks)
			continue;
		int64_t width = length / (int64_t)(10 + draw(500)) + 1;
		int64_t begin = x.e->begin + (int64_t)draw((uint64_t)(length - width) + 1);
		/* One that does something then, if there is one soon. */
		uint32_t task = (uint32_t)draw(h->n_tasks);
		for (uint32_t k = 0; k < h->n_tasks; k++, task = (task + 1) % h->n_tasks) {
			uint32_t s = kernel_span_at(h, task, begin + width, KERNEL_NONE);
			if (h->tasks[task].end > begin && h->tasks[task].died > begin &&
				h->tasks[task].begin < begin + width &&
				(i % 4 == 0 ||
					(s != KERNEL_NONE && kernel_span(h, s)->begin >= begin)))
				break;
		}
		if (h->tasks[task].begin < begin + width && h->tasks[task].end > begin &&
			h->tasks[task].died > begin)
			try_window(&x, host, task, begin, begin + width);
	}
	printf("%s: %zu windows%s, %zu differences, %zu read to the end\n", name, x.n_windows,
		x.from ? "" : " (no checkpoints are kept)", x.n_differ, x.n_far);
	size_t n_differ = x.n_differ;
	close_recording(&x);
	unlink(file);
	assert_int_equal(n_differ, 0);
}

static void paths_are_the_same(void **state)
{
	(void)state;
	static const char *const names[] = { "clihog-srvhog-1vm", "cluster-10", "cpu-mem-io",
		"ipc-zoo", "kvm-nested", "login-tree", "long-ntp", "lost-events", "lost-packets",
		"mpi-3vm", "netns-containers", "reader-zoo", "swap", "threadirqs", "web-load",
		"web-lossy", "wget-cold-hot-nogro" };
	const char *only = getenv("ONLY"), *many = getenv("WINDOWS");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i += GIVEN_EVERY(8)) {
		char name[100];
		snprintf(name, sizeof(name), "lab/%s", names[i]);
		if (!only || strstr(name, only))
			try_recording(name, many ? (size_t)atoi(many) : 10);
	}
}

/* ---- damage ---- */

static uint8_t *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*n = (size_t)ftell(f);
	rewind(f);
	uint8_t *bytes = malloc(*n);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *n, f), *n);
	fclose(f);
	return bytes;
}

static void write_file(const char *path, const uint8_t *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

/* Where the file has its hash, and where what is hashed begins (checkpoint/keep.h). */
enum { HASH_AT = 40, BODY_AT = 64 };

/* Whatever a file says whose hash is right: it is refused, or a world is made of it; nothing is
 * read or written that is not there (which the sanitizers see). */
static void damage_is_survived(void **state)
{
	struct recording x;
	char file[] = "/tmp/test_windows.XXXXXX";
	const char *many = getenv("DAMAGES");
	size_t n, n_open = 0, n_built = 0, tries = many ? (size_t)atoi(many) : 200;
	int fd = mkstemp(file);
	(void)state;
	assert_true(fd >= 0);
	close(fd);
	open_recording(&x, "lab/reader-zoo", file);
	assert_non_null(x.from);
	kernel_checkpoints_free(x.from);
	uint8_t *sound = read_file(file, &n), *bytes = malloc(n);
	assert_non_null(bytes);
	for (size_t i = 0; i < tries; i++) {
		memcpy(bytes, sound, n);
		for (uint64_t k = 1 + draw(4); k > 0; k--)
			bytes[BODY_AT + draw(n - BODY_AT)] = (uint8_t)draw(256);
		uint64_t hash = mer_hash(bytes + BODY_AT, n - BODY_AT);
		if (i % 8) /* else the hash is wrong, too */
			memcpy(bytes + HASH_AT, &hash, sizeof(hash));
		write_file(file, bytes, n);
		x.from = kernel_checkpoints_open(file, &key, x.e);
		assert_true(i % 8 || !x.from);
		n_open += x.from != NULL;
		for (int told = 0; told < 2 && x.from; told++) {
			struct mer_err err = { 0 };
			struct kernel_world *w;
			int64_t length = x.e->end - x.e->begin;
			int64_t begin = x.e->begin + (int64_t)draw((uint64_t)length);
			struct kernel_window window = { .from = x.from,
				.begin = begin,
				.until = begin + length / 100,
				.is_told = told };
			struct kernel_world_options o = { .n_threads = 1, .window = &window };
			if (kernel_world_build(x.e, NULL, x.r, &o, &w, &err) == 0) {
				n_built++;
				kernel_world_free(w);
			}
		}
		kernel_checkpoints_free(x.from);
	}
	printf("%zu damaged files, %zu opened, %zu worlds made of them\n", tries, n_open, n_built);
	x.from = NULL;
	free(bytes);
	free(sound);
	close_recording(&x);
	unlink(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(paths_are_the_same),
		cmocka_unit_test(damage_is_survived) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
