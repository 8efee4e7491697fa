/* meridian-mpi: a question to the ranks of an MPI job.
 *
 * Each rank looks for traces, deals them (deal.h), makes the parts of its hosts for their clocks,
 * and answers for them with the clocks of all; what meets at rank 0 are parts as files, so that it
 * aligns and merges as `meridian sync` and `meridian merge` do. All of it is in this process: where
 * MPI has a network of its own, no process may be started.
 *
 * Every rank takes part in every exchange: what ends one rank alone ends the job (die). While a
 * rank waits it sleeps, as MPI itself would take all of a CPU for it. */
#include <dirent.h>
#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "ask/parts.h"
#include "ask/program.h"
#include "ask/words/command.h"
#include "ask/words/here.h"
#include "base/file.h"
#include "base/sort.h"
#include "cli/fleet/fleet.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/places.h"
#include "cli/ranks/deal.h"
#include "cli/ranks/ranks.h"
#include "cli/run.h"
#include "cli/verbs.h"
#include "session/session.h"
#include "trace/discover.h"

enum { PIECE = 1 << 30, TAG = 1 };

struct ranks {
	struct ask ask; /* the question as rank 0 asks it of what all have */
	const void *values;
	const struct ranks_options *o;
	int argc; /* of the question */
	char **argv;
	int rank, n;
	int place_rank, place_n; /* among those that see the same files */
	uint32_t *places;	 /* by rank */
	struct deal_trace *traces;
	size_t n_traces;
	const char **own; /* what this rank reads: words and paths */
	size_t n_own;
	const char *dir, *sync; /* sync: "none", or a file */
	FILE *nowhere;
	uint64_t n_sent; /* bytes */
	bool any_lost;
};

/* ---- Between ranks ---- */

/* The job cannot go on. */
static _Noreturn void die(struct ranks *x, const struct mer_err *err)
{
	fprintf(stderr, "meridian-mpi: error: rank %d: %s\n", x->rank,
		err ? err->text : "out of memory");
	MPI_Abort(MPI_COMM_WORLD, ASK_INTERNAL);
	_exit(ASK_INTERNAL);
}

static void *room(struct ranks *x, size_t n, size_t size)
{
	void *p = mer_arena_zalloc(&x->ask.arena, n + 1, size);
	if (!p)
		die(x, NULL);
	return p;
}

static void wait_for(MPI_Request *request)
{
	enum { LEAST_NS = 20000, MOST_NS = 5000000 };
	struct timespec t = { .tv_nsec = LEAST_NS };
	int done = 0;
	while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
		nanosleep(&t, NULL);
		t.tv_nsec = t.tv_nsec < MOST_NS ? t.tv_nsec * 2 : MOST_NS;
	}
}

/* To or from a rank; the other one does the opposite. */
static void pass(struct ranks *x, bool sends, int rank, void *bytes, size_t n)
{
	MPI_Request request;
	for (size_t at = 0; at < n; at += PIECE) {
		int piece = n - at < PIECE ? (int)(n - at) : PIECE;
		char *p = (char *)bytes + at;
		if (sends)
			MPI_Isend(p, piece, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &request);
		else
			MPI_Irecv(p, piece, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &request);
		wait_for(&request);
	}
	x->n_sent += sends ? n : 0;
}

