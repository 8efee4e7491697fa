/* meridian export: facts as files for other programs: a lake of Parquet files, or one trace of
 * Perfetto. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "ask/lake/facts.h"
#include "ask/timeline/perfetto.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/session.h"
#include "ask/tasks.h"
#include "ask/verb.h"
#include "base/human.h"
#include "base/map.h"
#include "base/nearest.h"
#include "base/new_file.h"
#include "base/plural.h"
#include "session/capabilities.h"
#include "session/request.h"
#include "session/session.h"
#include "store/cache.h"
#include "trace/extent.h"

enum { KINDS = 64 };
enum { FORMAT_PARQUET, FORMAT_PERFETTO };

struct values {
	unsigned format;  /* enum */
	const char *lake; /* or the file */
	struct session_texts kinds;
};

struct place { /* of a kind and host */
	struct lake_place at;
	struct lake_list old;
	bool is_done; /* it is there and current, or has been made */
};

struct kind {
	struct analysis_request request;
	struct place *places;		      /* by host */
	uint64_t n_made, n_kept, rows, bytes; /* files made and kept; of both */
	uint32_t n_not_recorded;	      /* hosts */
};

struct export
{
	struct ask *ask;
	const char *lake;
	struct session *session;
	const struct mer_experiment *e;
	char key[LAKE_KEY];
	struct kind kinds[KINDS];
	size_t n;
	struct parquet_pair pairs[8];
	size_t n_pairs;
	/* The facts that are coming. */
	struct lake_facts *facts; /* NULL: none */
	struct kind *kind;
	uint32_t host;
	struct perfetto *perfetto; /* NULL: none */
};

/* ---- Which kinds ---- */

static int log_of(const struct analysis *a)
{
	return a->of_periods || a->of_views ? -1 : analysis_find_output(a, "log");
}

static void add_kind(struct export *x, const struct analysis *a)
{
	for (size_t k = 0; k < x->n; k++)
		if (x->kinds[k].request.analysis == a)
			return;
	x->kinds[x->n++].request = (struct analysis_request){ a, (unsigned)log_of(a) };
}

static int no_such_kind(struct ask *ask, const char *word)
{
	const char *names[KINDS];
	struct mer_str list = { 0 };
	size_t n = 0;
	for (size_t i = 0; analyses[i]; i++)
		if (log_of(analyses[i]) >= 0)
			names[n++] = analyses[i]->id;
	for (size_t i = 0; i < n; i++)
		mer_str_printf(&list, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " and ", names[i]);
	const char *best = mer_nearest(word, names, n);
	int rc = mer_fail(&ask->err, MER_ERR_USAGE,
		"--kind: no kind of facts '%.100s'%s%s%s; there are: %s", word,
		best ? " (did you mean " : "", best ? best : "", best ? "?)" : "",
		list.data ? list.data : "none");
	mer_str_fini(&list);
	return rc;
}

/* All kinds that 'meridian log' lists, but for those that need more than traces. */
static int choose_kinds(struct export *x, const struct session_texts *words)
{
	for (size_t i = 0; i < words->n; i++) {
		const struct analysis *a = analysis_find(words->item[i]);
		if (!a || log_of(a) < 0)
			return no_such_kind(x->ask, words->item[i]);
		add_kind(x, a);
	}
	for (size_t i = 0; analyses[i] && !words->n; i++)
		if (log_of(analyses[i]) >= 0)
			add_kind(x, analyses[i]);
	return 0;
}

/* ---- What is there ---- */

/* Recordings of a host are told apart by the identities of its traces: of the kernel's, so that one
 * more trace of a program makes no other recording. */
static uint64_t recording_of(const struct mer_experiment *e, uint32_t host)
{
	uint64_t all[2] = { 0 };
	for (uint32_t t = 0; t < e->n_traces; t++) {
		const struct mer_trace *trace = &e->traces[t];
		const char *id = trace->uuid ? trace->uuid : trace->path;
		if (trace->host == host)
			all[strcmp(trace->domain, "kernel") == 0] += mer_hash(id, strlen(id));
	}
	return all[1] ? all[1] : all[0];
}

