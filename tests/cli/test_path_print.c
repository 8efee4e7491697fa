/* Printing of paths: random ones with hostile names. Every segment is in exactly one line, whatever
 * is folded; no form lets a name steer it; what is saved and read back is the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/json_read.h"
#include "ask/path/diff.h"
#include "ask/path/path_answer.h"
#include "ask/path/path_print.h"
#include "ask/path/path_words.h"
#include "ask/print/text.h"
#include "kernel/files/files.h"

enum { HOSTS = 3, TASKS = 7, CASES = 150 };

static uint64_t seed;

static uint64_t number(uint64_t below)
{
	uint64_t z = seed += 0x9E3779B97F4A7C15u;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return (z ^ (z >> 31)) % below;
}

/* ---- A world and a path in it ---- */

struct made {
	struct ask ask;
	struct mer_experiment e;
	struct mer_host hosts[HOSTS];
	struct kernel_host kernel[HOSTS];
	struct kernel_world world;
	struct kernel_bridge packets[4];
	struct session_world w;
	struct path p;
	struct ask_path c;
};

static const char *const names[] = { "wget", "a;b c", "\033[31mred", "ev\"il\\", "line\nend", "",
	"\xff\xfe", "kworker/u4:1", "a name that is much longer than any column has room for" };
static const char *const host_names[HOSTS] = { "client", "ser;ver \"x\"\n\033[2J", "h\\" };

static void make_host(struct kernel_host *h)
{
	struct mer_err err;
	kernel_host_init(h);
	for (uint32_t t = 0; t < TASKS; t++) {
		const char *name = names[number(sizeof(names) / sizeof(names[0]))];
		uint32_t task = kernel_add_task(h, (int32_t)(100 + t), 0);
		assert_int_equal(task, t);
		h->tasks[task].pid = 100;
		h->tasks[task].end = INT64_MAX / 2;
		h->tasks[task].died = INT64_MAX;
		if (number(5))
			assert_int_equal(kernel_rename(h, task, 0, name, strlen(name), &err), 0);
		struct kernel_span s = { .task = task, .call = KERNEL_NONE, .by = KERNEL_NONE };
		assert_int_not_equal(kernel_add_span(h, &s), KERNEL_NONE);
	}
	struct kernel_call call = { .fd = 3, .object = KERNEL_NONE };
	call.name = mer_intern_add(&h->names, "read", 4);
	kernel_add_call(h, &call);
	call.object = mer_intern_add(&h->names, "10.0.0.2:80\n\033[1m", 16);
	kernel_add_call(h, &call);
}

/* Any path whose segments are contiguous, with a link for each change of task. */
static void make_path(struct made *m, size_t n)
{
	struct path *p = &m->p;
	*p = (struct path){ .world = &m->world, .host = 0, .task = 0, .begin = 1000000000 };
	p->segments = calloc(n + 1, sizeof(*p->segments));
	p->links = calloc(n + 1, sizeof(*p->links));
	int64_t at = p->begin;
	uint32_t depth = 0;
	for (size_t i = 0; i < n; i++) {
		struct path_segment *s = &p->segments[p->n_segments++], *before = s - 1;
		*s = (struct path_segment){ .begin = at,
			.call = KERNEL_NONE,
			.by = KERNEL_NONE,
			.source = KERNEL_NONE,
			.span = KERNEL_NONE,
			.cpu = KERNEL_NO_CPU };
		at += 1 + (int64_t)number(number(4) ? 5000 : 50000000);
		s->end = at;
		if (i && number(3)) {
			s->host = before->host;
			s->task = before->task;
		} else {
			depth = (uint32_t)number(depth + 2);
			s->host = (uint32_t)number(HOSTS);
			s->task = number(12) ? (uint32_t)number(TASKS) : KERNEL_NONE;
		}
		s->depth = depth;
		s->cause = (uint8_t)number(PATH_N_CAUSES);
		s->state = (uint8_t)number(KERNEL_N_STATES);
		s->by_cause = (uint8_t)number(KERNEL_N_CAUSES);
		s->in_flight = s->cause == PATH_NETWORK && number(2);
		s->source = number(2) ? (uint32_t)number(12) : KERNEL_NONE;
		if (s->cause == PATH_RUNNABLE && number(2))
			s->by = (uint32_t)number(TASKS);
		if (number(2))
			s->call = (uint32_t)number(2);
		p->by_cause[s->cause] += s->end - s->begin;
		p->in_flight_ns += s->in_flight ? s->end - s->begin : 0;
		if (i && (s->host != before->host || s->task != before->task))
			p->links[p->n_links++] =
				(struct path_link){ before->host, before->task, s->host, s->task,
					s->begin, s->begin, (uint8_t)number(6), KERNEL_NONE };
	}
	p->end = at;
}

