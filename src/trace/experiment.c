#include "trace/experiment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/options.h"
#include "copied/copied.h"
#include "ctf/metadata.h"
#include "part/file.h"
#include "trace/discover.h"
#include "trace/extent.h"
#include "trace/hole.h"
#include "trace/hosts.h"
#include "trace/missing.h"
#include "trace/recording.h"
#include "trace/scan.h"

static const char *uuid_text(struct mer_arena *a, const uint8_t *u)
{
	return mer_arena_printf(a,
		"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
		u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
		u[15]);
}

static int32_t no_event(
	void *arg, const struct ctf_stream_class *s, const struct ctf_event_class *c)
{
	(void)arg;
	(void)s;
	(void)c;
	return CTF_UNWANTED;
}

/* Cycles after which the trace's clock wraps; 0: never. */
static uint64_t wrap_of(const struct mer_open_options *o, const struct ctf_schema *s)
{
	if (o->clock_wrap_bits)
		return o->clock_wrap_bits < 64 ? (uint64_t)1 << o->clock_wrap_bits : 0;
	if (!o->clock_wrap_ns || s->n_clocks == 0)
		return 0;
	__extension__ typedef unsigned __int128 wide;
	wide cycles = (wide)o->clock_wrap_ns * s->clocks[0].freq_hz / 1000000000u;
	return cycles >> 63 ? 0 : (uint64_t)cycles;
}

static int read_metadata(struct mer_experiment *e, struct trace_part *part, struct mer_err *err)
{
	char *path = mer_arena_printf(&e->arena, "%s/metadata", part->path);
	if (!path)
		return mer_fail_nomem(err);
	struct mer_file f;
	int rc = mer_file_open(&f, path, err);
	if (rc)
		return rc;
	struct ctf_schema *schema;
	if (f.size == 0) {
		mer_file_close(&f);
		return mer_fail(err, MER_ERR_INPUT,
			"%s is empty: the tracer did not finish, or has not begun", path);
	}
	rc = ctf_metadata_read(f.data, f.size, path, &e->arena, &e->diags, &schema, err);
	mer_file_close(&f);
	if (rc)
		return rc;
	schema->any_uuid = e->options.ignore_uuid;
	schema->clock_wrap = wrap_of(&e->options, schema);
	part->schema = schema;
	part->clocks = mer_arena_zalloc(&e->arena, schema->n_clocks, sizeof(*part->clocks));
	if (!part->clocks)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < schema->n_clocks; i++)
		mer_clock_init(&part->clocks[i], &schema->clocks[i]);
	struct ctf_program *scan;
	rc = ctf_program_compile(
		schema, &(struct ctf_wants){ .event = no_event }, &e->arena, &scan, err);
	if (rc == 0)
		part->scan = scan;
	return rc;
}

static const char *tracer_text(struct mer_experiment *e, const struct ctf_schema *s)
{
	const struct ctf_env *name = ctf_env_find(s, "tracer_name");
	const struct ctf_env *v[3] = { ctf_env_find(s, "tracer_major"),
		ctf_env_find(s, "tracer_minor"), ctf_env_find(s, "tracer_patchlevel") };
	if (!name || !name->text)
		return "";
	char version[80] = "";
	size_t n = 0;
	for (int i = 0; i < 3 && v[i] && n < sizeof(version) - 24; i++)
		n += v[i]->text ? (size_t)snprintf(version + n, sizeof(version) - n, "%s%.16s",
					  i ? "." : " ", v[i]->text)
				: (size_t)snprintf(version + n, sizeof(version) - n, "%s%" PRId64,
					  i ? "." : " ", v[i]->number);
	return mer_arena_printf(&e->arena, "%s%s", name->text, version);
}