static void mix_ranges(struct store_key *k, const struct session_ranges *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const uint64_t range[] = { r->item[i].first, r->item[i].last,
			r->item[i].is_process };
		store_key_mix(k, range, sizeof(range));
	}
	store_key_mix(k, &r->n, sizeof(r->n));
}

/* Of all that the rows follow from. */
static bool find_key(struct export *x)
{
	static const char made_by[] = "meridian " MERIDIAN_VERSION ", schema " LAKE_SCHEMA;
	struct store_key k;
	const struct session_selection *s = &x->ask->select;
	const int64_t window[] = { x->ask->window.begin, x->ask->window.end };
	if (!store_key_of(&k, x->e))
		return false;
	store_key_mix_clocks(&k, session_sync_result(x->session));
	store_key_mix(&k, made_by, sizeof(made_by));
	store_key_mix(&k, window, sizeof(window));
	mix_ranges(&k, &s->cpus);
	mix_ranges(&k, &s->tids);
	for (size_t i = 0; i < s->comms.n; i++)
		store_key_mix(&k, s->comms.item[i], strlen(s->comms.item[i]));
	snprintf(x->key, sizeof(x->key), "%016" PRIx64, k.hash[0]);
	return true;
}

static void count_files(struct kind *kind, const struct lake_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		kind->rows += l->files[i].rows;
		kind->bytes += l->files[i].bytes;
	}
}

static bool wants_host(const struct export *x, uint32_t host)
{
	return session_selects_host(&x->ask->select, x->e->hosts[host].name);
}

static int find_place(struct export *x, struct kind *kind, uint32_t host)
{
	struct place *p = &kind->places[host];
	if (!lake_place_set(&p->at, x->lake, kind->request.analysis->id, x->e->hosts[host].name,
		    recording_of(x->e, host)))
		return mer_fail(
			&x->ask->err, MER_ERR_USAGE, "-o: the name of the folder is too long");
	p->is_done = !wants_host(x, host);
	if (p->is_done)
		return 0;
	lake_list_read(&p->old, &p->at);
	p->is_done = lake_list_is_current(&p->old, &p->at, x->key);
	if (p->is_done) {
		kind->n_kept += p->old.n;
		count_files(kind, &p->old);
	}
	return 0;
}

static int find_places(struct export *x)
{
	int rc = 0;
	if (!find_key(x))
		return mer_fail(&x->ask->err, MER_ERR_SYS,
			"the files of the traces cannot be examined; are they still there?");
	for (size_t k = 0; k < x->n && rc == 0; k++) {
		struct kind *kind = &x->kinds[k];
		kind->places = mer_arena_zalloc(
			&x->ask->arena, x->e->n_hosts + (size_t)1, sizeof(*kind->places));
		if (!kind->places)
			return mer_fail_nomem(&x->ask->err);
		for (uint32_t h = 0; h < x->e->n_hosts && rc == 0; h++)
			rc = find_place(x, kind, h);
	}
	return rc;
}

static bool is_missing(const struct export *x, const struct kind *kind)
{
	for (uint32_t h = 0; h < x->e->n_hosts; h++)
		if (!kind->places[h].is_done)
			return true;
	return false;
}

/* What files say of themselves. */
static void describe(struct export *x)
{
	const struct session_synced *synced = session_synced(x->session);
	const struct session_selection *s = &x->ask->select;
	bool is_aligned = synced && synced->summary.n_hosts > 1;
	bool is_part = session_selects_part(s) || session_selects_tasks(s) || s->cpus.n;
	const struct parquet_pair pairs[] = { { "meridian.schema_version", LAKE_SCHEMA },
		{ "meridian.version", MERIDIAN_VERSION }, { "meridian.key", x->key },
		{ "meridian.times", "nanoseconds since 1970-01-01 UTC" },
		{ "meridian.facts", is_part ? "some" : "all" },
		{ "meridian.clocks", is_aligned ? "aligned" : "as recorded" },
		{ "meridian.reference", is_aligned ? synced->reference : "" } };
	x->n_pairs = sizeof(pairs) / sizeof(*pairs);
	memcpy(x->pairs, pairs, sizeof(pairs));
}