static void make(struct made *m, uint64_t number_of_case, size_t n)
{
	seed = number_of_case;
	memset(m, 0, sizeof(*m));
	mer_arena_init(&m->ask.arena);
	m->world = (struct kernel_world){ .e = &m->e,
		.hosts = m->kernel,
		.n_hosts = HOSTS,
		.bridges = m->packets,
		.n_bridges = 4 };
	m->e.hosts = m->hosts;
	m->e.n_hosts = HOSTS;
	for (uint32_t h = 0; h < HOSTS; h++) {
		m->hosts[h].name = host_names[h];
		make_host(&m->kernel[h]);
	}
	m->packets[1].to.host = 1;
	make_path(m, n);
	m->w = (struct session_world){ .e = &m->e, .world = &m->world };
	m->c = (struct ask_path){
		.ask = &m->ask, .w = &m->w, .p = &m->p, .collapse_ns = ASK_COLLAPSE_AUTO
	};
}

static void drop(struct made *m)
{
	for (uint32_t h = 0; h < HOSTS; h++)
		kernel_host_fini(&m->kernel[h]);
	free(m->p.segments);
	free(m->p.links);
	mer_arena_fini(&m->ask.arena);
}

/* ---- What a text may have in it ---- */

static void assert_clean(const struct mer_str *s)
{
	assert_false(s->failed);
	for (size_t i = 0; i < s->len; i++)
		assert_true((unsigned char)s->data[i] >= 0x20 || s->data[i] == '\n' ||
			    s->data[i] == '\t');
}

static size_t count_lines(const struct mer_str *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->len; i++)
		n += s->data[i] == '\n';
	return n;
}

/* Of all lines of the list how many segments they say that they are. */
static size_t count_pieces(const struct mer_str *list, size_t *lines)
{
	size_t pieces = 0, n = 0;
	char *copy = strdup(list->data ? list->data : ""), *rest = copy;
	for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
		if (line[0] == '\0' || strstr(line, "At (s)"))
			continue;
		if (strstr(line, "pieces shorter") || strstr(line, "--collapse") ||
			strstr(line, "... and "))
			break;
		char *word = strstr(line, " pieces");
		size_t of_line = 1;
		if (word) {
			while (word > line && word[-1] >= '0' && word[-1] <= '9')
				word--;
			of_line = strtoul(word, NULL, 10);
		}
		pieces += of_line;
		n++;
	}
	free(copy);
	*lines = n;
	return pieces;
}

/* ---- The tests ---- */

static void every_segment_is_in_one_line(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < CASES; i++) {
		struct made m;
		make(&m, i, 1 + (size_t)(i * 7 % 400));
		static const int64_t thresholds[] = { ASK_COLLAPSE_AUTO, 0, 10000, 3000000,
			INT64_MAX };
		for (size_t k = 0; k < sizeof(thresholds) / sizeof(thresholds[0]); k++) {
			struct mer_str out = { 0 };
			size_t lines;
			m.c.collapse_ns = thresholds[k];
			m.ask.width = 900;
			assert_int_equal(ask_path_list(&m.c, &out), 0);
			assert_clean(&out);
			assert_int_equal(count_pieces(&out, &lines), m.p.n_segments);
			if (thresholds[k] == 0)
				assert_int_equal(lines, m.p.n_segments);
			if (thresholds[k] == INT64_MAX)
				assert_int_equal(lines, 1);
			if (thresholds[k] == ASK_COLLAPSE_AUTO)
				assert_true(lines <= 36);
			mer_str_fini(&out);
		}
		drop(&m);
	}
}

static void text_fits_and_is_clean(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < CASES; i++) {
		struct made m;
		struct mer_str out = { 0 };
		make(&m, i, (size_t)(i * 5 % 300));
		m.ask.width = 80;
		assert_int_equal(ask_path_text(&m.c, &out), 0);
		assert_clean(&out);
		char *rest = out.data;
		size_t n = 0;
		for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"), n++)
			/* The title has the names as they are; long words are not broken. */
			if (n > 3 && ask_text_width(line, strlen(line)) > 80)
				fail_msg("case %d, too wide: %s", (int)i, line);
		mer_str_fini(&out);
		/* Limited. */
		m.c.limit = 3;
		if (m.p.n_segments > 10) {
			assert_int_equal(ask_path_list(&m.c, &out), 0);
			assert_true(count_lines(&out) < 10);
		}
		mer_str_fini(&out);
		drop(&m);
	}
}

