/* Begins worlds at states whose file has the right checksum, and anything inside
 * (kernel/checkpoint). Whatever the bytes are: the file is refused, the world is not made, or all
 * that it refers to is there: its paths and waits can be followed, and what was open at its end be
 * told.
 *
 * Input: a byte 0 and triples, each a place (2 bytes) and the byte that is put there, into the body
 * of a file as a reading leaves it; or another byte and the whole body. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "kernel/checkpoint/keep.h"
#include "path/blocked.h"
#include "path/path.h"

enum { N_STREAMS = 2, N_STEPS = 60, N_TASKS = 5, TEXT = 8, N_STATES = 6, N_MESSAGES = 30 };

enum {
	SWITCH,
	WAKING,
	ENTER_OPEN,
	EXIT_OPEN,
	ENTER_READ,
	EXIT_READ,
	ENTER_FUTEX,
	EXIT_FUTEX,
	FORK,
	SOFTIRQ,
	SOFTIRQ_END
};
static const char *const classes[] = {
	[SWITCH] = "sched_switch\"; %s fields := struct { text prev_comm[8]; i32 prev_tid; i64 "
		   "prev_state; "
		   "text next_comm[8]; i32 next_tid; }; };",
	[WAKING] = "sched_waking\"; %s fields := struct { text comm[8]; i32 tid; i32 target_cpu; "
		   "}; };",
	[ENTER_OPEN] = "syscall_entry_openat\"; %s fields := struct { text filename[8]; }; };",
	[EXIT_OPEN] = "syscall_exit_openat\"; %s fields := struct { i64 ret; }; };",
	[ENTER_READ] = "syscall_entry_read\"; %s fields := struct { i32 fd; }; };",
	[EXIT_READ] = "syscall_exit_read\"; %s fields := struct { i64 ret; }; };",
	[ENTER_FUTEX] = "syscall_entry_futex\"; %s fields := struct { i64 uaddr; i32 op; }; };",
	[EXIT_FUTEX] = "syscall_exit_futex\"; %s fields := struct { i64 ret; }; };",
	[FORK] = "sched_process_fork\"; %s fields := struct { i32 parent_tid; i32 parent_pid; i32 "
		 "child_tid; "
		 "i32 child_pid; text child_comm[8]; }; };",
	[SOFTIRQ] = "irq_softirq_entry\"; %s fields := struct { i32 vec; }; };",
	[SOFTIRQ_END] = "irq_softirq_exit\"; %s fields := struct { i32 vec; }; };",
};
enum { N_CLASSES = sizeof(classes) / sizeof(classes[0]) };

static struct mer_experiment *experiment;
static const struct kernel_checkpoint_key key = { { 1, 2 } };
static char states_path[] = "/tmp/fuzz_states.XXXXXX";
static uint8_t *sound; /* the file as it is */
static size_t n_sound;

static void must(int rc, const struct mer_err *err)
{
	if (rc) {
		fprintf(stderr, "%s\n", err->text);
		abort();
	}
}

static void need(bool ok)
{
	if (!ok)
		abort();
}

/* ---- a trace ---- */

static void put(FILE *f, int64_t v, size_t bytes)
{
	need(fwrite(&v, 1, bytes, f) == bytes);
}

static void put_name(FILE *f, int tid)
{
	char name[TEXT] = { 0 };
	snprintf(name, sizeof(name), "task%d", tid);
	need(fwrite(name, 1, sizeof(name), f) == sizeof(name));
}

static void event(FILE *f, int class, int64_t ts)
{
	put(f, class, 4);
	put(f, ts, 8);
}

static void switch_to(FILE *f, int64_t ts, int from, int state, int to)
{
	event(f, SWITCH, ts);
	put_name(f, from);
	put(f, from, 4);
	put(f, state, 8);
	put_name(f, to);
	put(f, to, 4);
}

/* A task asks its neighbour on the same CPU, which is woken and answers; now and then a lock, a
 * child, an interrupt. */
static void step(FILE *f, unsigned cpu, unsigned i, int64_t ts)
{
	int a = (int)(10 + cpu * 10 + i % N_TASKS), b = (int)(10 + cpu * 10 + (i + 1) % N_TASKS);
	event(f, ENTER_OPEN, ts);
	put_name(f, (int)(i / 4));
	event(f, EXIT_OPEN, ts + 10);
	put(f, 3 + i % 3, 8);
	event(f, i % 3 ? ENTER_READ : ENTER_FUTEX, ts + 20);
	put(f, i % 3 ? 3 + (int64_t)i % 3 : 0x1000, i % 3 ? 4 : 8);
	if (i % 3 == 0)
		put(f, 0, 4);
	event(f, SOFTIRQ, ts + 30);
	put(f, 3, 4);
	event(f, WAKING, ts + 35);
	put_name(f, b);
	put(f, b, 4);
	put(f, cpu, 4);
	event(f, SOFTIRQ_END, ts + 40);
	put(f, 3, 4);
	switch_to(f, ts + 50, a, i % 5 ? 1 : 0, b);
	if (i > N_TASKS && i % 7 == 0) {
		event(f, FORK, ts + 60);
		put(f, b, 4);
		put(f, b, 4);
		put(f, 100 + (int64_t)i, 4);
		put(f, 100 + (int64_t)i, 4);
		put_name(f, 100 + (int)i);
	}
	if (i >= N_TASKS) { /* it comes back from what it asked a round ago */
		event(f, (i + 1) % 3 ? EXIT_READ : EXIT_FUTEX, ts + 70);
		put(f, 1, 8);
	}
}