/* ---- Making files ---- */

static int end_facts(struct export *x)
{
	struct lake_list made = { 0 };
	if (!x->facts)
		return 0;
	struct place *p = &x->kind->places[x->host];
	int rc = lake_facts_commit(x->facts, x->key, &made, &x->ask->err);
	if (rc == 0) {
		x->kind->n_made += made.n;
		count_files(x->kind, &made);
	}
	p->is_done = true;
	lake_list_fini(&made);
	lake_facts_free(x->facts);
	x->facts = NULL;
	return rc;
}

static int begin_facts(
	struct export *x, struct kind *kind, uint32_t host, const struct mer_column *columns)
{
	int rc = end_facts(x);
	struct place *p = &kind->places[host];
	x->kind = kind;
	x->host = host;
	return rc ? rc
		  : lake_facts_new(&p->at, &p->old, columns, x->pairs, x->n_pairs, &x->facts,
			    &x->ask->err);
}

static int take_row(void *taker, const struct analysis_run *run, const struct mer_table *t,
	uint32_t host, const struct mer_cell *cells)
{
	struct export *x = taker;
	struct kind *kind = x->kinds;
	while (kind->request.analysis != run->analysis)
		kind++;
	bool goes_on = x->facts && x->kind == kind && x->host == host;
	if (!goes_on && kind->places[host].is_done)
		return 0;
	int rc = goes_on ? 0 : begin_facts(x, kind, host, t->columns);
	return rc ? rc : lake_facts_add(x->facts, cells, run->err);
}

/* Rows of all hosts are made, whatever --host says, and those of the others dropped: of a thing
 * with two ends there is one fact, with the host of the first one. */
typedef int take_fn(void *taker, const struct analysis_run *run, const struct mer_table *t,
	uint32_t host, const struct mer_cell *cells);

static int ask_rows(
	struct export *x, const struct analysis_request *requests, size_t n, take_fn *take)
{
	struct session_selection selection = x->ask->select;
	selection.hosts = (struct session_texts){ 0 };
	const struct session_request q = { .tables = requests,
		.n = n,
		.selection = &selection,
		.options = { .max_ns = INT64_MAX, .take_row = take, .taker = x },
		.stage = SESSION_READING };
	struct session_answer a;
	int rc = session_request(x->session, &q, &a, &x->ask->err);
	if (rc == 0)
		rc = ask_tasks_check_answer(x->ask, &a);
	session_answer_fini(&a);
	return rc;
}

static int ask_for(struct export *x, const struct analysis_request *requests, size_t n)
{
	int rc = ask_rows(x, requests, n, take_row);
	return rc ? rc : end_facts(x);
}

/* One reading for all, or, where a store has them, one kind after the other, which takes the memory
 * of one. */
static int make_files(struct export *x)
{
	struct analysis_request requests[KINDS];
	size_t n = 0;
	int rc = 0;
	for (size_t k = 0; k < x->n; k++)
		if (is_missing(x, &x->kinds[k]))
			requests[n++] = x->kinds[k].request;
	size_t step = session_store_is_likely(x->session) ? 1 : n;
	for (size_t i = 0; i < n && rc == 0; i += step)
		rc = ask_for(x, requests + i, step);
	return rc;
}