/* The clock that the trace's streams use (the first of them). */
static void describe_clock(
	struct mer_experiment *e, struct mer_trace *t, const struct trace_part *p)
{
	const struct ctf_schema *s = p->schema;
	int16_t clock = -1;
	for (uint32_t i = 0; i < s->n_streams && clock < 0; i++)
		clock = s->streams[i].clock;
	if (clock < 0)
		return;
	const struct ctf_clock *c = &s->clocks[clock];
	t->has_clock = true;
	t->base_s = p->clocks[clock].base_s;
	const char *own = trace_of_copy(p, COPIED_ENV_CLOCK);
	t->clock = (struct mer_clock_info){
		.name = own ? own : c->name,
		.freq_hz = c->freq_hz,
		.offset_ns = mer_clock_host_ns(&p->clocks[clock], 0),
		.uuid = c->has_uuid ? uuid_text(&e->arena, c->uuid) : c->uid,
	};
	struct mer_diag d = { .severity = MER_NOTE,
		.code = "clock-offset-huge",
		.path = t->path,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
	if (p->clocks[clock].no_base) {
		d.severity = MER_ERROR;
		mer_diag_add(&e->diags, &d,
			"the clock's offset is beyond what 64-bit seconds can hold: only differences between times are right");
	} else if (t->base_s) {
		mer_diag_add(&e->diags, &d,
			"the clock's offset, %" PRId64
			" s, is beyond what 64-bit nanoseconds can hold; times in JSON and filters are relative to it",
			t->base_s);
	}
}

/* The logical trace of a part: that of an earlier part with the same UUID, or a new one. */
static int join_trace(struct mer_experiment *e, struct trace_part *part, struct mer_err *err)
{
	const struct ctf_schema *s = part->schema;
	const char *uuid = s->has_uuid ? uuid_text(&e->arena, s->uuid) : NULL;
	for (uint32_t t = 0; uuid && t < e->n_traces; t++)
		if (e->traces[t].uuid && strcmp(e->traces[t].uuid, uuid) == 0) {
			part->trace = t;
			e->traces[t].n_dirs++;
			return 0;
		}
	part->trace = e->n_traces++;
	struct mer_trace *t = &e->traces[part->trace];
	const struct ctf_env *domain = ctf_env_find(s, "domain");
	const char *form = trace_of_copy(part, COPIED_ENV_FORM);
	*t = (struct mer_trace){
		.path = part->given,
		.domain = domain && domain->text ? domain->text : "",
		.tracer = tracer_text(e, s),
		.format =
			form ? form : mer_arena_printf(&e->arena, "CTF %u.%u", s->major, s->minor),
		.uuid = uuid,
		.n_dirs = 1,
		.begin = MER_NO_TIME,
		.end = MER_NO_TIME,
	};
	describe_clock(e, t, part);
	return e->arena.failed ? mer_fail_nomem(err) : 0;
}

/* Opens and scans a file of the last part. */
static int open_file(
	struct mer_experiment *e, const char *path, struct mer_arena *scratch, struct mer_err *err)
{
	struct mer_err why;
	uint32_t file = e->n_files;
	int rc = trace_file_add(e, path, e->n_parts - 1, &why);
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(err);
	if (rc) {
		mer_diag_add(&e->diags,
			&(struct mer_diag){ .severity = MER_ERROR,
				.code = "file-unreadable",
				.path = path,
				.stream = -1,
				.packet = -1,
				.offset_bits = -1 },
			"%s", why.text);
		return 0;
	}
	e->bytes += e->files[file].bytes;
	e->traces[e->parts[e->n_parts - 1].trace].bytes += e->files[file].bytes;
	rc = trace_scan_file(e, file, scratch, err);
	trace_file_done(e, file);
	return rc;
}

/* Is there a trace of this host that is no copy? Compared by host name: not all tracers record the
 * boot id. */
static bool has_traces_of_host(const struct mer_experiment *e, const struct ctf_schema *s)
{
	const struct ctf_env *name = ctf_env_find(s, "hostname");
	for (uint32_t i = 0; name && name->text && i < e->n_parts; i++) {
		const struct ctf_env *its = ctf_env_find(e->parts[i].schema, "hostname");
		if (!trace_part_is_copy(&e->parts[i]) && its && its->text &&
			strcmp(name->text, its->text) == 0)
			return true;
	}
	return false;
}

/* Is it of a part of a recording (part/file.h) whose own trace, or full part, is there? */
static bool has_its_trace(const struct mer_experiment *e, const struct trace_part *part)
{
	bool has = false;
	for (uint32_t i = 0; trace_of_copy(part, COPIED_ENV_HOST) && i < e->n_parts; i++)
		has |= !trace_of_copy(&e->parts[i], COPIED_ENV_HOST) && part->schema->has_uuid &&
		       e->parts[i].schema->has_uuid &&
		       memcmp(part->schema->uuid, e->parts[i].schema->uuid,
			       sizeof(part->schema->uuid)) == 0;
	return has;
}

/* beside: the part is of a copy, whose recording was found in a folder where traces are, too. */
static int open_part(struct mer_experiment *e, const char *dir, const char *given, bool beside,
	struct mer_err *err)
{
	if (!mer_grow32(&e->parts, e->n_parts, &e->cap_parts, sizeof(*e->parts)))
		return mer_fail_nomem(err);
	struct trace_part *part = &e->parts[e->n_parts];
	*part = (struct trace_part){ .path = dir, .given = given };
	struct trace_dirs names = { 0 };
	int rc = read_metadata(e, part, err);
	if (rc == 0 &&
		((beside && has_traces_of_host(e, part->schema)) || has_its_trace(e, part))) {
		mer_diag_add(&e->diags,
			&(struct mer_diag){ .severity = MER_NOTE,
				.code = "recording-left-out",
				.path = given,
				.stream = -1,
				.packet = -1,
				.offset_bits = -1 },
			"left out, as there are CTF traces of this host in the folder that was given; give the file's name to read it");
		return 0;
	}
	if (rc == 0)
		rc = trace_stream_files(dir, &e->arena, &e->diags, &names, err);
	if (rc == 0)
		rc = join_trace(e, part, err);
	if (rc)
		return rc;
	e->n_parts++;
	struct mer_arena scratch;
	mer_arena_init(&scratch);
	for (uint32_t i = 0; i < names.n && rc == 0; i++) {
		mer_arena_reset(&scratch);
		rc = open_file(e, names.paths[i], &scratch, err);
	}
	mer_arena_fini(&scratch);
	return rc;
}

/* Order of events with equal times: host, trace, stream class, stream, file. Hosts and traces go
 * by the trace UUID, as in other readers, so that the order does not depend on that of the
 * arguments. */
struct stream_sort {
	const struct mer_experiment *e;
	const char *host, *trace; /* their UUID, or path */
	struct trace_stream data;
};

static int by_place(const void *a, const void *b)
{
	const struct stream_sort *p = a, *q = b;
	int c = strcmp(p->host, q->host);
	if (c == 0)
		c = strcmp(p->trace, q->trace);
	if (c)
		return c;
	if (p->data.class_id != q->data.class_id)
		return p->data.class_id < q->data.class_id ? -1 : 1;
	if (p->data.id != q->data.id)
		return p->data.id < q->data.id ? -1 : 1;
	return strcmp(p->e->files[p->data.file].path, q->e->files[q->data.file].path);
}

static int sort_streams(struct mer_experiment *e, struct mer_err *err)
{
	struct stream_sort *s = calloc(e->n_streams + 1u, sizeof(*s));
	const char **host =
		calloc(e->n_hosts + 1u, sizeof(*host)); /* least identity of its traces */
	if (!s || !host) {
		free(s);
		free(host);
		return mer_fail_nomem(err);
	}
	for (uint32_t t = 0; t < e->n_traces; t++) {
		const char **h = &host[e->traces[t].host], *id = trace_identity(&e->traces[t]);
		if (!*h || strcmp(id, *h) < 0)
			*h = id;
	}
	for (uint32_t i = 0; i < e->n_streams; i++) {
		const struct mer_trace *t = &e->traces[e->parts[e->data[i].part].trace];
		s[i] = (struct stream_sort){ e, host[t->host], trace_identity(t), e->data[i] };
	}
	qsort(s, e->n_streams, sizeof(*s), by_place);
	for (uint32_t i = 0; i < e->n_streams; i++)
		e->data[i] = s[i].data;
	free(s);
	free(host);
	return 0;
}

/* The public structs, from what the scan has found. */
static int describe(struct mer_experiment *e, struct mer_err *err)
{
	struct trace_extent *extents = mer_arena_zalloc(&e->arena, e->n_streams, sizeof(*extents));
	e->streams = mer_arena_zalloc(&e->arena, e->n_streams, sizeof(*e->streams));
	if (!e->streams || !extents)
		return mer_fail_nomem(err);
	int rc = trace_find_extents(e, extents, err);
	if (rc)
		return rc;
	e->begin = e->end = MER_NO_TIME;
	for (uint32_t i = 0; i < e->n_streams; i++) {
		const struct trace_stream *d = &e->data[i];
		struct mer_stream *s = &e->streams[i];
		struct mer_trace *t = &e->traces[e->parts[d->part].trace];
		if (t->n_streams++ == 0)
			t->first_stream = i;
		*s = (struct mer_stream){
			.path = e->files[d->file].shown,
			.trace = e->parts[d->part].trace,
			.cpu = d->cpu,
			.class_id = d->class_id,
			.id = d->has_id ? d->id : i - t->first_stream,
			.n_packets = d->n_packets,
			.lost_events = d->lost_events,
			.lost_packets = d->lost_packets,
			.begin = extents[i].begin,
			.end = extents[i].end,
		};
		for (uint32_t p = 0; p < d->n_packets; p++)
			s->bytes += d->packets[p].size_bits / 8;
		t->n_packets += s->n_packets;
		mer_add_count(&t->lost_events, s->lost_events);
		mer_add_count(&t->lost_packets, s->lost_packets);
		trace_widen(&t->begin, &t->end, s->begin, s->end);
		trace_widen(&e->begin, &e->end, s->begin, s->end);
	}
	return 0;
}

/* A path or trace that cannot be opened is reported as a diagnostic; the first one becomes the
 * error if nothing can be opened. */
static void report_unread(struct mer_experiment *e, const char *code, const char *path,
	const struct mer_err *why, struct mer_err *first)
{
	if (!first->code)
		*first = *why;
	e->n_unread++;
	mer_diag_add(&e->diags,
		&(struct mer_diag){ .severity = MER_ERROR,
			.code = code,
			.path = path,
			.stream = -1,
			.packet = -1,
			.offset_bits = -1 },
		"%s", why->text);
}

/* What was found at the paths: folders with a trace, then those of copies. */
struct found {
	struct trace_dirs dirs;
	const char **given; /* of each folder: the path that the user knows */
	bool *beside;	    /* it is of a recording that was found in a folder with traces */
	struct mer_err first;
};

static int find_traces(struct mer_experiment *e, const char *const *paths, size_t n_paths,
	struct found *f, struct trace_dirs *recordings, struct mer_err *err)
{
	for (size_t i = 0; i < n_paths; i++) {
		struct mer_err why;
		int rc = trace_discover(paths[i], &e->arena, &e->diags, &f->dirs, recordings, &why);
		if (rc == MER_ERR_NOMEM)
			return mer_fail_nomem(err);
		if (rc)
			report_unread(e, "path-unreadable", paths[i], &why, &f->first);
	}
	return 0;
}

/* Adds the folders of the recording's copy. A recording that is given twice is read once. */
static int add_recording(
	struct mer_experiment *e, const char *path, struct found *f, struct mer_err *err)
{
	struct copied *c = &e->copies[e->n_copies];
	struct trace_dirs none = { 0 };
	struct mer_err why;
	for (uint32_t i = 0; i < e->n_copies; i++)
		if (strcmp(e->copies[i].source, path) == 0)
			return 0;
	int rc = copied_open(trace_recording_kind(path), path, e->options.cache_folder, &e->arena,
		&e->diags, c, &why);
	if (rc == 0) {
		e->n_copies++;
		e->has_no_events |= part_is_full(c);
		rc = trace_discover(c->folder, &e->arena, &e->diags, &f->dirs, &none, &why);
	}
	if (rc == MER_ERR_NOMEM || rc == MER_ERR_CANCELLED)
		return mer_fail(err, rc, "%s", why.text);
	if (rc)
		report_unread(e, "path-unreadable", path, &why, &f->first);
	return 0;
}

/* The name that users know; NULL: no memory. */
static const char *called_by(struct mer_experiment *e, const char *path)
{
	const struct copied_kind *kind = trace_recording_kind(path);
	return kind && kind->called ? mer_arena_strndup(&e->arena, path, kind->called(path)) : path;
}

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	while (n > 1 && folder[n - 1] == '/')
		n--;
	return strncmp(path, folder, n) == 0 && (path[n] == '/' || folder[n - 1] == '/');
}

