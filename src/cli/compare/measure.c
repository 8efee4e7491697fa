/* What is measured of a recording: questions that anybody can ask, and which values are made of
 * their tables. Values are means of many things that happened, or rates, so that they differ little
 * between recordings of the same; of few things no mean is made. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ask/answer.h"
#include "ask/session.h"
#include "ask/words.h"
#include "cli/compare/compare.h"

/* Of fewer things a mean says little. */
enum { FEWEST = 20, FEWEST_OF_TAIL = 200 };
/* A call that waits for more than this part of its time takes the time of others. */
#define WAITS 0.2

struct program { /* all tasks of a name */
	const char *comm;
	double user_ns, syscall_ns, self_ns;
	int64_t calls;
};

struct call {		 /* of a program */
	const char *key; /* "app futex" */
	int64_t waited_ns;
};

struct measuring {
	struct compare_set *s;
	struct mer_arena arena;	 /* of this recording */
	struct mer_intern names; /* of programs */
	struct program *programs;
	size_t cap_programs;
	struct mer_intern call_names;
	struct call *calls;
	size_t cap_calls;
	double seconds;
	bool failed; /* memory */
};

/* ---- Values ---- */

static void put(struct measuring *x, const char *kind, const char *subject, const char *name,
	enum compare_class class, enum compare_unit unit, double v)
{
	const struct compare_measure m = { kind, subject, name, class, unit };
	x->failed |= !compare_add(x->s, &m, v);
}

static void put_present(struct measuring *x, const char *kind, const char *subject)
{
	put(x, kind, subject, "is there", COMPARE_PRESENCE, COMPARE_PRESENT, 1);
}

/* The mean of n things that took so long together. */
static void put_mean(struct measuring *x, const char *kind, const char *subject, const char *name,
	enum compare_class class, double total_ns, int64_t n)
{
	if (n >= FEWEST && total_ns > 0)
		put(x, kind, subject, name, class, COMPARE_NS, total_ns / (double)n);
}

/* A value of n things. */
static void put_of(struct measuring *x, const char *kind, const char *subject, const char *name,
	enum compare_class class, int64_t ns, int64_t n)
{
	put_mean(x, kind, subject, name, class, (double)ns * (double)n, n);
}

static void put_rate(
	struct measuring *x, const char *kind, const char *subject, const char *name, int64_t n)
{
	if (n >= FEWEST && x->seconds > 0)
		put(x, kind, subject, name, COMPARE_EFFECT, COMPARE_PER_S, (double)n / x->seconds);
}

static int64_t whole(const struct mer_table *t, size_t row, const char *key)
{
	int64_t v;
	return answer_int(t, row, key, &v) ? v : 0;
}

static const char *text(const struct mer_table *t, size_t row, const char *key)
{
	const char *v = answer_text(t, row, key);
	return v ? v : "?";
}

static const char *text_of(struct measuring *x, const char *format, const char *a, const char *b)
{
	const char *s = mer_arena_printf(&x->arena, format, a, b);
	x->failed |= !s;
	return s ? s : "";
}

/* Workers of the kernel have names of their own: kworker/2:1. */
static const char *program_name(struct measuring *x, const char *comm)
{
	const char *slash = strchr(comm, '/');
	if (!slash || strncmp(comm, "kworker", 7) != 0)
		return comm;
	const char *own = mer_arena_strndup(&x->arena, comm, (size_t)(slash - comm));
	x->failed |= !own;
	return own ? own : comm;
}

static struct program *program_of(struct measuring *x, const char *comm)
{
	static struct program nobody;
	comm = program_name(x, comm);
	uint32_t i = mer_intern_add(&x->names, comm, strlen(comm));
	struct program *p = i == MER_INTERN_NONE
				    ? NULL
				    : mer_grow_at(&x->programs, &x->cap_programs, i, sizeof(*p));
	x->failed |= !p;
	if (!p)
		return &nobody;
	p->comm = mer_intern_text(&x->names, i);
	return p;
}

/* ---- Questions, in this order ---- */

