#include "sync/rounds/excerpt.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_get.h"
#include "base/map.h"
#include "sync/rounds/rounds.h"

struct excerpt {
	const struct mer_experiment *e;
	uint32_t host;
	struct mer_json_get get;
	struct mer_arena *tree;
	struct mer_json json;
	uint32_t n_hosts;
};

static void put_rounds(struct excerpt *x, const struct mer_json_value *v)
{
	const struct mer_json_value *list =
		mer_json_get_array_of(&x->get, v, "rounds", MER_JSON_ARRAY);
	mer_json_kv_array(&x->json, "rounds");
	for (uint32_t i = 0; i < list->n && x->get.rc == 0; i++) {
		const struct mer_json_value *round = &list->u.items[i];
		mer_json_begin_array(&x->json);
		for (uint32_t k = 0; k < round->n; k++)
			mer_json_int(
				&x->json, mer_json_to_int(&x->get, &round->u.items[k], "round"));
		mer_json_end_array(&x->json);
	}
	mer_json_end_array(&x->json);
}

static void put_host(struct excerpt *x, const struct mer_json_value *v, uint32_t place)
{
	const char *boot = mer_json_get_text(&x->get, v, "boot_id", true, x->tree);
	const char *tracer = mer_json_get_text(&x->get, v, "tracer", true, x->tree);
	const char *name = mer_json_get_text(&x->get, v, "hostname", true, x->tree);
	if (x->get.rc || sync_rounds_host(x->e, boot, tracer, name) != x->host)
		return;
	x->n_hosts++;
	mer_json_begin_object(&x->json);
	mer_json_kv_text(&x->json, "boot_id", boot);
	mer_json_kv_text(&x->json, "tracer", tracer);
	mer_json_kv_text(&x->json, "hostname", name);
	mer_json_kv_uint(&x->json, SYNC_ROUNDS_PLACE, place);
	put_rounds(x, v);
	mer_json_end_object(&x->json);
}

static void put(struct excerpt *x, const struct mer_json_value *root, uint64_t hash)
{
	struct mer_json_get *g = &x->get;
	char recording[sizeof("0123456789abcdef")];
	const struct mer_json_value *recorder = mer_json_get_object(g, root, "recorder");
	const struct mer_json_value *hosts =
		mer_json_get_array_of(g, root, "hosts", MER_JSON_OBJECT);
	const char *boot = mer_json_get_text(g, recorder, "boot_id", true, x->tree);
	if (g->rc || mer_json_get_int(g, root, "meridian_recording") != 1)
		return;
	snprintf(recording, sizeof(recording), "%016" PRIx64, hash);
	mer_json_begin_object(&x->json);
	mer_json_kv_int(&x->json, "meridian_recording", 1);
	mer_json_kv_text(&x->json, SYNC_ROUNDS_RECORDING, recording);
	mer_json_kv_object(&x->json, "recorder");
	mer_json_kv_text(&x->json, "boot_id", boot);
	mer_json_end_object(&x->json);
	mer_json_kv_array(&x->json, "hosts");
	for (uint32_t i = 0; i < hosts->n && g->rc == 0; i++)
		put_host(x, &hosts->u.items[i], i);
	mer_json_end_array(&x->json);
	mer_json_end_object(&x->json);
}

int sync_rounds_excerpt(const struct mer_experiment *e, uint32_t host, const char *path,
	struct mer_str *out, struct mer_err *err)
{
	struct mer_file f;
	struct mer_arena tree;
	struct mer_json_value root;
	struct mer_str text = { 0 };
	struct mer_err why;
	if (mer_file_open(&f, path, &why))
		return 0;
	mer_arena_init(&tree);
	struct excerpt x = { .e = e, .host = host, .tree = &tree };
	x.get = (struct mer_json_get){
		.text = (const char *)f.data, .path = path, .len = f.size, .err = &why
	};
	mer_json_init(&x.json, &text, NULL, 0);
	mer_json_get_root(&x.get, &tree, &root);
	if (x.get.rc == 0)
		put(&x, &root, mer_hash(f.data, f.size));
	int rc = mer_json_finish(&x.json, err);
	rc = x.get.rc == MER_ERR_NOMEM ? mer_fail_nomem(err) : rc;
	if (rc == 0 && x.get.rc == 0 && x.n_hosts)
		mer_str_add(out, text.data, text.len);
	if (rc == 0 && (text.failed || out->failed))
		rc = mer_fail_nomem(err);
	mer_str_fini(&text);
	mer_arena_fini(&tree);
	mer_file_close(&f);
	return rc;
}