/* Is one of the traces in a folder that was given, and the recording, too? */
static bool is_beside_traces(const char *const *paths, size_t n_paths, const char *recording,
	const char *const *traces, uint32_t n)
{
	for (size_t i = 0; i < n_paths; i++)
		for (uint32_t k = 0; is_below(recording, paths[i]) && k < n; k++)
			if (is_below(traces[k], paths[i]))
				return !trace_recording_kind(recording)->is_beside_traces;
	return false;
}

static int find_all(struct mer_experiment *e, const char *const *paths, size_t n_paths,
	struct found *f, struct mer_err *err)
{
	struct trace_dirs recordings = { 0 };
	int rc = find_traces(e, paths, n_paths, f, &recordings, err);
	uint32_t n = f->dirs.n, *end = NULL; /* end: of the folders of each copy */
	if (rc == 0) {
		e->copies = mer_arena_zalloc(&e->arena, recordings.n + 1u, sizeof(*e->copies));
		end = mer_arena_zalloc(&e->arena, recordings.n + 1u, sizeof(*end));
		rc = e->copies && end ? 0 : mer_fail_nomem(err);
	}
	for (uint32_t i = 0; i < recordings.n && rc == 0; i++) {
		rc = add_recording(e, recordings.paths[i], f, err);
		end[i] = f->dirs.n;
	}
	f->given = rc ? NULL : mer_arena_zalloc(&e->arena, f->dirs.n + 1u, sizeof(*f->given));
	f->beside = rc ? NULL : mer_arena_zalloc(&e->arena, f->dirs.n + 1u, sizeof(*f->beside));
	if (rc == 0 && (!f->given || !f->beside))
		rc = mer_fail_nomem(err);
	uint32_t n_traces = n;
	for (uint32_t i = 0; i < n && rc == 0; i++)
		f->given[i] = f->dirs.paths[i];
	for (uint32_t i = 0; i < recordings.n && rc == 0; i++) {
		const char *called = called_by(e, recordings.paths[i]);
		if (!called)
			rc = mer_fail_nomem(err);
		bool beside = n < end[i] && is_beside_traces(paths, n_paths, recordings.paths[i],
						    f->dirs.paths, n_traces);
		for (; n < end[i]; n++) {
			f->given[n] = called;
			f->beside[n] = beside;
		}
	}
	return rc;
}

