#include "sync/part/part.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/new_file.h"
#include "copied/copied.h"
#include "copied/notes.h"
#include "mpi/run.h"
#include "part/archive.h"
#include "part/file.h"
#include "sync/match/ends.h"
#include "sync/part/layout.h"
#include "sync/part/sample.h"
#include "sync/rounds/excerpt.h"
#include "sync/rounds/rounds.h"
#include "trace/cursor.h"
#include "trace/extent.h"

enum { PATH_BYTES = 4300 };

struct sync_parts {
	struct mer_experiment *e;
	struct mer_arena arena;
	struct sync_ends *ends;
	const char *const *manifests;
	size_t n_manifests;
	bool has_mpi;
};

struct writing {
	const struct sync_parts *of;
	struct mer_experiment *e;
	uint32_t host;
	const struct sync_part_options *o;
	struct sync_part_counts *counts;
	struct mer_arena arena;
	const struct sync_ends *ends;
	struct mer_cursor *cursor;
	struct sync_sample sample;
	struct ctf_schema *schema;
	struct ctf_writer *writer;
	int64_t base, begin, end; /* ns */
	uint64_t without[2];	  /* ends without a key, by is_send */
	uint64_t bytes;		  /* that were reported */
	int fd;			  /* of a temporary file without a name; -1: none */
	char stream[32];	  /* its path */
	struct mer_err *err;
};

static uint64_t clock_of(const struct writing *w, int64_t time)
{
	return (uint64_t)time - (uint64_t)w->base;
}

/* From the first to the last event of all traces. */
static int find_span(struct writing *w)
{
	const struct mer_experiment *e = w->e;
	const struct trace_extent x = trace_extent_of_host(e, w->host);
	bool has_clock = true;
	for (uint32_t i = 0; i < e->n_parts; i++)
		if (e->traces[e->parts[i].trace].host == w->host &&
			trace_of_copy(&e->parts[i], COPIED_ENV_HOST))
			return mer_fail(
				w->err, MER_ERR_INPUT, "%s is a part already", e->parts[i].given);
	for (uint32_t t = 0; t < e->n_traces; t++) {
		const struct mer_trace *of = &e->traces[t];
		has_clock &= of->host != w->host || (of->has_clock && !of->base_s);
	}
	if (!has_clock)
		return mer_fail(w->err, MER_ERR_INPUT,
			"host %s has no clock that can be compared with others",
			e->hosts[w->host].name);
	w->begin = x.begin;
	w->end = x.end;
	if (w->begin == MER_NO_TIME)
		return mer_fail(w->err, MER_ERR_INPUT, "the traces of host %s have no events",
			e->hosts[w->host].name);
	return 0;
}

static int keep(void *ctx, const struct sync_end *e, struct mer_err *err)
{
	struct writing *w = ctx;
	uint8_t bytes[SYNC_PART_END_BYTES];
	sync_part_encode(e, bytes);
	w->counts->n_kept++;
	return ctf_writer_record(w->writer, &w->schema->streams[0].events[0], clock_of(w, e->time),
		bytes, sizeof(bytes), err);
}

static int take(struct writing *w, const struct mer_event *ev)
{
	struct sync_end ends[1]; /* without pairs of the user there is at most one */
	uint32_t without[2];
	uint32_t n = sync_ends_get(w->ends, ev, ends, without);
	w->counts->runs_guests |= sync_ends_is_entry(w->ends, ev);
	for (unsigned way = 0; way < 2; way++)
		w->without[way] += without[way];
	if (n == 0)
		return 0;
	w->counts->n_seen += !ends->is_local;
	/* An event whose time lies before that of its packet. */
	ends->time = ends->time < w->begin ? w->begin : ends->time;
	return sync_sample_add(&w->sample, ends, keep, w, w->err);
}

static int read_all(struct writing *w)
{
	const struct mer_event *ev;
	size_t n = 1;
	int rc =
		trace_cursor_of_host(w->e, sync_ends_reading(w->ends), w->host, &w->cursor, w->err);
	while (rc == 0 && n > 0) {
		if (mer_cancelled(w->o->cancel))
			return mer_fail(w->err, MER_ERR_CANCELLED, "cancelled");
		rc = mer_cursor_next(w->cursor, &ev, &n, w->err);
		for (size_t i = 0; rc == 0 && i < n; i++)
			rc = take(w, &ev[i]);
		uint64_t bytes = trace_cursor_bytes(w->cursor);
		if (w->o->done_bytes)
			atomic_fetch_add_explicit(
				w->o->done_bytes, bytes - w->bytes, memory_order_relaxed);
		w->bytes = bytes;
	}
	return rc ? rc : sync_sample_end(&w->sample, keep, w, w->err);
}

