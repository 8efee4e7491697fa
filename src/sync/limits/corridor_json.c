/* Corridor as JSON: its points, which are added again when it is read. So what is read is a
 * corridor that messages can lead to, whatever the text says.
 *
 *   {"rate": 0.001, "upper": [[x, y], ...], "lower": [[x, y], ...]}      x, y: ns */
#include "sync/limits/corridor.h"

static void write_side(const struct sync_corridor_side *s, const char *key, struct mer_json *j)
{
	mer_json_kv_array(j, key);
	for (size_t i = 0; i < s->n; i++) {
		mer_json_begin_array(j);
		mer_json_int(j, s->p[i].x);
		mer_json_int(j, s->p[i].y);
		mer_json_end_array(j);
	}
	mer_json_end_array(j);
}

void sync_corridor_write(struct sync_corridor *c, const char *key, struct mer_json *j)
{
	int64_t low, high;
	sync_corridor_limits(c, 0, &low, &high); /* any question: only what is needed is written */
	if (key)
		mer_json_kv_object(j, key);
	else
		mer_json_begin_object(j);
	mer_json_kv_double(j, "rate", c->rate);
	write_side(&c->upper, "upper", j);
	write_side(&c->lower, "lower", j);
	mer_json_end_object(j);
}

static void read_side(struct mer_json_get *g, const struct mer_json_value *object, const char *key,
	bool upper, struct sync_corridor *c)
{
	const struct mer_json_value *points = mer_json_get_array_of(g, object, key, MER_JSON_ARRAY);
	for (uint32_t i = 0; i < points->n && !g->rc; i++) {
		const struct mer_json_value *xy = &points->u.items[i];
		if (xy->n != 2) {
			mer_json_get_fail(g, xy, "an item of '%s' must be a time and a limit", key);
			return;
		}
		struct sync_point p = { mer_json_to_int(g, &xy->u.items[0], key),
			mer_json_to_int(g, &xy->u.items[1], key) };
		if (!g->rc)
			g->rc = sync_corridor_add(c, upper, p, g->err);
	}
}

int sync_corridor_read(
	struct mer_json_get *g, const struct mer_json_value *object, struct sync_corridor *c)
{
	double rate = mer_json_get_real(g, object, "rate");
	if (!g->rc && !(rate >= 0 && rate <= 1))
		mer_json_get_fail(g, object, "'rate' must be between 0 and 1");
	sync_corridor_init(c, g->rc ? 0 : rate);
	read_side(g, object, "upper", true, c);
	read_side(g, object, "lower", false, c);
	if (g->rc)
		sync_corridor_free(c);
	return g->rc;
}