/* Is it the folder of a part that has the ends of messages alone? */
static bool is_of_ends(const struct mer_experiment *e, const char *dir)
{
	for (uint32_t i = 0; i < e->n_copies; i++)
		if (is_below(dir, e->copies[i].folder))
			return part_is_file(e->copies[i].source) && !part_is_full(&e->copies[i]);
	return false;
}

/* Folders of parts come last: what is left out of them depends on the others. */
static int put_in_order(struct mer_experiment *e, struct found *f, struct mer_err *err)
{
	uint32_t n = f->dirs.n, at = 0;
	struct found all = *f;
	all.dirs.paths = mer_arena_zalloc(&e->arena, n + 1u, sizeof(*all.dirs.paths));
	all.given = mer_arena_zalloc(&e->arena, n + 1u, sizeof(*all.given));
	all.beside = mer_arena_zalloc(&e->arena, n + 1u, sizeof(*all.beside));
	bool *is_last = mer_arena_zalloc(&e->arena, n + 1u, sizeof(*is_last));
	if (!all.dirs.paths || !all.given || !all.beside || !is_last)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		is_last[i] = f->given[i] != f->dirs.paths[i] && is_of_ends(e, f->dirs.paths[i]);
	for (int last = 0; last < 2; last++)
		for (uint32_t i = 0; i < n; i++) {
			if (is_last[i] != (last == 1))
				continue;
			all.dirs.paths[at] = f->dirs.paths[i];
			all.given[at] = f->given[i];
			all.beside[at++] = f->beside[i];
		}
	*f = all;
	return 0;
}

