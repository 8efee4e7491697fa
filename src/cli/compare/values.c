#include "cli/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

const char *const compare_class_names[COMPARE_N_CLASSES] = { [COMPARE_CAUSE] = "cause",
	[COMPARE_PART] = "part",
	[COMPARE_EFFECT] = "effect",
	[COMPARE_PRESENCE] = "presence" };

void compare_set_init(struct compare_set *s)
{
	*s = (struct compare_set){ 0 };
	mer_arena_init(&s->arena);
	mer_intern_init(&s->keys, &s->arena);
}

void compare_set_fini(struct compare_set *s)
{
	for (size_t i = 0; i < s->n_runs; i++)
		free(s->runs[i].values);
	free(s->runs);
	free(s->measures);
	mer_intern_fini(&s->keys);
	mer_arena_fini(&s->arena);
}

struct compare_run *compare_add_run(struct compare_set *s, const char *path, int side)
{
	const char *copy = mer_arena_strdup(&s->arena, path);
	if (!copy || !mer_grow(&s->runs, s->n_runs, &s->cap_runs, sizeof(*s->runs)))
		return NULL;
	struct compare_run *run = &s->runs[s->n_runs++];
	*run = (struct compare_run){ .path = copy, .side = side, .duration_ns = MER_NO_TIME };
	return run;
}

/* Its number; UINT32_MAX: no memory. COMPARE_MOST_MEASURES: there are too many. */
static uint32_t number_of(struct compare_set *s, const struct compare_measure *m)
{
	struct mer_str key = { 0 };
	mer_str_printf(&key, "%s\x1f%s\x1f%s", m->kind, m->subject, m->name);
	uint32_t i = UINT32_MAX;
	if (!key.failed)
		i = mer_intern_find(&s->keys, key.data, key.len);
	if (!key.failed && i == MER_INTERN_NONE && s->n_measures == COMPARE_MOST_MEASURES) {
		s->has_left_out = true;
		i = COMPARE_MOST_MEASURES;
	} else if (!key.failed && i == MER_INTERN_NONE &&
		   mer_grow(&s->measures, s->n_measures, &s->cap_measures, sizeof(*s->measures))) {
		i = mer_intern_add(&s->keys, key.data, key.len);
		struct compare_measure own = { mer_arena_strdup(&s->arena, m->kind),
			mer_arena_strdup(&s->arena, m->subject),
			mer_arena_strdup(&s->arena, m->name), m->class, m->unit };
		if (!own.kind || !own.subject || !own.name)
			i = UINT32_MAX;
		if (i != UINT32_MAX)
			s->measures[s->n_measures++] = own;
	}
	mer_str_fini(&key);
	return i;
}

bool compare_add(struct compare_set *s, const struct compare_measure *m, double v)
{
	struct compare_run *run = &s->runs[s->n_runs - 1];
	uint32_t measure = number_of(s, m);
	if (measure == UINT32_MAX ||
		!mer_grow(&run->values, run->n, &run->cap, sizeof(*run->values)))
		return false;
	if (measure < COMPARE_MOST_MEASURES)
		run->values[run->n++] = (struct compare_value){ measure, v };
	return true;
}

size_t compare_n_runs(const struct compare_set *s, int side)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_runs; i++)
		n += s->runs[i].side == side;
	return n;
}