static bool is_recorded(const struct analysis *of, const struct capability_host *h)
{
	bool lacking[CAPABILITY_N_EVENTS] = { 0 }, is_known = false;
	for (const struct capability *a = capabilities(); a->name; a++) {
		if (!capability_is_of(a, of->id))
			continue;
		is_known = true;
		if (capability_judge(a, h, lacking) != CAPABILITY_NO)
			return true;
	}
	return !is_known;
}

/* Where nothing happened there is a file without rows: a question about it finds none. Where it was
 * not recorded there is no file. */
static int make_empty(struct export *x)
{
	struct capability_host *hosts =
		mer_arena_zalloc(&x->ask->arena, x->e->n_hosts + (size_t)1, sizeof(*hosts));
	int rc = 0;
	if (!hosts)
		return mer_fail_nomem(&x->ask->err);
	capability_declared(x->e, hosts);
	for (size_t k = 0; k < x->n; k++)
		for (uint32_t h = 0; h < x->e->n_hosts && rc == 0; h++) {
			struct kind *kind = &x->kinds[k];
			const struct analysis *a = kind->request.analysis;
			int64_t begin = trace_extent_of_host(x->e, h).begin;
			bool is_there = is_recorded(a, &hosts[h]);
			kind->n_not_recorded += wants_host(x, h) && !is_there;
			if (kind->places[h].is_done || begin == MER_NO_TIME)
				continue;
			rc = begin_facts(x, kind, h, a->outputs[kind->request.output].columns);
			if (rc == 0 && is_there)
				rc = lake_facts_begin_day(x->facts, begin, &x->ask->err);
			if (rc == 0)
				rc = end_facts(x);
		}
	return rc;
}

/* ---- What was done ---- */

static int print(struct export *x)
{
	enum { KIND, MADE, KEPT, ROWS, BYTES, N };
	static const struct mer_column columns[N + 1] = {
		[KIND] = { "kind", "kind", MER_TEXT },
		[MADE] = { "made", "files made", MER_COUNT },
		[KEPT] = { "kept", "files kept", MER_COUNT },
		[ROWS] = { "rows", "rows", MER_COUNT },
		[BYTES] = { "bytes", "size", MER_BYTES },
	};
	struct mer_table t;
	struct mer_str out = { 0 }, lacking = { 0 };
	mer_table_init(&t, "export", NULL, columns, &x->ask->arena);
	for (size_t k = 0; k < x->n; k++) {
		const struct kind *kind = &x->kinds[k];
		const char *id = kind->request.analysis->id;
		if (kind->n_made + kind->n_kept)
			mer_table_add(&t, (struct mer_cell[N]){
						  [KIND] = mer_text(id),
						  [MADE] = MER_INT(kind->n_made),
						  [KEPT] = MER_INT(kind->n_kept),
						  [ROWS] = MER_INT(kind->rows),
						  [BYTES] = MER_INT(kind->bytes),
					  });
		else if (kind->n_not_recorded)
			mer_str_printf(&lacking, "%s%s", lacking.len ? ", " : "", id);
	}
	bool any = t.n_rows > 0;
	ask_table_text(&t, &out, (size_t)ask_width(x->ask), x->ask->bold_out, x->ask->ascii);
	mer_table_fini(&t);
	int rc = ask_put(x->ask, &out, 0);
	if (lacking.data)
		ask_note(x->ask,
			"no files of %s: the traces lack the events ('meridian check' lists what to record)",
			lacking.data);
	mer_str_fini(&lacking);
	if (rc == 0 && !any)
		x->ask->unanswered = true;
	return rc;
}

static int export_all(struct export *x)
{
	struct ask *ask = x->ask;
	struct analysis_request all[KINDS];
	for (size_t k = 0; k < x->n; k++)
		all[k] = x->kinds[k].request;
	int rc = ask_session_synchronize(ask, x->session, analysis_needs_messages(all, x->n));
	if (rc == 0)
		rc = find_places(x);
	describe(x);
	if (rc == 0)
		rc = make_files(x);
	if (rc == 0)
		rc = make_empty(x);
	lake_facts_free(x->facts);
	for (size_t k = 0; k < x->n; k++)
		for (uint32_t h = 0; x->kinds[k].places && h < x->e->n_hosts; h++)
			lake_list_fini(&x->kinds[k].places[h].old);
	return rc ? rc : print(x);
}