static void write_trace(const char *dir)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/metadata", dir);
	FILE *f = fopen(path, "w");
	need(f != NULL);
	fputs("/* CTF 1.8 */\n"
	      "typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := "
	      "text;\n"
	      "typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	      "typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	      "typealias integer { size = 32; align = 8; signed = true; } := i32;\n"
	      "typealias integer { size = 64; align = 8; signed = true; } := i64;\n"
	      "trace { major = 1; minor = 8; byte_order = le;\n"
	      "packet.header := struct { u32 magic; u32 stream_id; }; };\n"
	      "env { domain = \"kernel\"; hostname = \"h\"; tracer_name = \"lttng-modules\"; };\n"
	      "clock { name = c; freq = 1000000000; };\n"
	      "typealias integer { size = 64; align = 8; map = clock.c.value; } := time;\n"
	      "stream { id = 0; packet.context := struct { time timestamp_begin; time "
	      "timestamp_end; "
	      "u64 content_size; u64 packet_size; u32 cpu_id; };\n"
	      "event.header := struct { u32 id; time timestamp; }; };\n",
		f);
	for (unsigned i = 0; i < N_CLASSES; i++) {
		char id[40];
		snprintf(id, sizeof(id), "id = %u; stream_id = 0;", i);
		fputs("event { name = \"", f);
		fprintf(f, classes[i], id);
		fputc('\n', f);
	}
	fclose(f);
	for (unsigned cpu = 0; cpu < N_STREAMS; cpu++) {
		snprintf(path, sizeof(path), "%s/s%u", dir, cpu);
		f = fopen(path, "w+");
		need(f != NULL);
		for (unsigned half = 0; half < 2; half++) {
			long at = ftell(f);
			unsigned from = half * N_STEPS / 2, to = (half + 1) * N_STEPS / 2;
			put(f, 0xC1FC1FC1, 4);
			put(f, 0, 4);
			put(f, 1000 + from * 100, 8);
			put(f, 1000 + to * 100, 8);
			put(f, 0, 8);
			put(f, 0, 8);
			put(f, cpu, 4);
			for (unsigned i = from; i < to; i++)
				step(f, cpu, i, 1000 + i * 100 + cpu * 3);
			long end = ftell(f);
			fseek(f, at + 24, SEEK_SET);
			put(f, (end - at) * 8, 8);
			put(f, (end - at) * 8, 8);
			fseek(f, end, SEEK_SET);
		}
		fclose(f);
	}
}

static void remove_trace(const char *dir)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/metadata", dir);
	unlink(path);
	for (unsigned cpu = 0; cpu < N_STREAMS; cpu++) {
		snprintf(path, sizeof(path), "%s/s%u", dir, cpu);
		unlink(path);
	}
	rmdir(dir);
}

static void add_messages(struct sync_messages *m)
{
	struct mer_err err = { 0 };
	must(sync_messages_init(m, 1, &err), &err);
	struct sync_link *l = sync_messages_link(m, 0, 0);
	need(l != NULL);
	for (uint32_t i = 0; i < N_MESSAGES; i++)
		must(sync_link_add_in(l,
			     (struct sync_message){ 1005 + i * 200, 1032 + i * 200 + i % 3 * 100 },
			     SYNC_TCP, (struct sync_streams){ i % 2, i % 2, 1 + i % 4, 5, 3 },
			     &err),
			&err);
	must(sync_messages_finish(m, &err), &err);
}

/* ---- its states ---- */

static void keep(void)
{
	struct mer_err err = { 0 };
	struct sync_messages messages;
	struct kernel_keeper *keeper;
	struct kernel_world *w;
	add_messages(&messages);
	must(kernel_keeper_new(experiment, N_STATES, &keeper, &err), &err);
	struct kernel_world_options o = { .n_threads = 1, .keeper = keeper };
	must(kernel_world_build(experiment, &messages, NULL, &o, &w, &err), &err);
	need(kernel_keeper_save(keeper, w, &key, states_path));
	kernel_keeper_free(keeper);
	kernel_world_free(w);
	sync_messages_free(&messages);
}