/* From rank 0 to all. */
static void tell(struct ranks *x, void *bytes, size_t n)
{
	MPI_Request request;
	for (size_t at = 0; at < n; at += PIECE) {
		int piece = n - at < PIECE ? (int)(n - at) : PIECE;
		MPI_Ibcast((char *)bytes + at, piece, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
		wait_for(&request);
	}
	x->n_sent += x->rank == 0 ? n * (size_t)(x->n - 1) : 0;
}

/* Each gives an equal number of bytes, and gets those of all, by rank. */
static void share(struct ranks *x, const void *own, size_t n, void *all)
{
	MPI_Request request;
	MPI_Iallgather(own, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, MPI_COMM_WORLD, &request);
	wait_for(&request);
	x->n_sent += n * (size_t)(x->n - 1);
}

/* The same of any number, in the order of ranks. */
static void share_all(struct ranks *x, struct mer_str *own, struct mer_str *all)
{
	MPI_Request request;
	uint64_t n = own->len, *each = room(x, (size_t)x->n, sizeof(*each)), sum = 0;
	int *counts = room(x, (size_t)x->n, sizeof(*counts)),
	    *at = room(x, (size_t)x->n, sizeof(*at));
	share(x, &n, sizeof(n), each);
	for (int r = 0; r < x->n; r++) {
		at[r] = (int)sum;
		counts[r] = (int)each[r];
		sum += each[r];
		if (sum > PIECE)
			die(x, &(struct mer_err){ .text = "too many traces" });
	}
	if (!mer_str_reserve(all, sum + 1) || own->failed)
		die(x, NULL);
	MPI_Iallgatherv(own->data ? own->data : "", (int)n, MPI_BYTE, all->data, counts, at,
		MPI_BYTE, MPI_COMM_WORLD, &request);
	wait_for(&request);
	all->len = sum;
	x->n_sent += n * (uint64_t)(x->n - 1);
}

/* Ranks of a node that are in the same folder see the same files by the same names. */
static void find_places(struct ranks *x)
{
	MPI_Comm node, place;
	char folder[4096];
	const char *cwd = getcwd(folder, sizeof(folder));
	int color = (int)(mer_hash(cwd ? cwd : "", cwd ? strlen(cwd) : 0) & INT32_MAX);
	uint32_t own = (uint32_t)x->rank;
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, x->rank, MPI_INFO_NULL, &node);
	MPI_Comm_split(node, color, x->rank, &place);
	MPI_Comm_rank(place, &x->place_rank);
	MPI_Comm_size(place, &x->place_n);
	MPI_Bcast(&own, 1, MPI_UINT32_T, 0, place); /* its first rank's number is the place's */
	MPI_Comm_free(&place);
	MPI_Comm_free(&node);
	x->places = room(x, (size_t)x->n, sizeof(*x->places));
	share(x, &own, sizeof(own), x->places);
}

/* ---- Questions in this process ---- */

static void say_nothing(struct ask *ask, enum ask_said kind, const char *text)
{
	(void)ask;
	(void)kind;
	(void)text;
}

static void show_nothing(struct ask_progress *p)
{
	(void)p;
}

/* Copies of parts are of no use later. */
static const char *keep_nothing(struct ask *ask)
{
	(void)ask;
	return NULL;
}

#define SILENT(cache)                                                                              \
	{                                                                                          \
		.verbs = cli_verbs, .say = say_nothing, .output_file = cli_output_file,            \
		.progress_begin = show_nothing, .progress_end = show_nothing,                      \
		.cache_folder = cache, .spill_options = cli_spill_options                          \
	}
static const struct ask_program in_silence = SILENT(cli_cache_folder),
				without_cache = SILENT(keep_nothing);

/* How many words are about what is asked; traces follow. */
static size_t n_asked(const struct ask *ask)
{
	return ask->n_args && ask->verb->args && strcmp(ask->verb->args, "ANALYSIS") == 0;
}

/* How traces are read is the same for all steps. */
static void read_alike(const struct ranks *x, struct ask *ask)
{
	ask->ignore_uuid = x->ask.ignore_uuid;
	ask->clock_wrap = x->ask.clock_wrap;
	ask->jobs = x->ask.jobs;
	if (!ask->jobs) {
		uint64_t n = mer_pool_processors() / (unsigned)x->place_n;
		ask->jobs = n ? n : 1;
	}
}

/* Another verb, of which only what it writes to files is wanted. words end with NULL. */
static int run_words(
	struct ranks *x, const char **words, const struct ask_program *program, struct mer_err *err)
{
	struct ask ask;
	void *values;
	int n = 0;
	cli_begin(&ask);
	ask.program = program;
	ask.out = x->nowhere;
	while (words[n])
		n++;
	int rc = ask_command_read(&ask, n, (char **)(uintptr_t)words, 1, &values);
	read_alike(x, &ask);
	if (rc == 0)
		rc = ask_run_verb(&ask, values);
	if (rc < 0)
		*err = ask.err;
	mer_str_fini(&ask.notes);
	mer_str_fini(&ask.warnings);
	mer_arena_fini(&ask.arena);
	return rc;
}