/* Stacks: the sum is the whole, every line is "frames number", and begins with the path's task. */
static void folded_sums(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < CASES; i++) {
		struct made m;
		struct mer_str out = { 0 };
		int64_t sum = 0;
		make(&m, i, 1 + (size_t)(i * 5 % 300));
		assert_int_equal(ask_path_folded(&m.c, &out), 0);
		assert_clean(&out);
		char *rest = out.data;
		for (char *line = strsep(&rest, "\n"); line && *line; line = strsep(&rest, "\n")) {
			char *space = strrchr(line, ' ');
			assert_non_null(space);
			sum += strtoll(space + 1, NULL, 10);
			assert_memory_equal(line, "client;", 7);
			assert_non_null(strchr(line + 7, ';'));
		}
		assert_int_equal(sum, m.p.end - m.p.begin);
		mer_str_fini(&out);
		drop(&m);
	}
}

static const struct mer_json_value *member(const struct mer_json_value *v, const char *key)
{
	const struct mer_json_member *found = mer_json_member(v, key);
	assert_non_null(found);
	return &found->value;
}

static void read_json(const struct mer_str *text, struct mer_arena *arena, struct mer_json_value *v)
{
	struct mer_json_reader r;
	mer_json_reader_init(&r, text->data, text->len, arena);
	if (mer_json_read(&r, v))
		fail_msg("no JSON at %zu: %s", r.err_at, r.err);
	mer_json_reader_fini(&r);
}

/* Frames are closed in the reverse order of their opening, at times that do not go back. */
static void speedscope_nests(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < CASES; i++) {
		struct made m;
		struct mer_str out = { 0 };
		struct mer_json_value root;
		make(&m, i, (size_t)(i * 5 % 300));
		assert_int_equal(ask_path_speedscope(&m.c, &out), 0);
		read_json(&out, &m.ask.arena, &root);
		uint32_t n_frames = member(member(&root, "shared"), "frames")->n;
		const struct mer_json_value *profile = member(&root, "profiles")->u.items;
		const struct mer_json_value *events = member(profile, "events");
		const struct mer_json_value *frames = member(member(&root, "shared"), "frames");
		uint64_t stack[512], depth = 0, at = 0;
		int64_t own[PATH_N_CAUSES + 1] = { 0 }; /* time on top of the stack */
		for (uint32_t k = 0; k < events->n; k++) {
			const struct mer_json_value *event = &events->u.items[k];
			uint64_t frame = member(event, "frame")->u.number;
			assert_true(frame < n_frames);
			uint64_t now = member(event, "at")->u.number;
			assert_true(now >= at);
			for (unsigned c = 0; now > at && c <= PATH_N_CAUSES; c++)
				if (mer_json_is(member(&frames->u.items[stack[depth - 1]], "name"),
					    c < PATH_N_CAUSES ? path_cause_name((enum path_cause)c)
							      : "network in flight"))
					own[c] += (int64_t)(now - at);
			at = now;
			if (mer_json_is(member(event, "type"), "O")) {
				assert_true(depth < 512);
				stack[depth++] = frame;
			} else {
				assert_true(depth > 0);
				assert_int_equal(stack[--depth], frame);
			}
		}
		assert_int_equal(depth, 0);
		assert_int_equal(at, m.p.end - m.p.begin);
		assert_int_equal(own[PATH_N_CAUSES], m.p.in_flight_ns);
		own[PATH_NETWORK] += m.p.in_flight_ns;
		for (unsigned c = 0; c < PATH_N_CAUSES; c++)
			assert_int_equal(own[c], m.p.by_cause[c]);
		mer_str_fini(&out);
		drop(&m);
	}
}

/* Quotes come in pairs on each line, braces match outside of them. */
static void dot_is_quoted(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < CASES; i++) {
		struct made m;
		struct mer_str out = { 0 };
		int depth = 0;
		bool quoted = false;
		make(&m, i, (size_t)(i * 5 % 300));
		assert_int_equal(ask_path_dot(&m.c, &out), 0);
		assert_clean(&out);
		for (size_t k = 0; k < out.len; k++) {
			char c = out.data[k];
			if (c == '\\' && quoted)
				k++;
			else if (c == '"')
				quoted = !quoted;
			else if (c == '\n')
				assert_false(quoted);
			else if (!quoted)
				depth += (c == '{') - (c == '}');
		}
		assert_int_equal(depth, 0);
		mer_str_fini(&out);
		drop(&m);
	}
}