static void begin(void)
{
	char dir[] = "/tmp/fuzz_states.XXXXXX";
	struct mer_err err = { 0 };
	int fd = mkstemp(states_path);
	need(mkdtemp(dir) && fd >= 0);
	close(fd);
	write_trace(dir);
	const char *paths[] = { dir };
	must(mer_experiment_open(paths, 1, NULL, &experiment, &err), &err);
	keep();
	remove_trace(dir);
	struct mer_file f;
	must(mer_file_open(&f, states_path, &err), &err);
	n_sound = f.size;
	sound = malloc(n_sound);
	need(sound != NULL);
	memcpy(sound, f.data, n_sound);
	mer_file_close(&f);
	struct kernel_checkpoints *c = kernel_checkpoints_open(states_path, &key, experiment);
	need(c != NULL && kernel_checkpoints_before(c, INT64_MAX) != KERNEL_NONE);
	kernel_checkpoints_free(c);
}

/* As the input says. */
static void write_states(const uint8_t *data, size_t size)
{
	struct checkpoint_header h;
	bool is_patch = data[0] == 0;
	size_t n = is_patch ? n_sound : sizeof(h) + size - 1;
	uint8_t *bytes = malloc(n);
	need(bytes != NULL);
	memcpy(&h, sound, sizeof(h));
	if (is_patch) {
		memcpy(bytes, sound, n);
		for (size_t i = 1; i + 2 < size; i += 3) {
			size_t at = (size_t)(data[i] | data[i + 1] << 8) % (n - sizeof(h));
			bytes[sizeof(h) + at] = data[i + 2];
		}
	} else {
		memcpy(bytes + sizeof(h), data + 1, size - 1);
		h.toc_bytes = h.toc_bytes < size - 1 ? h.toc_bytes : size - 1;
		h.toc = n - h.toc_bytes;
	}
	h.bytes = n;
	h.hash = mer_hash(bytes + sizeof(h), n - sizeof(h));
	memcpy(bytes, &h, sizeof(h));
	FILE *f = fopen(states_path, "w");
	need(f != NULL && fwrite(bytes, 1, n, f) == n);
	fclose(f);
	free(bytes);
}

/* ---- what is made of them ---- */

static int see_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	const struct kernel_span *s = kernel_span(h, span);
	(void)ctx;
	(void)end;
	if (s->task >= h->n_tasks || s->state >= KERNEL_N_STATES || s->cause >= KERNEL_N_CAUSES ||
		(s->call != KERNEL_NONE && s->call >= h->n_calls))
		abort();
	return 0;
}

static int see_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	(void)ctx;
	if (c->task >= h->n_tasks || (c->call != KERNEL_NONE && c->call >= h->n_calls))
		abort();
	return 0;
}

static int see_open_call(void *ctx, const struct kernel_host *h, const struct kernel_open_call *c)
{
	(void)ctx;
	if (c->task >= h->n_tasks || (c->call != KERNEL_NONE && c->call >= h->n_calls))
		abort();
	return 0;
}

static void follow(const struct kernel_world *w)
{
	const struct kernel_host *h = &w->hosts[0];
	struct mer_err err = { 0 };
	struct blocked b;
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		struct path p;
		size_t length = strlen(kernel_comm(h, t));
		need(length < 1 << 20);
		if (h->tasks[t].last != KERNEL_NONE) {
			(void)path_find(w, 0, t, INT64_MIN, INT64_MAX, &p, &err);
			path_fini(&p);
		}
	}
	(void)blocked_find(w, &b, &err);
	blocked_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kernel_observer observer = {
		.span = see_span, .call = see_call, .open_call = see_open_call
	};
	if (!experiment)
		begin();
	if (size < 1 || size > 1 << 16)
		return 0;
	write_states(data, size);
	struct kernel_checkpoints *c = kernel_checkpoints_open(states_path, &key, experiment);
	int64_t length = experiment->end - experiment->begin;
	for (int i = 0; c && i < 6; i++) {
		struct mer_err err = { 0 };
		struct kernel_world *w;
		bool is_told = i % 2;
		struct kernel_window window = { .from = c,
			.begin = experiment->begin + length * i / 6,
			.until = experiment->begin + length * (i + 1) / 6,
			.is_told = is_told };
		struct kernel_world_options o = {
			.n_threads = 1, .window = &window, .observers = is_told ? &observer : NULL
		};
		int rc = kernel_world_build(experiment, NULL, NULL, &o, &w, &err);
		if (rc)
			need(rc == MER_ERR_INPUT || rc == MER_ERR_BUG || rc == MER_ERR_NOMEM);
		else if (!is_told)
			follow(w);
		if (rc == 0)
			kernel_world_free(w);
	}
	kernel_checkpoints_free(c);
	return 0;
}
