#include "record/manifest.h"

#include <string.h>
#include "base/file.h"
#include "base/json.h"
#include "base/json_get.h"
#include "record/words.h"

static const char *mode_name(unsigned m)
{
	static const char *const names[] = {
		[RECORD_NORMAL] = "normal", [RECORD_SNAPSHOT] = "snapshot", [RECORD_LIVE] = "live"
	};
	return names[m];
}

static void put_known(struct mer_json *j, const char *key, int64_t v)
{
	if (v < 0)
		mer_json_kv_null(j, key);
	else
		mer_json_kv_int(j, key, v);
}

static void put_text(struct mer_json *j, const char *key, const char *text)
{
	mer_json_kv_text(j, key, text && *text ? text : NULL);
}

static void put_rounds(struct mer_json *j, const struct record_host *h)
{
	mer_json_kv_array(j, "rounds");
	for (size_t i = 0; i < h->n_rounds; i++) {
		const struct record_round *x = &h->rounds[i];
		mer_json_begin_array(j);
		mer_json_int(j, x->asked);
		mer_json_int(j, x->arrived);
		mer_json_int(j, x->left);
		mer_json_int(j, x->answered);
		mer_json_int(j, x->arrived_realtime);
		mer_json_end_array(j);
	}
	mer_json_end_array(j);
}

static void put_host(struct mer_json *j, const struct record_host *h)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "name", h->name);
	put_text(j, "target", h->target);
	put_text(j, "folder", h->folder);
	mer_json_kv_text(j, "tracer", record_backend_name(h->backend));
	put_text(j, "tracer_version",
		h->backend == RECORD_LTTNG  ? h->facts.lttng
		: h->backend == RECORD_PERF ? h->facts.perf
					    : NULL);
	put_text(j, "hostname", h->facts.name);
	put_text(j, "boot_id", h->facts.boot_id);
	put_text(j, "kernel", h->facts.kernel);
	put_text(j, "architecture", h->facts.architecture);
	put_known(j, "cpus", h->facts.cpus);
	put_text(j, "clock_source", h->facts.clock_source);
	put_text(j, "clock_daemon", h->facts.clock_daemon);
	put_text(j, "receive_offload", h->facts.receive_offload);
	put_text(j, "address", h->facts.address);
	mer_json_kv_bool(j, "recorded", h->has_data);
	put_known(j, "discarded_events", h->n_discarded);
	put_known(j, "trace_bytes", h->bytes);
	bool counted = h->counted && h->sends_beacons;
	put_known(j, "beacons_answered", counted ? (int64_t)h->n_answered : -1);
	put_known(j, "beacons_unanswered", counted ? (int64_t)h->n_silent : -1);
	put_rounds(j, h);
	mer_json_end_object(j);
}

void record_manifest_put(
	const struct record_run *r, const struct record_about *a, struct mer_str *out)
{
	struct mer_json j;
	struct mer_err ignored = { 0 };
	mer_json_init(&j, out, NULL, 1);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "meridian_recording", 1);
	mer_json_kv_text(&j, "meridian_version", a->version);
	mer_json_kv_text(&j, "label", r->plan.label);
	mer_json_kv_text(&j, "session", r->plan.session);
	mer_json_kv_text(&j, "mode", mode_name(r->plan.mode));
	mer_json_kv_bool(&j, "complete", a->complete);
	mer_json_kv_array(&j, "presets");
	for (size_t i = 0; i < a->n_presets; i++)
		mer_json_text(&j, a->presets[i]);
	mer_json_end_array(&j);
	if (r->command) {
		mer_json_kv_array(&j, "command");
		for (size_t i = 0; r->command[i]; i++)
			mer_json_text(&j, r->command[i]);
		mer_json_end_array(&j);
		mer_json_kv_int(&j, "exit_status", r->command_code);
	}
	mer_json_kv_text(&j, "folder", r->folder);
	mer_json_kv_int(&j, "began_realtime_ns", r->began_realtime_ns);
	put_known(&j, "duration_ns", r->ended_ns ? r->ended_ns - r->began_ns : -1);
	put_known(&j, "start_spread_ns", r->ended_ns ? r->spread_ns : -1);
	mer_json_kv_text(&j, "start_spread_by", r->spread_seen ? "events" : "answers");
	mer_json_kv_object(&j, "recorder");
	put_text(&j, "hostname", a->own_name);
	put_text(&j, "boot_id", a->own_boot_id);
	mer_json_end_object(&j);
	mer_json_kv_array(&j, "hosts");
	for (size_t i = 0; i < r->n_hosts; i++)
		put_host(&j, &r->hosts[i]);
	mer_json_end_array(&j);
	mer_json_end_object(&j);
	if (mer_json_finish(&j, &ignored) != 0)
		out->failed = true;
}

