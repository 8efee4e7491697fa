/* Rounds from the manifests above an experiment's traces. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_get.h"
#include "copied/copied.h"
#include "sync/limits/drift.h"
#include "sync/rounds/rounds.h"

enum {
	LEVELS = 7, /* of folders between a trace and its recording: h/snapshot/ust/uid/0/64-bit */
	HEAD = 256, /* bytes within which a manifest has its kind */
	MOST_BYTES = 256 << 20
};

/* ---- Which files ---- */

/* hash: of all of it. */
static bool is_manifest(const char *path, uint64_t *hash)
{
	static const char key[] = "\"meridian_recording\"";
	struct mer_file f;
	struct mer_err ignored;
	if (mer_file_open(&f, path, &ignored))
		return false;
	bool is = memmem(f.data, f.size < HEAD ? f.size : HEAD, key, sizeof(key) - 1) != NULL;
	*hash = is ? mer_hash(f.data, f.size) : 0;
	mer_file_close(&f);
	return is;
}

struct finder {
	struct mer_arena *arena;
	const char **paths;
	uint64_t *hashes;
	size_t n, most;
	char last[4096]; /* the folder searched last; many traces are often side by side */
};

/* Looks in the folders above a trace; folder is changed. */
static void look_above(struct finder *f, char *folder)
{
	for (int level = 0; level < LEVELS && f->n < f->most; level++) {
		uint64_t hash;
		char *slash = strrchr(folder, '/');
		if (!slash || slash == folder)
			return;
		*slash = '\0';
		if (level == 0) {
			if (strcmp(folder, f->last) == 0)
				return;
			strcpy(f->last, folder);
		}
		char *path = mer_arena_printf(f->arena, "%s/manifest.json", folder);
		if (!path || !is_manifest(path, &hash))
			continue;
		/* Each part of a recording has a copy of its manifest. */
		for (size_t i = 0; i < f->n; i++)
			if (f->hashes[i] == hash)
				return;
		f->hashes[f->n] = hash;
		f->paths[f->n++] = path;
		return;
	}
}

static void look_above_file(struct finder *f, const char *path)
{
	char *folder = realpath(path, NULL);
	if (folder && strlen(folder) < sizeof(f->last))
		look_above(f, folder);
	free(folder);
}

/* Of a part of a recording, the copy has the manifest. */
size_t sync_rounds_files(
	const struct mer_experiment *e, struct mer_arena *arena, const char *const **paths)
{
	struct finder f = { .arena = arena };
	f.most = (size_t)e->n_traces + e->n_parts;
	f.paths = mer_arena_zalloc(arena, f.most + 1, sizeof(*f.paths));
	f.hashes = mer_arena_zalloc(arena, f.most + 1, sizeof(*f.hashes));
	if (!f.hashes)
		f.paths = NULL;
	*paths = f.paths;
	for (uint32_t i = 0; f.paths && i < e->n_traces; i++)
		look_above_file(&f, e->traces[i].path);
	for (uint32_t i = 0; f.paths && i < e->n_parts; i++)
		if (trace_of_copy(&e->parts[i], COPIED_ENV_HOST))
			look_above_file(&f, e->parts[i].path);
	return f.n;
}

/* ---- What they say ---- */

/* CLOCK_MONOTONIC, as LTTng and as ftrace call it. */
static bool is_monotonic(const char *clock)
{
	return strcmp(clock, "monotonic") == 0 || strcmp(clock, "mono") == 0;
}

bool sync_monotonic_base(const struct mer_experiment *e, uint32_t host, int64_t *base)
{
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct trace_part *p = &e->parts[i];
		const struct mer_trace *t = &e->traces[p->trace];
		if (t->host != host || !t->has_clock || t->base_s || t->clock.freq_hz != NS_PER_S ||
			!t->clock.name || !is_monotonic(t->clock.name) || p->schema->n_clocks == 0)
			continue;
		*base = p->clocks[0].base_ns;
		return true;
	}
	return false;
}

struct reading {
	struct mer_experiment *e;
	struct mer_json_get get;
	struct mer_arena *tree; /* until the file is closed */
	struct sync_rounds *into;
	const char *path;
};

static uint32_t host_of_boot(const struct mer_experiment *e, const char *boot)
{
	for (uint32_t h = 0; boot && h < e->n_hosts; h++)
		if (strcmp(e->hosts[h].id, boot) == 0)
			return h;
	return SYNC_NOT_RECORDED;
}