/* How many could not be ends, at the end of the recording; nobody at its begin: so the part's trace
 * lasts as long as the recording. */
static int write_missing(struct writing *w, const uint64_t without[2], int64_t time)
{
	uint8_t bytes[2 * sizeof(uint32_t)];
	for (unsigned way = 0; way < 2; way++) {
		uint64_t n = without[way] < UINT32_MAX ? without[way] : UINT32_MAX;
		for (unsigned i = 0; i < sizeof(uint32_t); i++)
			bytes[way * sizeof(uint32_t) + i] = (uint8_t)(n >> 8 * i);
	}
	return ctf_writer_record(w->writer, &w->schema->streams[0].events[1], clock_of(w, time),
		bytes, sizeof(bytes), w->err);
}

/* A file without a name, so that nothing is left whatever happens: beside the part, or elsewhere
 * where that is a pipe or a device. */
static int open_stream(struct writing *w, const char *path)
{
	char made[PATH_BYTES];
	struct stat st;
	/* The link itself: /dev/stdout may lead to a file, but /dev is not for files. */
	bool is_file = lstat(path, &st) != 0 || S_ISREG(st.st_mode);
	int n = is_file ? snprintf(made, sizeof(made), "%s.XXXXXX", path)
			: snprintf(made, sizeof(made), "%s/meridian-part.XXXXXX",
				  w->o->temporary ? w->o->temporary : "/tmp");
	if ((size_t)n >= sizeof(made))
		return mer_fail(w->err, MER_ERR_LIMIT, "%s: the path is too long", path);
	w->fd = mkostemp(made, O_CLOEXEC);
	if (w->fd < 0)
		return mer_fail_errno(w->err, "write", is_file ? path : made);
	unlink(made);
	snprintf(w->stream, sizeof(w->stream), "/proc/self/fd/%d", w->fd);
	return 0;
}

static int write_stream(struct writing *w, const char *path)
{
	int opened = open_stream(w, path);
	if (opened)
		return opened;
	w->schema = sync_part_schema(
		&w->arena, w->e, w->host, w->o->per_second > 0, w->begin, &w->base);
	if (!w->schema)
		return mer_fail_nomem(w->err);
	int rc = ctf_writer_open(w->schema, &w->schema->streams[0],
		&(struct ctf_writer_options){ .path = w->stream }, &w->writer, w->err);
	if (rc)
		return rc;
	rc = ctf_writer_begin(w->writer, clock_of(w, w->begin), w->err);
	if (rc == 0)
		rc = write_missing(w, (const uint64_t[2]){ 0, 0 }, w->begin);
	if (rc == 0)
		rc = read_all(w);
	if (rc == 0)
		rc = write_missing(w, w->without, w->end);
	int closed = ctf_writer_close(w->writer, rc ? NULL : w->err);
	return rc ? rc : closed;
}

static void tell(const struct writing *w, struct mer_str *notes)
{
	if (w->o->per_second > 0)
		copied_notef(notes, MER_NOTE, "part", 1,
			"a part of a recording: %.0f%% of the ends of messages, about %.0f of each peer in a second; nothing is known of tasks, CPUs and disks",
			w->counts->n_seen
				? 100.0 * (double)w->counts->n_kept / (double)w->counts->n_seen
				: 100.0,
			w->o->per_second);
	else
		copied_notef(notes, MER_NOTE, "part", 1,
			"a part of a recording: the ends of messages alone; nothing is known of tasks, CPUs and disks");
	uint64_t n_lost = 0;
	for (uint32_t t = 0; t < w->e->n_traces; t++)
		if (w->e->traces[t].host == w->host)
			n_lost += w->e->traces[t].lost_events + w->e->traces[t].lost_packets;
	if (n_lost)
		copied_notef(notes, MER_WARNING, "part-lost", n_lost,
			"events and packets were lost in the recording: ends of messages may be among them");
	if (w->counts->runs_guests)
		copied_notef(notes, MER_NOTE, "part-guests", 1,
			"the host runs guests; what their virtual CPUs show of clocks is not in a part, so bounds of these clocks are wider than from the recordings");
	if (w->counts->has_mpi)
		copied_notef(notes, MER_NOTE, "part-mpi", 1,
			"messages of MPI are not in a part, so bounds may be wider than from the recordings");
}

static int add_file(struct writing *w, struct part_archive *a, const char *name, const char *path)
{
	struct mer_file f;
	int rc = mer_file_open(&f, path, w->err);
	if (rc)
		return rc;
	rc = part_archive_add(a, name, f.data, f.size, w->err);
	mer_file_close(&f);
	return rc;
}