/* ---- Perfetto: one file ---- */

static int take_slice(void *taker, const struct analysis_run *run, const struct mer_table *t,
	uint32_t host, const struct mer_cell *cells)
{
	struct export *x = taker;
	if (!wants_host(x, host))
		return 0;
	return perfetto_add(
		x->perfetto, run->analysis->id, x->e->hosts[host].name, t, cells, run->err);
}

static int print_slices(struct export *x)
{
	struct mer_str out = { 0 };
	uint64_t slices, instants, flows, bytes;
	perfetto_counts(x->perfetto, &slices, &instants, &flows, &bytes);
	mer_str_printf(&out, "%s: ", x->lake);
	mer_put_count(&out, (int64_t)slices);
	mer_str_printf(&out, " %s, ", mer_plural(slices, "slice", "slices"));
	mer_put_count(&out, (int64_t)instants);
	mer_str_puts(&out, " without a known end, ");
	mer_put_count(&out, (int64_t)flows);
	mer_str_printf(&out, " %s, ", mer_plural(flows, "wake-up", "wake-ups"));
	mer_put_bytes(&out, (int64_t)bytes);
	mer_str_puts(&out, "\n");
	x->ask->unanswered |= slices + instants == 0;
	return ask_put(x->ask, &out, 0);
}

/* One kind after the other: a sequence of packets has facts of one. */
static int make_slices(struct export *x, FILE *file)
{
	struct ask *ask = x->ask;
	int rc = perfetto_new(file, &x->perfetto, &ask->err);
	for (size_t k = 0; k < x->n && rc == 0; k++)
		rc = ask_rows(x, &x->kinds[k].request, 1, take_slice);
	if (rc == 0)
		rc = perfetto_end(x->perfetto, &ask->err);
	return rc;
}

static int export_slices(struct export *x)
{
	struct ask *ask = x->ask;
	struct mer_new_file file;
	struct analysis_request all[KINDS];
	for (size_t k = 0; k < x->n; k++)
		all[k] = x->kinds[k].request;
	int rc = ask_session_synchronize(ask, x->session, analysis_needs_messages(all, x->n));
	if (rc)
		return rc;
	if (!mer_new_file_open(&file, x->lake))
		return mer_fail_errno(&ask->err, "write", x->lake);
	int copy = dup(file.fd);
	FILE *stream = copy < 0 ? NULL : fdopen(copy, "w");
	rc = stream ? make_slices(x, stream) : mer_fail_errno(&ask->err, "write", x->lake);
	bool failed = stream && ferror(stream);
	if (stream && fclose(stream) != 0)
		failed = true;
	if (rc == 0 && failed)
		rc = mer_fail_errno(&ask->err, "write", x->lake);
	if (rc)
		mer_new_file_abandon(&file);
	else if (!mer_new_file_commit(&file))
		rc = mer_fail_errno(&ask->err, "write", x->lake);
	if (rc == 0)
		rc = print_slices(x);
	perfetto_free(x->perfetto);
	return rc;
}