static int as_json(struct made *m, struct mer_str *out)
{
	struct answer a;
	struct ask_path_answer x;
	answer_init(&a, NULL);
	int rc = ask_path_answer(&m->c, &x, &a);
	if (!rc)
		rc = answer_json(&a, 0, a.n, out, NULL, &m->ask.err);
	answer_fini(&a);
	return rc;
}

/* Saved and read back, a path has the same parts. */
static void json_reads_back(void **state)
{
	(void)state;
	char path[] = "/tmp/path-print-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	for (uint64_t i = 0; i < CASES; i++) {
		struct made m;
		struct mer_str out = { 0 };
		struct ask_side side;
		struct path_profile own;
		struct path_diff_row *rows;
		size_t n;
		make(&m, i, (size_t)(i * 5 % 300));
		assert_int_equal(as_json(&m, &out), 0);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, out.data, out.len, 0), (ssize_t)out.len);
		if (ask_diff_read(&m.ask, path, &side))
			fail_msg("case %d: %s", (int)i, m.ask.err.text);
		assert_int_equal(side.begin, m.p.begin);
		assert_int_equal(side.end, m.p.end);
		assert_int_equal(path_profile_of(&own, &m.p, &m.ask.err), 0);
		assert_int_equal(own.total_ns, m.p.end - m.p.begin);
		assert_int_equal(side.profile.total_ns, own.total_ns);
		/* By cause and host; names that are no UTF-8 are others when they are read back. */
		for (int by = PATH_DIFF_BY_CAUSE; by <= PATH_DIFF_BY_HOST; by++) {
			assert_int_equal(path_diff(&own, &side.profile, (enum path_diff_by)by,
						 &rows, &n, &m.ask.err),
				0);
			for (size_t k = 0; k < n; k++)
				assert_int_equal(rows[k].a_ns, rows[k].b_ns);
			free(rows);
		}
		path_profile_fini(&own);
		path_profile_fini(&side.profile);
		mer_str_fini(&out);
		drop(&m);
	}
	close(fd);
	unlink(path);
}

/* A saved path that was cut or changed anywhere is refused or read, and nothing worse. */
static void damaged_json(void **state)
{
	(void)state;
	char path[] = "/tmp/path-print-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	struct made m;
	struct mer_str out = { 0 };
	size_t refused = 0;
	make(&m, 3, 8);
	assert_int_equal(as_json(&m, &out), 0);
	for (size_t i = 0; i < out.len; i++) {
		for (int how = 0; how < 2; how++) {
			char *copy = malloc(out.len);
			struct ask_side side;
			memcpy(copy, out.data, out.len);
			if (how)
				copy[i] = (char)(copy[i] ^ (1 << (i % 7)));
			size_t len = how ? out.len : i;
			assert_int_equal(ftruncate(fd, 0), 0);
			assert_int_equal(pwrite(fd, copy, len, 0), (ssize_t)len);
			int rc = ask_diff_read(&m.ask, path, &side);
			assert_true(rc <= 0);
			refused += rc != 0;
			if (!rc)
				assert_int_equal(side.profile.total_ns, side.end - side.begin);
			path_profile_fini(&side.profile);
			free(copy);
		}
	}
	assert_true(refused > out.len); /* all that were cut, and some */
	mer_str_fini(&out);
	drop(&m);
	close(fd);
	unlink(path);
}

/* Who waits for a segment is the next one that is less deep: checked against looking for it. */
static void waiters(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < CASES; i++) {
		struct made m;
		make(&m, i, (size_t)(i * 5 % 300));
		size_t *w = ask_path_waiters(&m.p);
		for (size_t k = 0; k < m.p.n_segments; k++) {
			size_t next = k + 1;
			while (next < m.p.n_segments &&
				m.p.segments[next].depth >= m.p.segments[k].depth)
				next++;
			assert_true(w[k] == (next < m.p.n_segments ? next : SIZE_MAX));
		}
		free(w);
		drop(&m);
	}
}

static void assert_sentence(struct made *m, const char *sentence, const char *detail)
{
	struct mer_str s = { 0 }, d = { 0 };
	path_put_sentence(&m->p, &m->p.segments[0], &s);
	path_put_detail(&m->p, &m->p.segments[0], &d);
	assert_string_equal(s.data, sentence);
	assert_string_equal(d.data ? d.data : "", detail);
	mer_str_fini(&s);
	mer_str_fini(&d);
}