/* The question about these traces as a part of the answer. */
static int ask_part(struct ranks *x, const char *const *traces, size_t n, const char *sync,
	FILE *out, struct mer_err *err)
{
	struct ask ask;
	void *values;
	cli_begin(&ask);
	int rc = ask_command_read(&ask, x->argc, x->argv, 1, &values);
	ask.program = &in_silence;
	ask.part = ask.of_many = true;
	ask.sync = sync;
	ask.out = out;
	read_alike(x, &ask);
	size_t own = rc == 0 ? n_asked(&ask) : 0;
	const char **args = mer_arena_zalloc(&ask.arena, own + n + 1, sizeof(*args));
	if (rc == 0 && !args)
		rc = mer_fail_nomem(&ask.err);
	if (rc == 0) {
		memcpy(args, ask.args, own * sizeof(*args));
		memcpy(args + own, traces, n * sizeof(*args));
		ask.args = args;
		ask.n_args = own + n;
		rc = ask_run_verb(&ask, values);
	}
	if (rc < 0)
		*err = ask.err;
	mer_str_fini(&ask.notes);
	mer_str_fini(&ask.warnings);
	mer_arena_fini(&ask.arena);
	return rc;
}

/* ---- Which traces ---- */

static void add_text(struct ranks *x, struct session_texts *t, const char *text)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->item[i], text) == 0)
			return;
	t->item[t->n] = mer_arena_strdup(&x->ask.arena, text);
	if (!t->item[t->n++])
		die(x, NULL);
}

/* Whose it is, from metadata and packet headers. */
static void look_at(struct ranks *x, struct deal_trace *t)
{
	struct mer_experiment *e;
	struct mer_err err;
	struct mer_open_options o = { .size = sizeof(o),
		.ignore_uuid = x->ask.ignore_uuid,
		.cache_folder = ask_cache_folder(&x->ask) };
	if (mer_experiment_open(&t->path, 1, &o, &e, &err)) {
		t->why = mer_arena_strdup(&x->ask.arena, err.text);
		if (!t->why)
			die(x, NULL);
		return;
	}
	int32_t *cpus = room(x, e->n_streams, sizeof(*cpus));
	t->bytes = e->bytes;
	t->hosts.item = room(x, e->n_hosts, sizeof(*t->hosts.item));
	t->ids.item = room(x, e->n_traces * (size_t)2, sizeof(*t->ids.item));
	for (uint32_t h = 0; h < e->n_hosts; h++)
		add_text(x, &t->hosts, e->hosts[h].name);
	for (uint32_t i = 0; i < e->n_traces; i++) {
		const struct mer_trace *trace = &e->traces[i];
		if (trace->uuid)
			add_text(x, &t->ids, trace->uuid);
		if (trace->has_clock && trace->clock.uuid)
			add_text(x, &t->ids, trace->clock.uuid);
	}
	for (uint32_t i = 0; i < e->n_streams; i++) {
		size_t k = 0;
		while (k < t->n_cpus && cpus[k] != e->streams[i].cpu)
			k++;
		if (k == t->n_cpus)
			cpus[t->n_cpus++] = e->streams[i].cpu;
	}
	t->cpus = cpus;
	mer_experiment_free(e);
}

/* Adds what is found at a word; ranks of a place take turns. */
static void look_for(
	struct ranks *x, uint32_t word, const char *name, size_t *turn, struct mer_str *out)
{
	struct trace_dirs found[2] = { 0 };
	struct mer_diags diags;
	struct mer_err err;
	struct mer_walk w = { .out = out };
	mer_diags_init(&diags, &x->ask.arena);
	int rc = trace_discover(name, &x->ask.arena, &diags, &found[0], &found[1], &err);
	if (rc == MER_ERR_NOMEM)
		die(x, NULL);
	bool is_whole = diags.n || (found[0].n && found[1].n);
	mer_diags_fini(&diags);
	struct deal_trace t = { .place = x->places[x->rank],
		.word = word,
		.is_missing = true,
		.path = name,
		.why = err.text };
	if (rc && x->place_rank == 0)
		deal_walk(&w, &t);
	for (int kind = 0; kind < 2 && !rc; kind++)
		for (uint32_t i = 0; i < found[kind].n; i++) {
			if ((*turn)++ % (size_t)x->place_n != (size_t)x->place_rank)
				continue;
			t = (struct deal_trace){ .place = x->places[x->rank],
				.word = word,
				.path = found[kind].paths[i],
				.is_whole = is_whole };
			look_at(x, &t);
			deal_walk(&w, &t);
		}
	out->failed |= w.failed;
}