/* Does the trace lie below the folder of the manifest? */
static bool is_of(const char *manifest, const char *trace)
{
	const char *slash = strrchr(manifest, '/');
	size_t len = slash ? (size_t)(slash - manifest) + 1 : 0;
	return strncmp(manifest, trace, len) == 0;
}

/* The recorder's rounds with this host, if its recording has a manifest. */
static int add_rounds(struct writing *w, struct part_archive *a)
{
	char *trace = NULL;
	const char *found = NULL;
	for (uint32_t t = 0; t < w->e->n_traces && !trace && w->of->n_manifests; t++)
		if (w->e->traces[t].host == w->host)
			trace = realpath(w->e->traces[t].path, NULL);
	for (size_t i = 0; trace && i < w->of->n_manifests && !found; i++)
		if (is_of(w->of->manifests[i], trace))
			found = w->of->manifests[i];
	free(trace);
	struct mer_str text = { 0 };
	int rc = found ? sync_rounds_excerpt(w->e, w->host, found, &text, w->err) : 0;
	if (rc == 0 && text.len)
		rc = part_archive_add(a, PART_MANIFEST, text.data, text.len, w->err);
	mer_str_fini(&text);
	return rc;
}

static int pack(struct writing *w, int fd)
{
	struct part_archive *a;
	struct mer_str metadata = { 0 }, notes = { 0 };
	int rc = ctf_write_metadata(
		w->schema, &(struct ctf_metadata_options){ 0 }, &metadata, w->err);
	if (rc)
		return rc;
	tell(w, &notes);
	rc = metadata.failed || notes.failed ? mer_fail_nomem(w->err)
					     : part_archive_new(fd, &a, w->err);
	if (rc == 0) {
		rc = part_archive_add(a, PART_METADATA, metadata.data, metadata.len, w->err);
		if (rc == 0)
			rc = add_file(w, a, PART_STREAM, w->stream);
		if (rc == 0)
			rc = part_archive_add(a, PART_NOTES, notes.data, notes.len, w->err);
		if (rc == 0)
			rc = add_rounds(w, a);
		int ended = part_archive_end(a, rc ? NULL : w->err);
		rc = rc ? rc : ended;
	}
	mer_str_fini(&metadata);
	mer_str_fini(&notes);
	return rc;
}

static int write_file(struct writing *w, const char *path)
{
	struct mer_new_file f;
	if (!mer_new_file_open(&f, path))
		return mer_fail_errno(w->err, "write", path);
	int rc = pack(w, f.fd);
	off_t size = rc ? 0 : lseek(f.fd, 0, SEEK_END);
	w->counts->bytes = size > 0 ? (uint64_t)size : 0;
	if (rc) {
		mer_new_file_abandon(&f);
		return rc;
	}
	return mer_new_file_commit(&f) ? 0 : mer_fail_errno(w->err, "write", path);
}

int sync_parts_new(struct mer_experiment *e, struct sync_parts **parts, struct mer_err *err)
{
	struct sync_parts *p = calloc(1, sizeof(*p));
	*parts = NULL;
	if (!p)
		return mer_fail_nomem(err);
	p->e = e;
	mer_arena_init(&p->arena);
	p->has_mpi = mpi_is_recorded(e);
	p->n_manifests = sync_rounds_files(e, &p->arena, &p->manifests);
	int rc = p->manifests ? sync_ends_new(e, NULL, &p->ends, err) : mer_fail_nomem(err);
	if (rc)
		sync_parts_free(p);
	else
		*parts = p;
	return rc;
}

void sync_parts_free(struct sync_parts *p)
{
	if (!p)
		return;
	sync_ends_free(p->ends);
	mer_arena_fini(&p->arena);
	free(p);
}

int sync_part_write(const struct sync_parts *parts, uint32_t host, const char *path,
	const struct sync_part_options *o, struct sync_part_counts *counts, struct mer_err *err)
{
	struct writing w = { .of = parts,
		.e = parts->e,
		.ends = parts->ends,
		.host = host,
		.o = o,
		.counts = counts,
		.fd = -1,
		.sample = { .per_second = o->per_second },
		.err = err };
	*counts = (struct sync_part_counts){ .has_mpi = parts->has_mpi };
	mer_arena_init(&w.arena);
	int rc = find_span(&w);
	if (rc == 0)
		rc = write_stream(&w, path);
	if (rc == 0)
		rc = write_file(&w, path);
	if (w.fd >= 0)
		close(w.fd);
	mer_cursor_free(w.cursor);
	sync_sample_fini(&w.sample);
	mer_arena_fini(&w.arena);
	return rc;
}