/* A recording of perf does not contain the boot id: then the host's name decides, if only one host
 * has it. */
uint32_t sync_rounds_host(
	const struct mer_experiment *e, const char *boot, const char *tracer, const char *name)
{
	uint32_t host = host_of_boot(e, boot);
	if (host != SYNC_NOT_RECORDED || !tracer || !name || strcmp(tracer, "perf") != 0)
		return host;
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		if (strcmp(e->hosts[h].name, name) != 0)
			continue;
		if (host != SYNC_NOT_RECORDED)
			return SYNC_NOT_RECORDED;
		host = h;
	}
	return host;
}

static void found(struct reading *in, const char *code, enum mer_severity severity, uint32_t host,
	const char *text)
{
	struct mer_diag d = { .severity = severity,
		.code = code,
		.host = host < in->e->n_hosts ? in->e->hosts[host].name : NULL,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = 1 };
	mer_diag_add(&in->e->diags, &d, "%s", text);
}

enum { ASKED, ARRIVED, LEFT, ANSWERED, REALTIME, N_TIMES };

struct realtime { /* a reading of the realtime clock against the clock of the boot */
	int64_t at, offset;
};

/* Was the clock set? The difference exceeds any slewing and the error of two readings. */
static bool is_jump(const struct realtime *a, const struct realtime *b)
{
	int64_t jump = sync_sub(b->offset, a->offset), apart = sync_sub(b->at, a->at);
	int64_t most = INT64_C(5000000) + apart / 1000;
	return jump > most || jump < -most; /* the farthest has no absolute value */
}

/* Reports if the time of day was set. Traces use the clock of the boot and are not affected, but
 * the host's logs are. */
static void tell_if_set(struct reading *in, uint32_t host, const struct realtime *r, size_t n)
{
	for (size_t i = 0; i + 2 < n; i++) {
		/* An interrupted reading deviates alone. */
		if (!is_jump(&r[i], &r[i + 1]) || !is_jump(&r[i], &r[i + 2]))
			continue;
		char text[240];
		snprintf(text, sizeof(text),
			"the time of day was set by %+.3f s while it was recorded; traces count "
			"from the start of the host and are not affected, its logs are",
			(double)sync_sub(r[i + 1].offset, r[i].offset) * 1e-9);
		found(in, "sync-clock-set", MER_NOTE, host, text);
		return;
	}
}

static bool is_possible(const int64_t t[N_TIMES], int64_t last_answered)
{
	/* A round that took longer on the host than at the recorder, beyond any drift, is
	 * invalid. */
	int64_t here = sync_sub(t[ANSWERED], t[ASKED]), there = sync_sub(t[LEFT], t[ARRIVED]);
	return t[ASKED] >= last_answered && t[ARRIVED] >= 0 && here >= 0 && there >= 0 &&
	       there <= sync_add(here, here / 100 + 1000);
}

/* Reads the host's rounds. base is added to times of the host, own to those of the recorder. */
static void read_rounds(struct reading *in, const struct mer_json_value *v, int64_t base,
	int64_t own, struct sync_host_rounds *h)
{
	struct mer_json_get *g = &in->get;
	const struct mer_json_value *list = mer_json_get_array_of(g, v, "rounds", MER_JSON_ARRAY);
	h->rounds = mer_arena_zalloc(&in->into->arena, list->n + 1u, sizeof(*h->rounds));
	struct realtime *wall = mer_arena_zalloc(in->tree, list->n + 1u, sizeof(*wall));
	if (!h->rounds || !wall) {
		mer_json_get_nomem(g);
		return;
	}
	size_t n_bad = 0, n_wall = 0;
	int64_t last = 0; /* both clocks count from the start of a host */
	for (uint32_t i = 0; i < list->n && g->rc == 0; i++) {
		const struct mer_json_value *item = &list->u.items[i];
		int64_t t[N_TIMES];
		if (item->n != N_TIMES) {
			mer_json_get_fail(g, item, "a round has five times");
			return;
		}
		for (int k = 0; k < N_TIMES; k++)
			t[k] = mer_json_to_int(g, &item->u.items[k], "round");
		if (!is_possible(t, last)) {
			n_bad++;
			continue;
		}
		last = t[ANSWERED];
		wall[n_wall++] = (struct realtime){ t[ARRIVED], sync_sub(t[REALTIME], t[ARRIVED]) };
		/* Times were read as seconds in floating point, with 53 bits. */
		int64_t slack = 1 + (t[LEFT] >> 51);
		h->rounds[h->n++] = (struct sync_round){ .asked = sync_add(t[ASKED], own),
			.answered = sync_add(sync_add(t[ANSWERED], own), slack),
			.arrived = sync_add(sync_add(t[ARRIVED], base), slack),
			.left = sync_add(t[LEFT], base) };
	}
	if (n_bad && g->rc == 0)
		found(in, "sync-rounds", MER_WARNING, h->host,
			"rounds of the recording contradict themselves and are not used");
	tell_if_set(in, h->host, wall, n_wall);
}