static int open_all(
	struct mer_experiment *e, const char *const *paths, size_t n_paths, struct mer_err *err)
{
	struct found f = { 0 };
	int rc = find_all(e, paths, n_paths, &f, err);
	if (rc == 0 && e->n_copies)
		rc = put_in_order(e, &f, err);
	if (rc)
		return rc;
	e->n_opening[TRACE_OF_PLACES] = e->diags.n;
	e->traces = mer_arena_zalloc(&e->arena, f.dirs.n + 1u, sizeof(*e->traces));
	if (!e->traces)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < f.dirs.n; i++) {
		bool again = false; /* the same folder given twice */
		for (uint32_t k = 0; k < e->n_parts && !again; k++)
			again = strcmp(e->parts[k].path, f.dirs.paths[i]) == 0;
		if (again)
			continue;
		struct mer_err why;
		rc = open_part(e, f.dirs.paths[i], f.given[i], f.beside[i], &why);
		if (rc == MER_ERR_NOMEM)
			return mer_fail_nomem(err);
		if (rc)
			report_unread(e, "trace-unreadable", f.given[i], &why, &f.first);
	}
	if (e->n_parts == 0)
		return mer_fail(err, f.first.code ? f.first.code : MER_ERR_INPUT, "%s",
			f.first.code ? f.first.text : "no trace given");
	rc = trace_group_hosts(e, err);
	if (rc == 0)
		rc = sort_streams(e, err);
	if (rc == 0 && !e->options.keep_offsets)
		trace_reconcile_clocks(e);
	e->n_opening[TRACE_OF_FILES] = e->diags.n;
	if (rc == 0)
		rc = trace_finish_streams(e, err);
	e->n_opening[TRACE_OF_STREAMS] = e->diags.n;
	if (rc == 0)
		rc = describe(e, err);
	if (rc == 0)
		rc = trace_find_missing(e, err);
	if (rc == 0)
		trace_report_holes(e);
	e->n_opening[TRACE_OF_TRACES] = e->diags.n;
	mer_map_fini(&e->stream_map);
	return rc;
}