int record_manifest_write(const struct record_run *r, const struct record_about *a,
	const char *path, struct mer_err *err)
{
	struct mer_str text = { 0 };
	record_manifest_put(r, a, &text);
	int rc = text.failed ? mer_fail_nomem(err) : 0;
	if (rc == 0 && !mer_file_replace(path, &(struct mer_bytes){ text.data, text.len }, 1))
		rc = mer_fail_errno(err, "write", path);
	mer_str_fini(&text);
	return rc;
}

/* Version 1.0 recorded hosts without LTTng by trace-cmd, which is ended like perf. */
static const char *tracer_name(unsigned b)
{
	return b == RECORD_N_BACKENDS ? "trace-cmd" : record_backend_name(b);
}

/* Is it the folder that record_begin sets for this session? Any other one may not be ours. */
static bool is_folder(const char *folder, const struct record_host *h, const struct record_run *r)
{
	struct mer_str s = { 0 };
	record_put_folder(r, h, &s);
	bool same = !s.failed && strcmp(s.data, folder) == 0;
	mer_str_fini(&s);
	return same;
}

static void read_host(struct mer_json_get *g, const struct mer_json_value *v, struct record_run *r)
{
	struct record_host *h = &r->hosts[r->n_hosts];
	h->name = mer_json_get_text(g, v, "name", false, r->arena);
	h->target = mer_json_get_text(g, v, "target", true, r->arena);
	h->folder = mer_json_get_text(g, v, "folder", true, r->arena);
	unsigned tracer = mer_json_get_word(g, v, "tracer", tracer_name, RECORD_N_BACKENDS + 1);
	bool is_trace_cmd = tracer == RECORD_N_BACKENDS;
	/* Its traces were where LTTng's are. */
	h->backend = is_trace_cmd ? RECORD_LTTNG : (enum record_backend)tracer;
	bool is_own = !g->rc && (!h->folder || is_folder(h->folder, h, r));
	if (is_trace_cmd)
		h->backend = RECORD_PERF;
	h->has_data = mer_json_get_bool(g, v, "recorded");
	h->n_discarded = h->free_kib = h->bytes = -1;
	if (g->rc)
		return;
	if (!record_is_name(h->name) || (h->target && !record_is_target(h->target)))
		mer_json_get_fail(g, v, "not a host");
	else if (!is_own)
		mer_json_get_fail(g, v, "not the folder of this recording on the host");
	else
		r->n_hosts++;
}

int record_manifest_read(struct record_run *r, bool *complete, const char *text, size_t len,
	const char *path, struct mer_err *err)
{
	struct mer_json_get g = { .text = text, .path = path, .len = len, .err = err };
	struct mer_json_value root;
	r->n_hosts = 0;
	if (len > RECORD_MANIFEST_BYTES)
		return mer_fail(err, MER_ERR_INPUT, "%s: larger than any manifest", path);
	mer_json_get_root(&g, r->arena, &root);
	if (g.rc == 0 && mer_json_get_int(&g, &root, "meridian_recording") != 1)
		mer_json_get_fail(
			&g, &root, "not a recording of a version that this program knows");
	r->plan.label = mer_json_get_text(&g, &root, "label", false, r->arena);
	r->plan.session = mer_json_get_text(&g, &root, "session", false, r->arena);
	r->plan.mode = (enum record_mode)mer_json_get_word(&g, &root, "mode", mode_name, 3);
	r->folder = mer_json_get_text(&g, &root, "folder", false, r->arena);
	*complete = mer_json_get_bool(&g, &root, "complete");
	if (g.rc == 0 && (!record_is_name(r->plan.session) || !record_is_name(r->plan.label) ||
				 r->folder[0] != '/'))
		mer_json_get_fail(&g, &root, "not a session's name and folder");
	const struct mer_json_value *hosts =
		mer_json_get_array_of(&g, &root, "hosts", MER_JSON_OBJECT);
	if (g.rc == 0 && hosts->n > RECORD_MOST_HOSTS)
		mer_json_get_fail(&g, hosts, "too many hosts");
	r->hosts = mer_arena_zalloc(r->arena, hosts->n + 1u, sizeof(*r->hosts));
	if (!r->hosts)
		mer_json_get_nomem(&g);
	for (uint32_t i = 0; g.rc == 0 && i < hosts->n; i++)
		read_host(&g, &hosts->u.items[i], r);
	return g.rc;
}

int record_mark_complete(const char *path, struct mer_err *err)
{
	static const char no[] = "\n \"complete\": false,", yes[] = "\n \"complete\": true,";
	struct mer_file f;
	int rc = mer_file_open(&f, path, err);
	if (rc)
		return rc;
	const char *text = (const char *)f.data;
	/* As record_manifest_put writes it; an edited file may not have this line. */
	const char *at = memmem(text, f.size, no, sizeof(no) - 1);
	if (at) {
		size_t before = (size_t)(at - text), skip = before + sizeof(no) - 1;
		struct mer_bytes parts[] = { { text, before }, { yes, sizeof(yes) - 1 },
			{ text + skip, f.size - skip } };
		if (!mer_file_replace(path, parts, 3))
			rc = mer_fail_errno(err, "write", path);
	}
	mer_file_close(&f);
	return rc;
}