/* Reads a host of the manifest, if the experiment has it and its times use that clock. */
static void read_host(struct reading *in, const struct mer_json_value *v, int64_t own,
	uint32_t place, struct sync_recorder *r)
{
	const char *boot = mer_json_get_text(&in->get, v, "boot_id", true, in->tree);
	const char *tracer = mer_json_get_text(&in->get, v, "tracer", true, in->tree);
	const char *name = mer_json_get_text(&in->get, v, "hostname", true, in->tree);
	struct sync_host_rounds *h = &r->hosts[r->n_hosts];
	int64_t base;
	h->host = in->get.rc ? SYNC_NOT_RECORDED : sync_rounds_host(in->e, boot, tracer, name);
	if (h->host == SYNC_NOT_RECORDED || h->host == r->host ||
		!sync_monotonic_base(in->e, h->host, &base))
		return;
	for (size_t i = 0; i < r->n_hosts; i++)
		if (r->hosts[i].host == h->host)
			return; /* one machine by two names */
	h->place = mer_json_find(v, SYNC_ROUNDS_PLACE)
			   ? (uint32_t)mer_json_get_int(&in->get, v, SYNC_ROUNDS_PLACE)
			   : place;
	read_rounds(in, v, base, own, h);
	r->n_hosts += h->n > 0;
}

static int by_place(const void *a, const void *b)
{
	const struct sync_host_rounds *p = a, *q = b;
	return (p->place > q->place) - (p->place < q->place);
}

/* The recorder that this manifest is about: the one before of which it is another excerpt, or the
 * next one; with room for n more hosts. */
static struct sync_recorder *recorder_for(struct reading *in, const char *recording, uint32_t n)
{
	struct sync_rounds *into = in->into;
	struct sync_recorder *r = into->recorders;
	while (r < into->recorders + into->n &&
		(!recording || !r->recording || strcmp(r->recording, recording) != 0))
		r++;
	bool is_new = r == into->recorders + into->n;
	size_t had = is_new ? 0 : r->n_hosts; /* else left by a manifest whose end was damaged */
	struct sync_host_rounds *hosts =
		mer_arena_zalloc(&into->arena, had + n + 1u, sizeof(*hosts));
	if (!hosts) {
		mer_json_get_nomem(&in->get);
		return NULL;
	}
	if (had)
		memcpy(hosts, r->hosts, had * sizeof(*hosts));
	r->hosts = hosts;
	r->n_hosts = had;
	r->recording = recording ? mer_arena_strdup(&into->arena, recording) : NULL;
	return r;
}

static void read_recorder(struct reading *in, const struct mer_json_value *root)
{
	struct mer_json_get *g = &in->get;
	int64_t own = 0;
	if (g->rc == 0 && mer_json_get_int(g, root, "meridian_recording") != 1)
		mer_json_get_fail(g, root, "not a recording of a version that this program knows");
	const struct mer_json_value *recorder = mer_json_get_object(g, root, "recorder");
	const char *boot = mer_json_get_text(g, recorder, "boot_id", true, in->tree);
	const struct mer_json_value *hosts =
		mer_json_get_array_of(g, root, "hosts", MER_JSON_OBJECT);
	bool is_excerpt = g->rc == 0 && mer_json_find(root, SYNC_ROUNDS_RECORDING);
	const char *recording =
		is_excerpt ? mer_json_get_text(g, root, SYNC_ROUNDS_RECORDING, false, in->tree)
			   : NULL;
	if (g->rc)
		return;
	struct sync_recorder *r = recorder_for(in, recording, hosts->n);
	if (!r)
		return;
	r->host = host_of_boot(in->e, boot);
	if (r->host != SYNC_NOT_RECORDED && !sync_monotonic_base(in->e, r->host, &own))
		r->host = SYNC_NOT_RECORDED;
	for (uint32_t i = 0; g->rc == 0 && i < hosts->n; i++)
		read_host(in, &hosts->u.items[i], own, i, r);
	if (r->n_hosts)
		qsort(r->hosts, r->n_hosts, sizeof(*r->hosts), by_place);
	bool is_new = r == in->into->recorders + in->into->n;
	in->into->n += is_new && g->rc == 0 && r->n_hosts > 0;
}

