/* meridian part: what the synchronization of a host's clock needs, as a small file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ask/print/table.h"
#include "ask/program.h"
#include "ask/session.h"
#include "ask/verb.h"
#include "base/file.h"
#include "cli/fleet/part_full.h"
#include "session/session.h"
#include "sync/part/part.h"

enum { PER_SECOND = 20 };

struct values {
	const char *to;
	struct ask_amount rate;
	bool full, no_facts;
};

enum { HOST, FILE_NAME, BYTES, ENDS, KEPT, N_COLUMNS };
static const struct mer_column columns[N_COLUMNS + 1] = {
	[HOST] = { "host", "host", MER_TEXT },
	[FILE_NAME] = { "file", "file", MER_TEXT },
	[BYTES] = { "bytes", "size", MER_BYTES },
	[ENDS] = { "ends", "ends of messages", MER_COUNT },
	[KEPT] = { "kept", "kept", MER_COUNT },
};

static const struct mer_column full_columns[BYTES + 2] = {
	[HOST] = { "host", "host", MER_TEXT },
	[FILE_NAME] = { "file", "file", MER_TEXT },
	[BYTES] = { "bytes", "size", MER_BYTES },
};

/* "DIR/web.part"; a name of a host cannot lead out of the folder, and two never have one file.
 * before: paths of the n hosts before. NULL: no memory. */
static const char *path_in(
	struct ask *ask, const char *dir, const char *host, uint32_t n, const char *const *before)
{
	enum { MOST_NAME = 200 }; /* of the 255 bytes that a file's name can have */
	size_t len = strlen(dir);
	while (len > 1 && dir[len - 1] == '/')
		len--;
	char *path =
		mer_arena_printf(&ask->arena, "%.*s/%.*s.part", (int)len, dir, MOST_NAME, host);
	for (char *p = path ? path + len + 1 : NULL; p && *p; p++)
		if (*p == '/' || (unsigned char)*p < ' ' || (p == path + len + 1 && *p == '.'))
			*p = '_';
	for (uint32_t i = 0; path && i < n; i++)
		if (strcmp(before[i], path) == 0)
			return mer_arena_printf(&ask->arena, "%.*s-%u.part",
				(int)(strlen(path) - strlen(".part")), path, n + 1);
	return path;
}

/* Of one host, a file; of several a folder has one for each. */
static int find_paths(
	struct ask *ask, const struct values *v, const struct mer_experiment *e, const char **paths)
{
	struct stat st;
	size_t len = strlen(v->to);
	bool is_folder =
		(stat(v->to, &st) == 0 && S_ISDIR(st.st_mode)) || (len && v->to[len - 1] == '/');
	uint32_t n = 0;
	for (uint32_t h = 0; h < e->n_hosts; h++)
		n += session_selects_host(&ask->select, e->hosts[h].name);
	if (n > 1 && !is_folder)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"these are traces of %u hosts: -o must be a folder, as in -o parts/, which gets a file for each",
			n);
	if (is_folder && !mer_make_folder(v->to))
		return mer_fail_errno(&ask->err, "make the folder", v->to);
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		paths[h] = is_folder ? path_in(ask, v->to, e->hosts[h].name, h, paths)
			   : strcmp(v->to, "-") == 0 ? "/dev/stdout"
						     : v->to;
		if (!paths[h])
			return mer_fail_nomem(&ask->err);
	}
	return 0;
}

static int write_all(
	struct ask *ask, const struct values *v, struct session *s, struct mer_table *t)
{
	struct mer_experiment *e = session_experiment(s);
	const char **paths = mer_arena_zalloc(&ask->arena, e->n_hosts + 1u, sizeof(*paths));
	struct sync_parts *parts = NULL;
	bool is_one = e->n_hosts == 1;
	int rc = paths ? find_paths(ask, v, e, paths) : mer_fail_nomem(&ask->err);
	if (rc == 0)
		rc = sync_parts_new(e, &parts, &ask->err);
	struct ask_progress progress;
	ask_progress_begin(&progress, ask, "reading", e->bytes);
	for (uint32_t h = 0; h < e->n_hosts && rc == 0; h++) {
		const struct sync_part_options o = {
			.per_second = v->rate.set ? (double)v->rate.v : PER_SECOND,
			.temporary = getenv("TMPDIR"),
			.cancel = session_cancel_of(s),
			.done_bytes = &progress.done_bytes,
		};
		struct sync_part_counts counts;
		if (!session_selects_host(&ask->select, e->hosts[h].name))
			continue;
		rc = sync_part_write(parts, h, paths[h], &o, &counts, &ask->err);
		/* The parts of the others are of use, too. */
		if (rc == MER_ERR_INPUT && !is_one) {
			ask_warn(ask, "%s", ask_err_text(ask, &ask->err));
			rc = 0;
			continue;
		}
		if (rc == 0)
			mer_table_add(t, (struct mer_cell[N_COLUMNS]){
						 [HOST] = mer_text(e->hosts[h].name),
						 [FILE_NAME] = mer_text(paths[h]),
						 [BYTES] = MER_INT(counts.bytes),
						 [ENDS] = MER_INT(counts.n_seen),
						 [KEPT] = MER_INT(counts.n_kept),
					 });
	}
	ask_progress_end(&progress);
	sync_parts_free(parts);
	return rc;
}