static void find_traces(struct ranks *x)
{
	struct mer_str own = { 0 }, all = { 0 };
	size_t first = n_asked(&x->ask), turn = 0, n_words = x->ask.n_args - first;
	const char **words = x->ask.args + first;
	for (uint32_t i = 0; i < n_words; i++)
		look_for(x, i, words[i], &turn, &own);
	share_all(x, &own, &all);
	/* Texts stay there. */
	const char *bytes = mer_arena_strndup(&x->ask.arena, all.data, all.len);
	struct mer_walk w = { .p = bytes, .end = bytes + all.len, .arena = &x->ask.arena };
	if (!bytes)
		die(x, NULL);
	x->traces = room(x, all.len / sizeof(uint64_t), sizeof(*x->traces));
	while (w.p < w.end && !w.failed)
		deal_walk(&w, &x->traces[x->n_traces++]);
	mer_str_fini(&own);
	mer_str_fini(&all);
	if (w.failed || !deal(x->traces, &x->n_traces, x->places, (uint32_t)x->n))
		die(x, NULL);
	x->own = room(x, x->n_traces + n_words, sizeof(*x->own));
	x->n_own = deal_words(x->traces, x->n_traces, (uint32_t)x->rank, x->places[x->rank], words,
		n_words, x->own);
}

/* Have all hosts together what is selected? */
static int check_selection(struct ranks *x)
{
	struct mer_experiment all = { 0 };
	size_t n_cpus = 0, n_hosts = 0;
	for (size_t i = 0; i < x->n_traces; i++) {
		n_cpus += x->traces[i].n_cpus;
		n_hosts += x->traces[i].hosts.n;
	}
	all.hosts = room(x, n_hosts, sizeof(*all.hosts));
	all.streams = room(x, n_cpus, sizeof(*all.streams));
	for (size_t i = 0; i < x->n_traces; i++) {
		const struct deal_trace *t = &x->traces[i];
		for (size_t k = 0; k < t->n_cpus; k++)
			all.streams[all.n_streams++].cpu = t->cpus[k];
		for (size_t k = 0; k < t->hosts.n; k++) {
			uint32_t h = 0;
			while (h < all.n_hosts && strcmp(all.hosts[h].name, t->hosts.item[k]) != 0)
				h++;
			all.hosts[h].name = t->hosts.item[k];
			all.n_hosts += h == all.n_hosts;
		}
	}
	return all.n_hosts ? session_selection_check(&x->ask.select, &all, &x->ask.err) : 0;
}

/* Names of a rank's hosts, for messages; NULL: it has none that are asked about. */
static const char *hosts_of(struct ranks *x, int rank)
{
	enum { NAMES = 4 };
	struct mer_str s = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < x->n_traces; i++)
		for (size_t k = 0; x->traces[i].rank == (uint32_t)rank && k < x->traces[i].hosts.n;
			k++) {
			const char *name = x->traces[i].hosts.item[k];
			if (session_selects_host(&x->ask.select, name) && ++n <= NAMES)
				mer_str_printf(&s, "%s%s", s.len ? ", " : "", name);
		}
	if (n > NAMES)
		mer_str_printf(&s, " and %zu more", n - NAMES);
	const char *text = n ? mer_arena_strdup(&x->ask.arena, s.data ? s.data : "?") : NULL;
	mer_str_fini(&s);
	return text;
}

/* ---- What meets at rank 0 ---- */

struct reply {		 /* of a rank to a step */
	const char *why; /* it failed; NULL: it did not */
	uint64_t cpu_us, n_sent;
	size_t n_files;
	struct mer_str bytes; /* of all: lengths, and these files */
};

static void add_file(struct ranks *x, struct reply *reply, const char *path)
{
	struct mer_file f;
	struct mer_err err;
	if (mer_file_open(&f, path, &err))
		die(x, &err);
	uint64_t n = f.size;
	mer_str_add(&reply->bytes, (const char *)&n, sizeof(n));
	mer_str_add(&reply->bytes, (const char *)f.data, f.size);
	reply->n_files++;
	mer_file_close(&f);
	if (reply->bytes.failed)
		die(x, NULL);
}