static void take_requests(struct measuring *x, const struct answer *a)
{
	static const struct {
		const char *key, *name;
		enum compare_class class;
	} parts[] = {
		{ "running_ns", "CPU time", COMPARE_PART },
		{ "disk_ns", "disk time", COMPARE_PART },
		{ "network_ns", "network time", COMPARE_PART },
		{ "locks_ns", "lock wait", COMPARE_EFFECT },
		{ "queued_ns", "queued", COMPARE_EFFECT },
		{ "runnable_ns", "runnable", COMPARE_EFFECT },
		{ "other_ns", "other waits", COMPARE_EFFECT },
	};
	const struct mer_table *t = answer_find(a, "kinds");
	for (size_t i = 0; i < answer_rows(t); i++) {
		const char *kind = text(t, i, "kind");
		int64_t n = whole(t, i, "timed");
		for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++)
			put_mean(x, "request", kind, parts[k].name, parts[k].class,
				(double)whole(t, i, parts[k].key), n);
		put_of(x, "request", kind, "mean latency", COMPARE_EFFECT, whole(t, i, "mean_ns"),
			n);
		put_of(x, "request", kind, "median latency", COMPARE_EFFECT, whole(t, i, "p50_ns"),
			n);
		if (n >= FEWEST_OF_TAIL)
			put_of(x, "request", kind, "p99 latency", COMPARE_EFFECT,
				whole(t, i, "p99_ns"), n);
		put_rate(x, "request", kind, "per second", whole(t, i, "count"));
		put_present(x, "request", kind);
	}
}

static void take_cpu(struct measuring *x, const struct answer *a)
{
	const struct mer_table *t = answer_find(a, "top");
	for (size_t i = 0; i < answer_rows(t); i++) {
		struct program *p = program_of(x, text(t, i, "comm"));
		p->self_ns += (double)whole(t, i, "self_ns");
		p->user_ns += (double)whole(t, i, "user_ns");
		p->syscall_ns += (double)whole(t, i, "syscall_ns");
	}
}

static const char *call_key(struct measuring *x, const char *comm, const char *call)
{
	return text_of(x, "%s: %s", program_name(x, comm), call);
}

static struct call *call_of(struct measuring *x, const char *key)
{
	static struct call none;
	uint32_t i = mer_intern_add(&x->call_names, key, strlen(key));
	struct call *c =
		i == MER_INTERN_NONE ? NULL : mer_grow_at(&x->calls, &x->cap_calls, i, sizeof(*c));
	x->failed |= !c;
	return c ? c : &none;
}

static void take_waits(struct measuring *x, const struct answer *a)
{
	const struct mer_table *t = answer_find(a, "stats");
	for (size_t i = 0; i < answer_rows(t); i++) {
		const char *call = answer_text(t, i, "call");
		if (call)
			call_of(x, call_key(x, text(t, i, "comm"), call))->waited_ns +=
				whole(t, i, "total_ns");
	}
}

static void take_calls(struct measuring *x, const struct answer *a)
{
	const struct mer_table *t = answer_find(a, "stats");
	for (size_t i = 0; i < answer_rows(t); i++) {
		const char *comm = text(t, i, "comm"), *key = call_key(x, comm, text(t, i, "name"));
		int64_t n = whole(t, i, "count"), total = whole(t, i, "total_ns");
		int64_t waited = call_of(x, key)->waited_ns;
		if ((double)waited < WAITS * (double)total) {
			put_mean(x, "system call", key, "mean time", COMPARE_CAUSE,
				(double)(total - waited), n);
			/* What interrupts add to some of them is not in it. */
			put_of(x, "system call", key, "median time", COMPARE_CAUSE,
				whole(t, i, "p50_ns"), n);
		} else
			put_mean(x, "system call", key, "mean time with waits", COMPARE_EFFECT,
				(double)total, n);
		put_rate(x, "system call", key, "per second", n);
		put_present(x, "system call", key);
		program_of(x, comm)->calls += n;
	}
	/* A program's calls say how much it did, whatever the load was. */
	for (uint32_t i = 0; i < x->names.n; i++) {
		const struct program *p = &x->programs[i];
		put_mean(x, "CPU", p->comm, "user time per call", COMPARE_CAUSE, p->user_ns,
			p->calls);
		put_mean(x, "CPU", p->comm, "kernel time per call", COMPARE_CAUSE, p->syscall_ns,
			p->calls);
		if (x->seconds > 0 && p->self_ns >= 1e6)
			put(x, "CPU", p->comm, "CPU time per second", COMPARE_EFFECT, COMPARE_NS,
				p->self_ns / x->seconds);
		put_present(x, "program", p->comm);
	}
}