int sync_rounds_parse(struct mer_experiment *e, const char *text, size_t len, const char *path,
	struct sync_rounds *into, struct mer_err *err)
{
	struct mer_arena tree;
	struct mer_err own = { 0 };
	struct mer_json_value root;
	struct reading in = { .e = e, .tree = &tree, .into = into, .path = path };
	mer_arena_init(&tree);
	in.get = (struct mer_json_get){ .text = text, .path = path, .len = len, .err = &own };
	if (len > MOST_BYTES)
		in.get.rc = mer_fail(&own, MER_ERR_INPUT, "%s: larger than any manifest", path);
	mer_json_get_root(&in.get, &tree, &root);
	if (in.get.rc == 0)
		read_recorder(&in, &root);
	int rc = in.get.rc == MER_ERR_NOMEM ? mer_fail_nomem(err) : 0;
	if (in.get.rc && rc == 0) {
		char why[sizeof(own.text) + 40];
		snprintf(why, sizeof(why), "%s; rounds of the recording are not used", own.text);
		found(&in, "sync-rounds", MER_WARNING, SYNC_NOT_RECORDED, why);
	}
	mer_arena_fini(&tree);
	return rc;
}

static int read_file(
	struct mer_experiment *e, const char *path, struct sync_rounds *into, struct mer_err *err)
{
	struct mer_file f;
	struct mer_err ignored;
	if (mer_file_open(&f, path, &ignored))
		return 0;
	int rc = sync_rounds_parse(e, (const char *)f.data, f.size, path, into, err);
	mer_file_close(&f);
	return rc;
}

int sync_rounds_read(struct mer_experiment *e, struct sync_rounds **rounds, struct mer_err *err)
{
	const char *const *paths;
	*rounds = NULL;
	struct sync_rounds *r = calloc(1, sizeof(*r));
	if (!r)
		return mer_fail_nomem(err);
	mer_arena_init(&r->arena);
	size_t n = sync_rounds_files(e, &r->arena, &paths);
	r->recorders = mer_arena_zalloc(&r->arena, n + 1, sizeof(*r->recorders));
	int rc = r->recorders ? 0 : mer_fail_nomem(err);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = read_file(e, paths[i], r, err);
	if (rc == 0 && r->n) {
		*rounds = r;
		return 0;
	}
	sync_rounds_free(r);
	return rc;
}

void sync_rounds_free(struct sync_rounds *rounds)
{
	if (rounds)
		mer_arena_fini(&rounds->arena);
	free(rounds);
}

bool sync_rounds_has(const struct sync_rounds *rounds, uint32_t host)
{
	for (size_t i = 0; rounds && i < rounds->n; i++) {
		const struct sync_recorder *r = &rounds->recorders[i];
		/* A single host cannot be compared if the recorder was not recorded. */
		if (r->host == SYNC_NOT_RECORDED && r->n_hosts < 2)
			continue;
		if (r->host == host)
			return true;
		for (size_t k = 0; k < r->n_hosts; k++)
			if (r->hosts[k].host == host)
				return true;
	}
	return false;
}

void sync_rounds_keep(struct sync_rounds *rounds, uint32_t host, int64_t begin, int64_t end)
{
	for (size_t i = 0; rounds && i < rounds->n; i++)
		for (size_t k = 0; k < rounds->recorders[i].n_hosts; k++) {
			struct sync_host_rounds *h = &rounds->recorders[i].hosts[k];
			bool is_recorder = rounds->recorders[i].host == host;
			size_t n = 0;
			if (h->host != host && !is_recorder)
				continue;
			for (size_t j = 0; j < h->n; j++) {
				const struct sync_round *r = &h->rounds[j];
				int64_t first = is_recorder ? r->asked : r->arrived;
				int64_t last = is_recorder ? r->answered : r->left;
				if (first >= begin && last < end)
					h->rounds[n++] = *r;
			}
			h->n = n;
		}
}