/* Those that a timeline of tasks is made of; others by --kind. */
static void choose_slices(struct export *x)
{
	static const char *const ids[] = { "cpu", "sched", "syscall", "waits", "requests", "disk",
		"mpi" };
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (analysis_find(ids[i]))
			add_kind(x, analysis_find(ids[i]));
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct export *x = mer_arena_zalloc(&ask->arena, 1, sizeof(*x));
	if (!x)
		return mer_fail_nomem(&ask->err);
	*x = (struct export){ .ask = ask, .lake = v->lake };
	bool is_perfetto = v->format == FORMAT_PERFETTO;
	if (is_perfetto && (!v->lake || !*v->lake || strcmp(v->lake, "-") == 0))
		return mer_fail(
			&ask->err, MER_ERR_USAGE, "-o FILE must name the file for ui.perfetto.dev");
	if (!v->lake || !*v->lake || strcmp(v->lake, "-") == 0)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"-o LAKE must name a folder, which is created if it does not exist");
	if (is_perfetto && !v->kinds.n)
		choose_slices(x);
	int rc = is_perfetto && !v->kinds.n ? 0 : choose_kinds(x, &v->kinds);
	if (rc == 0)
		rc = ask_session_open(ask, &x->session);
	if (rc)
		return rc;
	x->e = session_experiment(x->session);
	rc = is_perfetto ? export_slices(x) : export_all(x);
	ask_session_close(ask, x->session);
	return rc;
}

static const struct ask_option options[] = {
	{ .name = "format",
		.kind = ASK_CHOICE,
		.arg = "FORMAT",
		.choices = "parquet|perfetto",
		.help = "parquet (default); perfetto: for ui.perfetto.dev",
		.offset = offsetof(struct values, format) },
	{ .name = "output",
		.letter = 'o',
		.kind = ASK_FILE,
		.arg = "LAKE",
		.help = "the folder of Parquet files, or the file for Perfetto",
		.offset = offsetof(struct values, lake) },
	{ .name = "kind",
		.kind = ASK_TEXTS,
		.arg = "KIND",
		.help = "only these kinds of facts (sched,syscall; default: all)",
		.offset = offsetof(struct values, kinds) },
	{ 0 },
};

const struct ask_verb ask_verb_export = {
	.name = "export",
	.help = "facts as Parquet files, or as a trace for ui.perfetto.dev",
	.is_aside = true,
	.synopsis = "-o LAKE|FILE [OPTION...] TRACE...",
	.description =
		"Writes every occurrence that 'meridian log' lists as Parquet files, partitioned by "
		"kind, day (UTC) and host, for DuckDB, Spark, ClickHouse and others. Columns have "
		"the names and values of 'meridian log KIND --format csv'; unknown values are NULL. "
		"Files that are up to date are kept.\n\n"
		"--format perfetto writes one file for ui.perfetto.dev: a track for each task of each host, "
		"with its time on CPUs, runnable, in system calls and in waits, and its requests.",
	.more = "Files are LAKE/kind=K/date=D/host=H/part-N.parquet. A file is up to date if the traces, their clocks, the selection (--begin, --comm, ...) and the version "
		"of meridian are those with which it was written. Otherwise the files of this recording are replaced. Another "
		"recording of the same host and day gets the next number (part-1). LAKE/_meridian lists which files "
		"belong to which recording: keep it with the files.\n\n"
		"A kind that was recorded and did not occur gets a file without rows; a kind that was not recorded gets "
		"none. Times are nanoseconds of UTC; durations are integers in nanoseconds. A message, and anything else "
		"with two ends, is in the file of the host where it began. States of views and periods are not exported.\n\n"
		"With --store, or if the cache has a store of the traces, kinds are written one after the other, which "
		"takes less memory. docs/fleet.md has examples of queries.\n\n"
		"With --format perfetto, kinds are cpu, sched, syscall, waits, requests, disk and mpi, unless --kind "
		"says which. A fact is a slice, or an instant where its end is not known. Arrows go from who woke a "
		"task to where it is runnable. Times of all hosts are those of the reference host. docs/exports.md has more.",
	.uses = (ASK_USES_TASKS & ~(unsigned)(ASK_USES_FORMAT | ASK_USES_MARKS)) | ASK_USES_CPU,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian export --format parquet -o lake client/ server/", "All facts of two hosts." },
		{ "meridian export --format perfetto -o two-hosts.pftrace client/ server/",
			"The same two hosts for ui.perfetto.dev." },
	},
	.run = run,
};