struct full_table {
	struct ask *ask;
	struct mer_table *t;
	const char *path;
};

static void add_full(void *ctx, const char *host, uint64_t bytes)
{
	struct full_table *x = ctx;
	const char *name = mer_arena_strdup(&x->ask->arena, host);
	mer_table_add(x->t, (struct mer_cell[BYTES + 1]){ [HOST] = mer_text(name ? name : ""),
				    [FILE_NAME] = mer_text(x->path),
				    [BYTES] = bytes ? MER_INT(bytes) : MER_NONE });
}

static bool is_stream(const char *path)
{
	return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static int write_full(struct ask *ask, const struct values *v)
{
	struct mer_table t;
	struct full_table x = { ask, &t, is_stream(v->to) ? "/dev/stdout" : v->to };
	struct stat st;
	if (v->rate.set)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--rate is of the parts that --full is given, not of a full one");
	if (ask->select.hosts.n)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--host does not go with --full: give the traces of these hosts alone");
	if (stat(v->to, &st) == 0 && S_ISDIR(st.st_mode))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"-o %.800s is a folder: --full writes one file", v->to);
	mer_table_init(&t, "parts", NULL, full_columns, &ask->arena);
	int rc = part_full_write(ask, x.path, !v->no_facts, getenv("TMPDIR"), add_full, &x);
	if (rc == 0 && !is_stream(v->to))
		rc = ask_table_print(ask, &t);
	mer_table_fini(&t);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct session *s;
	struct mer_table t;
	if (!v->to || !*v->to)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"-o is missing: the file to write, as in -o %s.part, or a folder",
			ask->n_args ? "web" : "HOST");
	if (v->full)
		return write_full(ask, v);
	if (v->no_facts || ask->sync)
		return mer_fail(&ask->err, MER_ERR_USAGE, "%s is of full parts (--full)",
			v->no_facts ? "--no-facts" : "--sync");
	int rc = ask_session_open_synced(ask, ASK_SYNC_NEVER, &s);
	if (rc)
		return rc;
	mer_table_init(&t, "parts", NULL, columns, &ask->arena);
	rc = write_all(ask, v, s, &t);
	if (rc == 0 && !t.n_rows)
		rc = mer_fail(&ask->err, MER_ERR_INPUT, "no host has anything that a part has");
	if (rc == 0 && !is_stream(v->to))
		rc = ask_table_print(ask, &t);
	mer_table_fini(&t);
	ask_session_close(ask, s);
	return rc;
}

static const struct ask_option options[] = {
	{ .name = "output",
		.letter = 'o',
		.kind = ASK_FILE,
		.arg = "FILE",
		.help = "the part (-: standard output); of several hosts DIR/",
		.offset = offsetof(struct values, to) },
	{ .name = "rate",
		.kind = ASK_AMOUNT,
		.arg = "N",
		.help = "keep N a second of each peer and way (20); 0: all",
		.offset = offsetof(struct values, rate) },
	{ .name = "full",
		.kind = ASK_FLAG,
		.help = "also what its tasks did, for any question but events",
		.offset = offsetof(struct values, full) },
	{ .name = "no-facts",
		.kind = ASK_FLAG,
		.help = "with --full: for requests, path, blocked, task, diff",
		.in_manual_only = true,
		.offset = offsetof(struct values, no_facts) },
	{ 0 },
};

const struct ask_verb cli_verb_part = {
	.name = "part",
	.help = "what clocks need of a host's traces, as a small file",
	.synopsis = "[OPTION...] TRACE... -o FILE",
	.description =
		"Writes the ends of messages that a host's traces have into one small file. The parts of all hosts align their clocks, where no recording has to be copied to: 'meridian sync *.part --save all.sync'. With --sync all.sync, each host then answers on the same time line.",
	.more =
		"A part has addresses, ports and sequence numbers of packets, but no data, programs, files or users; that of a recording by 'meridian record' also the host's clocks as the recorder saw them. It is a gzipped tar archive with a CTF trace, so tar and every reader of CTF show what is in it. With --rate 0 clocks from parts are those from the traces, digit for digit. Otherwise a host keeps a message if a hash of its key is small, so both of its ends are kept without a word between hosts; about N of each busy peer, direction and second remain, and of all others together fifty times as many. Pairs of events that --pairs declares, messages of MPI, and what virtual CPUs show of clocks are not in a part.\n\n"
		"A full part (--full) stands for the host's traces in every question but those about events: what its tasks did is in it, a tenth to a half of the traces' size, and their packets without events. With --no-facts it is half as large, and of use for requests, path, blocked, task and diff alone. It is made of the host's traces and the parts of the hosts that it exchanged messages with, made with --rate 0, with --sync and the file of clocks of all hosts: 'meridian part --full --sync all.sync TRACE... *.part -o web.full'. Where the full parts of all hosts meet, they are used like traces: 'meridian requests *.full'. In place of a host that has none, its part can be given. graph, events, mpi and vm need the traces.",
	.uses = ASK_USES_HOST | ASK_USES_SYNC | ASK_USES_JOBS | ASK_USES_INPUT,
	.is_aside = true,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian part server/ -o server.part", "On the host that has the recording." },
		{ "meridian part client/ server/ -o parts/", "Of two hosts: a file for each." },
	},
	.run = run,
};