static void take_disks(struct measuring *x, const struct answer *a)
{
	const struct mer_table *t = answer_find(a, "stats");
	for (size_t i = 0; i < answer_rows(t); i++) {
		const char *disk = text_of(x, "%s %s", text(t, i, "host"), text(t, i, "disk"));
		const char *key = text_of(x, "%s, %s", disk, text(t, i, "name"));
		int64_t n = whole(t, i, "count");
		put_mean(x, "disk", key, "service time", COMPARE_CAUSE,
			(double)whole(t, i, "total_ns"), n);
		put_rate(x, "disk", key, "per second", n);
		put_present(x, "disk", key);
	}
}

/* Where the clocks are off by some time, one way looks longer and the other one shorter: of both
 * together that is gone. */
static void take_network(struct measuring *x, const struct answer *a)
{
	const struct mer_table *t = answer_find(a, "stats");
	for (size_t i = 0; i < answer_rows(t); i++) {
		const char *from = text(t, i, "from_host"), *to = text(t, i, "to_host");
		for (size_t k = i; k < answer_rows(t); k++) {
			int64_t n = whole(t, i, "count"), m = whole(t, k, "count");
			if (strcmp(text(t, k, "from_host"), to) != 0 ||
				strcmp(text(t, k, "to_host"), from) != 0 || n < FEWEST ||
				m < FEWEST)
				continue;
			bool sorted = strcmp(from, to) <= 0;
			put(x, "network",
				text_of(x, "%s and %s", sorted ? from : to, sorted ? to : from),
				"time of a message", COMPARE_CAUSE, COMPARE_NS,
				((double)whole(t, i, "total_ns") / (double)n +
					(double)whole(t, k, "total_ns") / (double)m) /
					2);
			break;
		}
	}
}

static void take_interrupts(struct measuring *x, const struct answer *a)
{
	const struct mer_table *t = answer_find(a, "stats");
	for (size_t i = 0; i < answer_rows(t); i++) {
		const char *name = answer_text(t, i, "name");
		if (!name)
			continue;
		const char *of = text_of(x, "%s %s", text(t, i, "host"), text(t, i, "kind"));
		const char *key = text_of(x, "%s %s", of, name);
		put_mean(x, "interrupt", key, "time in the handler", COMPARE_CAUSE,
			(double)whole(t, i, "total_ns"), whole(t, i, "count"));
	}
}

static void take_scheduling(struct measuring *x, const struct answer *a)
{
	const struct mer_table *t = answer_find(a, "stats");
	for (size_t i = 0; i < answer_rows(t); i++)
		put_mean(x, "scheduling", program_name(x, text(t, i, "comm")), "latency when woken",
			COMPARE_EFFECT, (double)whole(t, i, "total_ns"), whole(t, i, "count"));
}

/* Sockets and pipes have numbers that are others each time. */
static void take_files(struct measuring *x, const struct answer *a)
{
	const struct mer_table *t = answer_find(a, "files");
	for (size_t i = 0; i < answer_rows(t); i++)
		if (strcmp(text(t, i, "kind"), "file") == 0)
			put_present(x, "file",
				text_of(x, "%s %s", text(t, i, "host"), text(t, i, "file")));
}

static void take_edges(struct measuring *x, const struct answer *a)
{
	const struct mer_table *t = answer_find(a, "graph");
	for (size_t i = 0; i < answer_rows(t); i++) {
		const char *from = text_of(x, "%s %s", text(t, i, "from_host"),
			program_name(x, text(t, i, "from_comm")));
		const char *to = text_of(
			x, "%s %s", text(t, i, "to_host"), program_name(x, text(t, i, "to_comm")));
		put_present(x, "relation",
			text_of(x, "%s, %s", text_of(x, "%s to %s", from, to), text(t, i, "kind")));
	}
}

static void take_mpi(struct measuring *x, const struct answer *a)
{
	const struct mer_table *t = answer_find(a, "states");
	for (size_t i = 0; i < answer_rows(t); i++) {
		int64_t n = whole(t, i, "count"), waited = whole(t, i, "waiting_ns");
		const char *key = mer_arena_printf(&x->arena, "job %d rank %d: %s",
			(int)whole(t, i, "job"), (int)whole(t, i, "rank"), text(t, i, "call"));
		x->failed |= !key;
		if (!key || n < 1)
			continue;
		/* Ranks do little, but always the same. */
		double own = (double)(whole(t, i, "total_ns") - waited);
		if (own > 0)
			put(x, "MPI", key, "time without waits", COMPARE_CAUSE, COMPARE_NS, own);
		if (waited > 0)
			put(x, "MPI", key, "waiting for ranks", COMPARE_EFFECT, COMPARE_NS,
				(double)waited);
		put_present(x, "MPI", key);
	}
}

