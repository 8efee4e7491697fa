/* Fuzzer of saved corridors: no text may crash the reader, and what it accepts can be asked, is
 * written again as what it is, and merged with itself stays the same. */
#include <stdint.h>
#include <stdlib.h>
#include "sync/limits/corridor.h"
#include "check.h"

static int read_it(const char *text, size_t len, struct sync_corridor *c)
{
	struct mer_arena tree;
	struct mer_err err;
	struct mer_json_get g = { .text = text, .path = "input", .len = len, .err = &err };
	struct mer_json_value root;
	mer_arena_init(&tree);
	mer_json_get_root(&g, &tree, &root);
	int rc = sync_corridor_read(&g, &root, c);
	mer_arena_fini(&tree);
	return rc;
}

static void same(struct sync_corridor *a, struct sync_corridor *b, int64_t x)
{
	int64_t low[2], high[2];
	bool both = sync_corridor_limits(a, x, &low[0], &high[0]);
	check(sync_corridor_limits(b, x, &low[1], &high[1]) == both);
	check(low[0] == low[1] && high[0] == high[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t times[] = { INT64_MIN, -1, 0, 1795227171997296386, INT64_MAX };
	struct sync_corridor c, again;
	if (read_it((const char *)data, size, &c))
		return 0;
	struct mer_str text = { 0 };
	struct mer_json j;
	mer_json_init(&j, &text, NULL, 0);
	sync_corridor_write(&c, NULL, &j);
	check(mer_json_finish(&j, NULL) == 0);
	check(read_it(text.data, text.len, &again) == 0);
	check(sync_corridor_merge(&again, &c, NULL) == 0);
	int64_t x, low, high;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		same(&c, &again, times[i]);
	if (sync_corridor_contradiction(&c, &x))
		check(!sync_corridor_limits(&c, x, &low, &high) || low > high);
	struct sync_widths w;
	sync_widths_init(&w, INT64_MIN, INT64_MAX);
	sync_widths_take(&w, &c, INT64_MIN, INT64_MAX);
	struct sync_width width = sync_widths_result(&w);
	check(width.min <= width.median && width.median <= width.max);
	mer_str_fini(&text);
	sync_corridor_free(&c);
	sync_corridor_free(&again);
	return 0;
}