static uint64_t cpu_us(int who)
{
	struct rusage u;
	getrusage(who, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static const char *path_of(struct ranks *x, const char *folder, int rank, size_t i)
{
	const char *path =
		mer_arena_printf(&x->ask.arena, "%s/%s/%d-%zu.part", x->dir, folder, rank, i);
	if (!path)
		die(x, NULL);
	return path;
}

/* Rank 0: the files of a reply, as files of a folder. */
static void take(struct ranks *x, const char *folder, int rank, const struct reply *reply,
	const char **paths, size_t *n)
{
	const char *p = reply->bytes.data;
	for (size_t i = 0; i < reply->n_files; i++) {
		uint64_t size;
		memcpy(&size, p, sizeof(size));
		p += sizeof(size);
		paths[*n] = path_of(x, folder, rank, i);
		if (!mer_file_replace(paths[*n], &(struct mer_bytes){ p, size }, 1)) {
			struct mer_err err;
			mer_fail_errno(&err, "write", paths[*n]);
			die(x, &err);
		}
		p += size;
		(*n)++;
	}
}

/* Sends the reply to rank 0, which gets those of all, one after the other: paths of their files,
 * and in replies the rest. Frees the reply. */
static size_t meet(struct ranks *x, const char *folder, struct reply *own, struct reply *replies,
	const char **paths)
{
	size_t n = 0;
	own->cpu_us = cpu_us(RUSAGE_SELF) + cpu_us(RUSAGE_CHILDREN);
	own->n_sent = x->n_sent;
	for (int r = 0; r < x->n; r++) {
		if (x->rank != 0 && x->rank != r)
			continue;
		bool is_own = r == x->rank;
		struct reply got = *own;
		uint64_t head[] = { own->why ? strlen(own->why) + 1 : 0, own->cpu_us, own->n_sent,
			own->n_files, own->bytes.len };
		if (r > 0)
			pass(x, is_own, is_own ? 0 : r, head, sizeof(head));
		if (!is_own) {
			got = (struct reply){
				.cpu_us = head[1], .n_sent = head[2], .n_files = head[3]
			};
			got.why = head[0] ? room(x, head[0], 1) : NULL;
			if (!mer_str_reserve(&got.bytes, head[4] + 1))
				die(x, NULL);
		}
		if (r > 0) {
			pass(x, is_own, is_own ? 0 : r, (void *)(uintptr_t)got.why, head[0]);
			pass(x, is_own, is_own ? 0 : r, got.bytes.data, head[4]);
		}
		if (x->rank == 0) {
			take(x, folder, r, &got, paths, &n);
			replies[r] = got;
			replies[r].bytes = (struct mer_str){ 0 };
		}
		mer_str_fini(&got.bytes);
	}
	return n;
}

/* ---- The steps ---- */

static const char *in_dir(struct ranks *x, const char *name)
{
	const char *path = mer_arena_printf(&x->ask.arena, "%s/%s", x->dir, name);
	if (!path)
		die(x, NULL);
	return path;
}

static void open_folder(struct ranks *x)
{
	struct mer_err err;
	const char *base = getenv("TMPDIR");
	char *dir = mer_arena_printf(
		&x->ask.arena, "%s/meridian-mpi-XXXXXX", base && base[0] == '/' ? base : "/tmp");
	x->dir = dir;
	if (dir && mkdtemp(dir) && mer_make_folder(in_dir(x, "own")) &&
		mer_make_folder(in_dir(x, "parts")) && mer_make_folder(in_dir(x, "answers")))
		return;
	mer_fail_errno(&err, "write to", base && base[0] == '/' ? base : "/tmp");
	die(x, &err);
}

/* What this rank's hosts have for their clocks. */
static void make_parts(struct ranks *x, struct reply *reply)
{
	const char **words = room(x, x->n_own + 7, sizeof(*words));
	const char *folder = mer_arena_printf(&x->ask.arena, "%s/", in_dir(x, "own"));
	const char *rate = mer_arena_printf(
		&x->ask.arena, "--rate=%lld", (long long)(x->o->rate.set ? x->o->rate.v : 0));
	const char *const first[] = { "meridian", "part", rate, "-o", folder, "--" };
	struct mer_err err;
	if (!x->n_own)
		return;
	if (!folder || !rate)
		die(x, NULL);
	memcpy(words, first, sizeof(first));
	memcpy(words + sizeof(first) / sizeof(*first), x->own, x->n_own * sizeof(*words));
	if (run_words(x, words, &in_silence, &err) < 0)
		reply->why = mer_arena_strdup(&x->ask.arena, err.text);
	DIR *d = opendir(folder);
	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
		if (e->d_name[0] != '.')
			add_file(x, reply,
				mer_arena_printf(&x->ask.arena, "%s%s", folder, e->d_name));
	if (d)
		closedir(d);
}

/* Rank 0: clocks of all parts. NULL: there is nothing to align. */
static const char *align(struct ranks *x, const char **paths, size_t n)
{
	const char **words = room(x, n + 5, sizeof(*words));
	const char *sync = in_dir(x, "all.sync");
	struct mer_err err;
	memcpy(words, (const char *const[]){ "meridian", "sync", "--save", sync },
		4 * sizeof(*words));
	memcpy(words + 4, paths, n * sizeof(*words));
	if (n && run_words(x, words, &without_cache, &err) < 0)
		ask_warn(&x->ask, "the clocks of these hosts cannot be aligned: %s", err.text);
	return n && access(sync, F_OK) == 0 ? sync : NULL;
}

/* The file that rank 0 has, at all ranks. path is NULL where it has none. All of them fail if it
 * cannot be read. */
static int tell_clocks(struct ranks *x, const char *path)
{
	struct mer_file f = { 0 };
	struct mer_err err;
	int rc = path && x->rank == 0 ? mer_file_open(&f, path, &x->ask.err) : 0;
	uint64_t n = rc ? UINT64_MAX : f.size;
	tell(x, &n, sizeof(n));
	if (n == UINT64_MAX)
		return rc ? rc : MER_ERR_INPUT;
	char *bytes = room(x, n, 1); /* the file's may not be written, as some broadcasts do */
	if (x->rank == 0)
		memcpy(bytes, f.data ? f.data : (const uint8_t *)"", n);
	tell(x, bytes, n);
	x->sync = n ? in_dir(x, "all.sync") : "none";
	if (n && (x->rank > 0 || path != x->sync) &&
		!mer_file_replace(x->sync, &(struct mer_bytes){ bytes, n }, 1)) {
		mer_fail_errno(&err, "write", x->sync);
		die(x, &err);
	}
	mer_file_close(&f);
	return 0;
}

static bool has_clocks_given(const struct ranks *x)
{
	const char *sync = x->ask.sync;
	return sync && strcmp(sync, "auto") != 0;
}

static int find_clocks(struct ranks *x, struct reply *replies, const char **paths)
{
	struct reply own = { 0 };
	const char *sync = x->ask.sync;
	if (has_clocks_given(x))
		return tell_clocks(x, strcmp(sync, "none") == 0 ? NULL : sync);
	make_parts(x, &own);
	size_t n = meet(x, "parts", &own, replies, paths);
	for (int r = 0; x->rank == 0 && r < x->n; r++)
		if (replies[r].why)
			ask_warn(&x->ask, "there is no part for the clocks of %s: %s",
				hosts_of(x, r) ? hosts_of(x, r) : "some hosts", replies[r].why);
	return tell_clocks(x, x->rank == 0 ? align(x, paths, n) : NULL);
}

static void answer(struct ranks *x, struct reply *reply)
{
	const char *path = path_of(x, "own", x->rank, 0);
	struct mer_err err;
	if (!x->n_own || (!hosts_of(x, x->rank) && x->ask.select.hosts.n))
		return;
	FILE *out = fopen(path, "we");
	int rc = out ? ask_part(x, x->own, x->n_own, x->sync, out, &err)
		     : mer_fail_errno(&err, "write", path);
	long size = out ? ftell(out) : 0;
	if (out && fclose(out) != 0 && rc >= 0)
		rc = mer_fail_errno(&err, "write", path);
	if (rc >= 0 && size > 0)
		add_file(x, reply, path);
	else
		reply->why =
			mer_arena_strdup(&x->ask.arena, rc < 0 ? err.text : "nothing was answered");
}

static void say_stats(struct ranks *x, const struct reply *replies)
{
	uint64_t cpu = 0, sent = 0, bytes = 0;
	for (int r = 0; r < x->n; r++) {
		uint64_t own = 0;
		for (size_t i = 0; i < x->n_traces; i++)
			own += x->traces[i].rank == (uint32_t)r ? x->traces[i].bytes : 0;
		ask_note(&x->ask,
			"rank %d: %s; read %llu bytes of traces, sent %llu bytes, %.3f s of CPU time",
			r, hosts_of(x, r) ? hosts_of(x, r) : "no host", (unsigned long long)own,
			(unsigned long long)replies[r].n_sent, (double)replies[r].cpu_us / 1e6);
		cpu += replies[r].cpu_us;
		sent += replies[r].n_sent;
		bytes += own;
	}
	ask_note(&x->ask, "%d %s: read %llu bytes of traces, sent %llu bytes, %.3f s of CPU time",
		x->n, x->n == 1 ? "rank" : "ranks", (unsigned long long)bytes,
		(unsigned long long)sent, (double)cpu / 1e6);
}

/* As one process would say of the clocks: it has no file of them, and of one host none are
 * aligned. */
static void name_clocks(struct ranks *x, struct answer *about)
{
	struct session_synced *own = room(x, 1, sizeof(*own));
	if (!about->synced)
		return;
	*own = *about->synced;
	own->file = has_clocks_given(x) ? x->ask.sync : NULL;
	bool is_one = own->summary.n_hosts + own->summary.n_unsynchronized == 1;
	about->synced = is_one && !own->file ? NULL : own;
}

static int by_reading(const void *a, const void *b)
{
	const struct mer_diag *p = a, *q = b;
	return (p->stream < 0) - (q->stream < 0);
}

/* One process finds the damage of all hosts when it aligns their clocks, before all else. */
static void order_findings(struct ranks *x, struct mer_experiment *e)
{
	size_t n = e->n_opening[TRACE_OF_TRACES];
	if (!has_clocks_given(x))
		mer_sort(NULL, e->diags.rows + n, e->diags.n - n, sizeof(*e->diags.rows),
			by_reading);
}

/* Perhaps it is a copy of some of them, perhaps there are others. */
static void warn_of_less(struct ranks *x)
{
	struct session_texts names = { .item = room(x, x->n_traces, sizeof(*names.item)) };
	for (size_t i = 0; i < x->n_traces; i++)
		if (x->traces[i].is_less && x->traces[i].hosts.n)
			add_text(x, &names, x->traces[i].hosts.item[0]);
	for (size_t i = 0; i < names.n; i++)
		ask_warn(&x->ask,
			"host %s: another node has some traces of it, too; all were read where most of them are, and what is on the other node alone is not in this answer",
			names.item[i]);
	x->ask.degraded |= names.n > 0;
}

/* Rank 0: the answer of all. */
static int merge(struct ranks *x, const struct reply *replies, const char **paths, size_t n)
{
	struct ask *ask = &x->ask;
	struct ask_parts parts = { 0 };
	const char *why = "no traces were found";
	for (int r = 0; r < x->n; r++) {
		if (!replies[r].why)
			continue;
		why = replies[r].why;
		x->any_lost = true;
		if (n)
			ask_warn(ask, "%s left out: %s",
				hosts_of(x, r) ? hosts_of(x, r) : "some traces", why);
	}
	int rc = n ? ask_parts_read(ask, paths, n, &parts)
		   : mer_fail(&ask->err, MER_ERR_INPUT, "%s", why);
	if (rc == 0) {
		name_clocks(x, &parts.of[0].about);
		order_findings(x, parts.e);
	}
	if (rc) {
		ask_parts_fini(&parts);
		return rc == MER_ERR_USAGE ? cli_misused(ask) : cli_failed(ask, rc);
	}
	warn_of_less(x);
	ask->n_args = n_asked(ask);
	ask->sync = NULL;
	ask->parts = &parts;
	int status = cli_run(ask, x->values);
	ask_parts_fini(&parts);
	ask->parts = NULL;
	return status == ASK_OK && x->any_lost ? ASK_INPUT : status;
}

static int ask_all(struct ranks *x)
{
	struct reply own = { 0 }, *replies = room(x, (size_t)x->n, sizeof(*replies));
	find_places(x);
	find_traces(x);
	if (check_selection(x))
		return x->rank == 0 ? cli_misused(&x->ask) : ASK_USAGE;
	/* Each host has one file of a step. */
	size_t n_hosts = 0;
	for (size_t i = 0; i < x->n_traces; i++)
		n_hosts += x->traces[i].hosts.n + 1;
	const char **paths = room(x, n_hosts + (size_t)x->n, sizeof(*paths));
	open_folder(x);
	int rc = find_clocks(x, replies, paths), status = ASK_OK;
	if (rc == 0) {
		answer(x, &own);
		size_t n = meet(x, "answers", &own, replies, paths);
		if (x->rank == 0)
			status = merge(x, replies, paths, n);
		if (x->rank == 0 && x->o->stats)
			say_stats(x, replies);
	} else if (x->rank == 0) {
		status = cli_failed(&x->ask, rc);
	}
	mer_remove_folder(x->dir);
	return status;
}

/* ---- Words ---- */

static int read_question(struct ranks *x)
{
	struct ask *ask = &x->ask;
	struct mer_err err;
	void *values;
	int rc = ask_command_read(ask, x->argc, x->argv, 1, &values);
	x->values = values;
	/* What looks like a terminal is one between mpirun and us. */
	ask->color = ask->color == ASK_AUTO ? ASK_NEVER : ask->color;
	ask->progress_when = ASK_NEVER;
	if (rc == 0)
		rc = fleet_check_verb(ask, &ask->err);
	if (rc == 0 && ask->part)
		rc = mer_fail(&ask->err, MER_ERR_USAGE,
			"--part: ranks make parts by themselves, and print the answer");
	/* What is wrong with a question is said before its traces are looked for. */
	const char *none = "/dev/null/traces";
	if (rc == 0 && ask_part(x, &none, 1, has_clocks_given(x) ? ask->sync : "/dev/null/sync",
			       x->nowhere, &err) == MER_ERR_USAGE) {
		ask->err = err;
		rc = MER_ERR_USAGE;
	}
	if (rc == 0 && ask->n_args == n_asked(ask) && !ask_here_add(ask))
		rc = mer_fail(&ask->err, MER_ERR_USAGE,
			"no traces were named, and the current folder has none");
	return rc;
}

/* The words in front of the question. Its verb follows them. */
static int own_words(int argc, char **argv)
{
	int at = 1;
	while (at < argc && argv[at][0] == '-')
		at += strcmp(argv[at], "--rate") == 0 ? 2 : 1;
	return at < argc ? at : argc;
}

static int run(struct ranks *x, int argc, char **argv)
{
	struct ask own;
	struct ranks_options o = { 0 };
	int at = own_words(argc, argv), first = 1;
	cli_begin(&own);
	own.verb = &cli_verb_mpi;
	int rc = ask_parse(&own, at, argv, &first, &o);
	if (rc == 0 && own.want_help && x->rank == 0)
		cli_help_verb(&cli_verb_mpi, stdout, false);
	x->ask.quiet = own.quiet;
	x->ask.color = own.color;
	x->ask.strict = own.strict;
	x->ask.verbose = own.verbose;
	bool is_done = own.want_help;
	if (rc == 0 && !is_done && at == argc)
		rc = mer_fail(&own.err, MER_ERR_USAGE,
			"where is the question? As in mpirun -n 4 meridian-mpi top cpu TRACE...");
	if (rc && x->rank == 0)
		cli_misused(&own);
	mer_arena_fini(&own.arena);
	if (rc || is_done)
		return rc ? ASK_USAGE : ASK_OK;
	x->o = &o;
	/* As if it had been typed for meridian. */
	x->argc = argc - at + 1;
	x->argv = argv + at - 1;
	rc = read_question(x);
	if (rc)
		return x->rank == 0 ? cli_misused(&x->ask) : ASK_USAGE;
	return ask_all(x);
}

int main(int argc, char **argv)
{
	struct ranks x = { 0 };
	MPI_Request request;
	cli_prepare_process();
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &x.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &x.n);
	cli_begin(&x.ask);
	if (x.rank != 0)
		x.ask.program = &in_silence;
	x.nowhere = fopen("/dev/null", "we");
	x.place_n = 1;
	if (!x.nowhere)
		die(&x, NULL);
	int status = cli_end(&x.ask, run(&x, argc, argv));
	fclose(x.nowhere);
	/* A rank that ends with an error would end others that are still at work. */
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	wait_for(&request);
	MPI_Finalize();
	return status;
}