int mer_experiment_open(const char *const *paths, size_t n_paths,
	const struct mer_open_options *options, struct mer_experiment **experiment,
	struct mer_err *err)
{
	struct mer_experiment *e = calloc(1, sizeof(*e));
	if (!e)
		return mer_fail_nomem(err);
	mer_arena_init(&e->arena);
	mer_diags_init(&e->diags, &e->arena);
	int rc = mer_options_read(&e->options, sizeof(e->options),
		offsetof(struct mer_open_options, ignore_uuid) + sizeof(e->options.ignore_uuid),
		options, err);
	if (rc == 0)
		rc = open_all(e, paths, n_paths, err);
	if (rc) {
		mer_experiment_free(e);
		return rc;
	}
	*experiment = e;
	return 0;
}

void mer_experiment_free(struct mer_experiment *e)
{
	if (!e)
		return;
	trace_files_free(e);
	for (uint32_t i = 0; i < e->n_copies; i++)
		copied_close(&e->copies[i]);
	for (uint32_t i = 0; i < e->n_streams; i++)
		free(e->data[i].packets);
	free(e->data);
	free(e->parts);
	free(e->losses);
	free(e->absent);
	free(e->twins);
	mer_spill_free(e->spill);
	mer_map_fini(&e->stream_map);
	mer_diags_fini(&e->diags);
	mer_arena_fini(&e->arena);
	free(e);
}

size_t mer_n_hosts(const struct mer_experiment *e)
{
	return e->n_hosts;
}

const struct mer_host *mer_host_at(const struct mer_experiment *e, size_t i)
{
	return i < e->n_hosts ? &e->hosts[i] : NULL;
}

size_t mer_n_traces(const struct mer_experiment *e)
{
	return e->n_traces;
}

const struct mer_trace *mer_trace_at(const struct mer_experiment *e, size_t i)
{
	return i < e->n_traces ? &e->traces[i] : NULL;
}

size_t mer_n_streams(const struct mer_experiment *e)
{
	return e->n_streams;
}

const struct mer_stream *mer_stream_at(const struct mer_experiment *e, size_t i)
{
	return i < e->n_streams ? &e->streams[i] : NULL;
}

size_t mer_n_losses(const struct mer_experiment *e)
{
	return e->n_losses;
}

const struct mer_loss *mer_loss_at(const struct mer_experiment *e, size_t i)
{
	return i < e->n_losses ? &e->losses[i] : NULL;
}

size_t mer_n_diagnostics(const struct mer_experiment *e)
{
	return e->diags.n;
}

const struct mer_diag *mer_diagnostic_at(const struct mer_experiment *e, size_t i)
{
	return i < e->diags.n ? &e->diags.rows[i] : NULL;
}