static const struct question {
	const char *words[8]; /* ends with NULL */
	void (*take)(struct measuring *x, const struct answer *a);
} questions[] = {
	{ { "top", "cpu", "--group-by", "comm", "--limit", "0", "--all" }, take_cpu },
	{ { "stats", "waits", "--group-by", "comm,call", "--limit", "0" }, take_waits },
	{ { "stats", "syscall", "--group-by", "comm,name", "--limit", "0" }, take_calls },
	{ { "requests" }, take_requests },
	{ { "stats", "disk", "--limit", "0" }, take_disks },
	{ { "stats", "net", "--limit", "0" }, take_network },
	{ { "stats", "irq", "--limit", "0" }, take_interrupts },
	{ { "stats", "sched", "--group-by", "comm", "--limit", "0" }, take_scheduling },
	{ { "top", "io", "--table", "files", "--limit", "0" }, take_files },
	{ { "graph", "--limit", "0" }, take_edges },
	{ { "top", "mpi", "--table", "states", "--limit", "0" }, take_mpi },
};

/* ---- A recording ---- */

/* What the traces lack has no answer, and no values: other recordings say whether that is a
 * difference. */
static bool is_fatal(int rc)
{
	return rc != MER_ERR_INPUT;
}

static int ask_one(struct measuring *x, const struct ask_asker *asker, struct mer_session *session,
	const struct question *q, struct mer_err *err)
{
	struct answer a;
	struct mer_err why = { 0 };
	size_t n = 0;
	while (n < 8 && q->words[n])
		n++;
	int rc = ask_answer(asker, session, false, q->words, n, &a, &why);
	if (rc == 0) {
		if (!(x->seconds > 0) && a.begin != MER_NO_TIME && a.end > a.begin)
			x->seconds = (double)(a.end - a.begin) / 1e9;
		q->take(x, &a);
	}
	answer_fini(&a);
	if (rc && is_fatal(rc)) {
		*err = why;
		return rc;
	}
	return x->failed ? mer_fail_nomem(err) : 0;
}

static int measure(struct ask *ask, struct compare_set *s, const struct ask_asker *asker,
	struct mer_session *session)
{
	struct measuring x = { .s = s };
	struct compare_run *run = &s->runs[s->n_runs - 1];
	const struct mer_experiment *e = mer_session_experiment(session);
	int rc = 0;
	mer_arena_init(&x.arena);
	mer_intern_init(&x.names, &x.arena);
	mer_intern_init(&x.call_names, &x.arena);
	for (size_t i = 0; rc == 0 && i < sizeof(questions) / sizeof(*questions); i++)
		rc = ask_one(&x, asker, session, &questions[i], &ask->err);
	if (x.seconds > 0)
		run->duration_ns = (int64_t)(x.seconds * 1e9 + 0.5);
	for (size_t i = 0; i < mer_n_traces(e); i++)
		run->lost += mer_trace_at(e, i)->lost_events;
	mer_intern_fini(&x.names);
	mer_intern_fini(&x.call_names);
	free(x.programs);
	free(x.calls);
	mer_arena_fini(&x.arena);
	return rc;
}

int compare_measure_recording(struct ask *ask, struct compare_set *s, const char *path, int side)
{
	struct mer_session_options o;
	struct mer_session *session = NULL;
	int rc = ask_session_options(ask, &o);
	if (rc)
		return rc;
	o.no_store = ask->no_store;
	rc = mer_session_new(&path, 1, &o, &session, &ask->err);
	if (rc == 0)
		rc = mer_session_open(session, &ask->err);
	if (rc == 0 && !compare_add_run(s, path, side))
		rc = mer_fail_nomem(&ask->err);
	else if (rc == 0) {
		const struct ask_asker asker = {
			.program = ask->program, .traces = &path, .n_traces = 1, .jobs = ask->jobs
		};
		rc = measure(ask, s, &asker, session);
		if (rc)
			free(s->runs[--s->n_runs].values);
	}
	mer_session_free(session);
	return rc;
}