static void sentences(void **state)
{
	struct made m;
	struct mer_err err;
	(void)state;
	make(&m, 1, 1);
	struct kernel_host *h = &m.kernel[0];
	struct path_segment *s = &m.p.segments[0];
	kernel_rename(h, 1, 0, "python3", 7, &err);
	struct kernel_call call = { .fd = 5, .kind = KERNEL_OBJECT_SOCKET };
	call.name = mer_intern_add(&h->names, "recvfrom", 8);
	call.object = mer_intern_add(&h->names, "10.0.0.2:80", 11);
	uint32_t receive = kernel_add_call(h, &call);
	call = (struct kernel_call){ .fd = 4, .kind = KERNEL_OBJECT_FILE };
	call.name = mer_intern_add(&h->names, "fsync", 5);
	call.object = mer_intern_add(&h->names, "/data/x", 7);
	uint32_t sync = kernel_add_call(h, &call);
	call = (struct kernel_call){ .fd = 9, .object = KERNEL_NONE };
	call.name = mer_intern_add(&h->names, "nanosleep", 9);
	call.fd = -1;
	uint32_t sleep_call = kernel_add_call(h, &call);
	struct kernel_request r = {
		.dev = 254 << 20 | 16, .bytes = 4096, .flags = KERNEL_WRITE | KERNEL_SYNC
	};
	kernel_add_request(h, &r);
	*mer_map_put(&h->devices, r.dev) = mer_intern_add(&h->names, "vdb", 3) + 1;
	call = (struct kernel_call){ .fd = 4, .kind = KERNEL_OBJECT_SOCKET };
	call.name = mer_intern_add(&h->names, "read", 4);
	call.object = mer_intern_add(&h->names, "10.0.0.2:80", 11);
	uint32_t read_call = kernel_add_call(h, &call);
	m.packets[0] = (struct kernel_bridge){ .from.host = 2, .to.host = 0 };

	*s = (struct path_segment){ .begin = m.p.begin,
		.end = m.p.end,
		.task = 0,
		.call = KERNEL_NONE,
		.by = KERNEL_NONE,
		.source = KERNEL_NONE,
		.cause = PATH_RUNNING,
		.state = KERNEL_USER,
		.cpu = 2 };
	assert_sentence(&m, "runs", "");
	s->state = KERNEL_SYSCALL;
	s->call = receive;
	assert_sentence(&m, "recvfrom 10.0.0.2:80", "recvfrom 10.0.0.2:80");
	s->call = read_call;
	assert_sentence(&m, "read from 10.0.0.2:80", "read 10.0.0.2:80");
	s->call = receive;
	s->state = KERNEL_BLOCKED;
	s->cause = PATH_NETWORK;
	assert_sentence(&m, "waits for the network, recvfrom 10.0.0.2:80", "recvfrom 10.0.0.2:80");
	s->in_flight = true;
	s->source = 0;
	assert_sentence(&m, "packet in flight, h\\ to client", "h\\ to client");
	s->in_flight = false;
	s->cause = PATH_DISK;
	s->call = sync;
	assert_sentence(&m, "waits for disk vdb (write, sync), fsync /data/x",
		"vdb write sync 4096 bytes, fsync /data/x");
	s->cause = PATH_TIMER;
	s->call = sleep_call;
	assert_sentence(&m, "timer (nanosleep)", "nanosleep");
	s->cause = PATH_RUNNABLE;
	s->by = 1; /* the first span of task 1 */
	assert_sentence(&m, "runnable on CPU 2, python3/101 had it first", "python3/101");
	s->by = KERNEL_NONE;
	assert_sentence(&m, "runnable on CPU 2", "");
	s->cause = PATH_INTERRUPTED;
	s->by_cause = KERNEL_SOFTIRQ;
	s->source = 3;
	assert_sentence(&m, "interrupted by softirq net_rx", "softirq net_rx");
	s->source = KERNEL_NONE;
	s->task = KERNEL_NONE;
	assert_sentence(&m, "softirq", "softirq");
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_segment_is_in_one_line),
		cmocka_unit_test(text_fits_and_is_clean),
		cmocka_unit_test(folded_sums),
		cmocka_unit_test(speedscope_nests),
		cmocka_unit_test(dot_is_quoted),
		cmocka_unit_test(json_reads_back),
		cmocka_unit_test(damaged_json),
		cmocka_unit_test(waiters),
		cmocka_unit_test(sentences),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
