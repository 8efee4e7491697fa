/* Plans: from names to numbers, before anything is read. */
#include "analysis/fold/plan.h"

#include <stdlib.h>
#include <string.h>

bool fold_list_next(const char **list, char *word, size_t bytes)
{
	const char *at = *list ? *list : "";
	at += strspn(at, " ,");
	size_t n = strcspn(at, " ,");
	*list = at + n;
	if (n == 0)
		return false;
	n = n < bytes ? n : bytes - 1;
	memcpy(word, at, n);
	word[n] = '\0';
	return true;
}

bool fold_list_has(const char *list, const char *word)
{
	char one[64];
	while (fold_list_next(&list, one, sizeof(one)))
		if (strcmp(one, word) == 0)
			return true;
	return false;
}

struct maker { /* of a plan */
	struct fold_plan *p;
	struct mer_err *err;
	const char *group_by; /* that the user wants; NULL: as the fold says */
};

static int is_wrong(const struct maker *m, const char *what, const char *name)
{
	return mer_fail(m->err, MER_ERR_BUG, "a fold of '%s' has no such %s: '%s'",
		m->p->kinds[0]->id, what, name);
}

static bool find_in_any(const struct fold_plan *p, const char *key, struct fold_source *s)
{
	for (uint32_t i = 0; i < p->n_inputs; i++)
		if (fold_source_find(p->inputs[i].kind, key, s))
			return true;
	return false;
}

/* ---- inputs ---- */

static int add_condition(const struct maker *m, const struct fact_kind *k,
	const struct fold_where *w, struct fold_condition *c)
{
	*c = (struct fold_condition){ .test = w->test, .a = w->a, .b = w->b };
	return fold_source_find(k, w->field, &c->source) ? 0 : is_wrong(m, "field", w->field);
}

/* Options that select by something select nothing of a kind that has no such thing, but for durations. */
static int add_selection(const struct maker *m, struct fold_input *in)
{
	const struct fold_plan *p = m->p;
	const struct analysis_options *o = p->options;
	const struct fact_kind *k = in->kind;
	if (p->by_duration && analysis_limits_durations(o) && k->duration &&
		!fold_source_find(k, k->duration, &in->duration))
		return is_wrong(m, "duration", k->duration);
	if (o->sizes.are_limited && k->bytes && !fold_source_find(k, k->bytes, &in->bytes))
		return is_wrong(m, "size", k->bytes);
	if (p->by_name && o->wants_name && k->name && !fold_source_find(k, k->name, &in->name))
		return is_wrong(m, "name", k->name);
	return 0;
}

static int add_input(const struct maker *m, const struct fact_kind *k)
{
	struct fold_plan *p = m->p;
	const struct fold *f = p->fold;
	struct fold_input *in = &p->inputs[p->n_inputs];
	p->kinds[p->n_inputs++] = k;
	in->kind = k;
	in->rule = f->rule ? f->rule : k->rule;
	fold_source_find(k, "task", &in->task);
	fold_source_find(k, "cpu", &in->cpu);
	if (!fold_source_find(k, f->from ? f->from : "begin", &in->begin))
		return is_wrong(m, "begin", f->from);
	if (!fold_source_find(k, f->to ? f->to : "end", &in->end))
		return is_wrong(m, "end", f->to);
	for (size_t i = 0; i < FOLD_WHERES && f->where[i].field; i++) {
		struct fold_source s;
		if (!fold_source_find(k, f->where[i].field, &s))
			continue;
		int rc = add_condition(m, k, &f->where[i], &in->where[in->n_where++]);
		if (rc)
			return rc;
	}
	return add_selection(m, in);
}

/* ---- keys ---- */

static void set_name(char *to, const char *from, size_t len)
{
	enum { BYTES = 32 };
	len = len < BYTES ? len : BYTES - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

/* "waker_comm" of a task "waker", "comm" of the task itself. */
static bool split_task(
	const struct fold_plan *p, const char *key, char task[32], enum fold_task_part *part)
{
	static const char *const parts[] = {
		[FOLD_TASK_TID] = "tid", [FOLD_TASK_PID] = "pid", [FOLD_TASK_COMM] = "comm"
	};
	const char *end = strrchr(key, '_');
	const char *word = end ? end + 1 : key;
	struct fold_source s;
	for (int i = FOLD_TASK_TID; i <= FOLD_TASK_COMM; i++) {
		if (strcmp(word, parts[i]) != 0)
			continue;
		*part = (enum fold_task_part)i;
		set_name(task, end ? key : "task", end ? (size_t)(end - key) : strlen("task"));
		return find_in_any(p, task, &s) && s.meaning == FACT_TASK;
	}
	return false;
}

static int find_key(const struct maker *m, const char *word, struct fold_key *k)
{
	static const struct {
		const char *word, *name;
		enum fold_key_what what;
	} known[] = { { "host", "host", FOLD_KEY_HOST }, { "thread", "task", FOLD_KEY_THREAD },
		{ "tid", "task", FOLD_KEY_THREAD }, { "task", "task", FOLD_KEY_THREAD },
		{ "process", "task", FOLD_KEY_PROCESS }, { "pid", "task", FOLD_KEY_PROCESS },
		{ "program", "task", FOLD_KEY_PROGRAM }, { "comm", "task", FOLD_KEY_PROGRAM } };
	enum fold_task_part part;
	*k = (struct fold_key){ 0 };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].word, word) == 0) {
			k->what = known[i].what;
			set_name(k->name, known[i].name, strlen(known[i].name));
			find_in_any(m->p, k->name, &k->source);
			return 0;
		}
	set_name(k->name, word, strlen(word));
	if (find_in_any(m->p, word, &k->source))
		return 0;
	if (split_task(m->p, word, k->name, &part) && find_in_any(m->p, k->name, &k->source)) {
		k->what = part == FOLD_TASK_TID	  ? FOLD_KEY_THREAD
			  : part == FOLD_TASK_PID ? FOLD_KEY_PROCESS
						  : FOLD_KEY_PROGRAM;
		return 0;
	}
	return is_wrong(m, "key", word);
}

/* Numbers of tasks and CPUs are numbers of one host: rows of hosts stay apart. */
static bool is_of_host(const struct fold_key *k)
{
	return k->what == FOLD_KEY_HOST || k->what == FOLD_KEY_THREAD ||
	       k->what == FOLD_KEY_PROCESS || strcmp(k->name, "cpu") == 0 ||
	       (k->what == FOLD_KEY_NUMBER && k->source.meaning == FACT_TASK);
}

static int find_keys(const struct maker *m, const char *group, struct fold_keys *keys)
{
	char word[64];
	*keys = (struct fold_keys){ 0 };
	while (fold_list_next(&group, word, sizeof(word))) {
		struct fold_key *k = &keys->keys[keys->n];
		if (keys->n == FOLD_MAX_KEYS)
			return mer_fail(m->err, MER_ERR_LIMIT, "more than %d keys to group by",
				(int)FOLD_MAX_KEYS);
		int rc = find_key(m, word, k);
		if (rc)
			return rc;
		keys->by_host |= is_of_host(k);
		keys->has_host |= k->what == FOLD_KEY_HOST;
		keys->n++;
	}
	return 0;
}

/* ---- tables ---- */

static bool has_inner(const struct fold_table *t, const char *name)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (strcmp(t->names[i], name) == 0)
			return true;
	return false;
}

static bool add_inner(struct fold_table *t, const char *name)
{
	if (has_inner(t, name))
		return true;
	if (t->n == FOLD_MAX_KEYS)
		return false;
	set_name(t->names[t->n++], name, strlen(name));
	return true;
}

static bool holds_all(const struct fold_table *t, const struct fold_table *of)
{
	for (uint32_t i = 0; i < of->n; i++)
		if (!has_inner(t, of->names[i]))
			return false;
	return true;
}

static int add_table(const struct maker *m, struct fold_keys *keys)
{
	struct fold_plan *p = m->p;
	struct fold_table t = { 0 };
	const char *parts = p->fold->parts;
	char word[64];
	bool ok = true;
	for (uint32_t i = 0; i < keys->n; i++)
		if (keys->keys[i].what != FOLD_KEY_HOST)
			ok &= add_inner(&t, keys->keys[i].name);
	while (fold_list_next(&parts, word, sizeof(word)))
		ok &= add_inner(&t, word);
	if (p->late)
		ok &= add_inner(&t, "task");
	if (p->fold->shape == FOLD_BINS)
		ok &= add_inner(&t, "bin");
	if (!ok)
		return mer_fail(m->err, MER_ERR_LIMIT, "more than %d keys", (int)FOLD_MAX_KEYS);
	for (uint32_t i = 0; i < p->n_tables; i++) {
		if (holds_all(&t, &p->tables[i]))
			p->tables[i] = t; /* it has what that one has, and more */
		if (holds_all(&p->tables[i], &t)) {
			keys->table = i;
			return 0;
		}
	}
	if (p->n_tables == FOLD_MAX_TABLES)
		return mer_fail(
			m->err, MER_ERR_LIMIT, "more than %d groupings", (int)FOLD_MAX_TABLES);
	keys->table = p->n_tables;
	p->tables[p->n_tables++] = t;
	return 0;
}

static uint32_t number_of(const struct fold_table *t, const char *name)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (strcmp(t->names[i], name) == 0)
			return i;
	return FOLD_MAX_KEYS;
}

static int bind_tables(const struct maker *m)
{
	struct fold_plan *p = m->p;
	for (uint32_t i = 0; i < p->n_tables; i++) {
		struct fold_table *t = &p->tables[i];
		t->task = number_of(t, "task");
		t->bin = number_of(t, "bin");
		t->is_dense = t->n == 1 && (t->task == 0 || strcmp(t->names[0], "cpu") == 0);
		for (uint32_t k = 0; k < t->n; k++)
			for (uint32_t in = 0; in < p->n_inputs; in++) {
				struct fold_source *s = &p->inputs[in].inner[i][k];
				if (k == t->bin)
					s->what = FOLD_FROM_BIN;
				else if (!fold_source_find(p->inputs[in].kind, t->names[k], s))
					*s = (struct fold_source){ 0 };
			}
		for (uint32_t k = 0; k < t->n; k++) {
			struct fold_source s;
			if (k != t->bin && !find_in_any(p, t->names[k], &s))
				return is_wrong(m, "key", t->names[k]);
		}
	}
	for (uint32_t i = 0; i < p->n_scopes; i++)
		for (uint32_t k = 0; k < p->scopes[i].n; k++) {
			struct fold_key *key = &p->scopes[i].keys[k];
			key->inner = key->what == FOLD_KEY_HOST
					     ? 0
					     : number_of(&p->tables[p->scopes[i].table], key->name);
		}
	return 0;
}

/* ---- sums ---- */

static uint16_t needs_of(const struct fold_cell *c)
{
	switch (c->op) {
	case FOLD_COUNT: return FOLD_HAS_COUNT;
	case FOLD_SUM:
	case FOLD_SPREAD: return FOLD_HAS_SUM | (c->empty_if_none ? FOLD_HAS_COUNT : 0);
	case FOLD_MIN: return FOLD_HAS_COUNT | FOLD_HAS_MIN;
	case FOLD_MAX: return FOLD_HAS_COUNT | FOLD_HAS_MAX;
	case FOLD_MEAN: return FOLD_HAS_COUNT | FOLD_HAS_SUM;
	case FOLD_STDDEV: return FOLD_HAS_COUNT | FOLD_HAS_SUM | FOLD_HAS_SQUARES;
	case FOLD_P50:
	case FOLD_P90:
	case FOLD_P99: return FOLD_HAS_COUNT | FOLD_HAS_MIN | FOLD_HAS_MAX | FOLD_HAS_BUCKETS;
	case FOLD_AT_MIN: return FOLD_HAS_COUNT | FOLD_HAS_MIN | FOLD_HAS_AT_MIN;
	case FOLD_AT_MAX: return FOLD_HAS_COUNT | FOLD_HAS_MAX | FOLD_HAS_AT_MAX;
	case FOLD_FIRST: return FOLD_HAS_COUNT | FOLD_HAS_FIRST;
	case FOLD_LAST: return FOLD_HAS_COUNT | FOLD_HAS_LAST;
	case FOLD_TIME_MEAN:
	case FOLD_TIME_SUM: return FOLD_HAS_TIMES | FOLD_HAS_LENGTHS;
	default: return 0;
	}
}

static int find_value(const struct maker *m, struct fold_input *in, const struct fold_cell *c)
{
	struct fold_source s = { .what = FOLD_FROM_LENGTH };
	if (!c->of && c->op == FOLD_COUNT)
		return -1;
	if (c->of && !fold_source_find(in->kind, c->of, &s))
		return is_wrong(m, "field", c->of);
	if (c->op == FOLD_SPREAD)
		s.what = FOLD_FROM_SHARE;
	for (uint32_t i = 0; i < in->n_values; i++)
		if (fold_source_is_same(&in->values[i], &s))
			return (int)i;
	if (in->n_values == FOLD_MAX_VALUES)
		return mer_fail(m->err, MER_ERR_BUG, "a fold has too many values");
	in->values[in->n_values] = s;
	return (int)in->n_values++;
}

/* Sums that a choice decides between are one addition, however many they are. */
static struct fold_switch *find_switch(struct fold_input *in, const struct fold_cell *c, int value)
{
	struct fold_source s;
	bool fits = (c->op == FOLD_COUNT && !c->of) || (c->op == FOLD_SUM && !c->empty_if_none);
	if (!fits || !c->where.field || c->where.test != FOLD_IS || c->where.a < 0 ||
		c->where.a >= FOLD_MAX_CHOICES || !fold_source_find(in->kind, c->where.field, &s) ||
		s.what != FOLD_FROM_FIELD || s.meaning != FACT_CHOICE)
		return NULL;
	for (uint32_t i = 0; i < in->n_switches; i++)
		if (in->switches[i].value == value &&
			fold_source_is_same(&in->switches[i].choice, &s))
			return &in->switches[i];
	if (in->n_switches == FOLD_MAX_SWITCHES)
		return NULL;
	struct fold_switch *x = &in->switches[in->n_switches++];
	*x = (struct fold_switch){ .value = (int8_t)value, .choice = s };
	return x;
}

static int find_condition(const struct maker *m, struct fold_input *in, const struct fold_where *w)
{
	struct fold_condition c;
	if (!w->field)
		return -1;
	int rc = add_condition(m, in->kind, w, &c);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < in->n_conditions; i++) {
		const struct fold_condition *x = &in->conditions[i];
		if (x->test == c.test && x->a == c.a && x->b == c.b &&
			fold_source_is_same(&x->source, &c.source))
			return (int)i;
	}
	if (in->n_conditions == FOLD_MAX_CONDITIONS)
		return mer_fail(m->err, MER_ERR_BUG, "a fold has too many conditions");
	in->conditions[in->n_conditions] = c;
	return (int)in->n_conditions++;
}

static int new_sum(const struct maker *m, const struct fold_sum *x)
{
	struct fold_plan *p = m->p;
	if (p->n_sums == FOLD_MAX_SUMS)
		return mer_fail(m->err, MER_ERR_BUG, "a fold has too many sums");
	p->sums[p->n_sums] = *x;
	return (int)p->n_sums++;
}

/* The sum that a cell is made of: its number; negative: an error. */
static int find_sum(const struct maker *m, const struct fold_cell *c)
{
	struct fold_plan *p = m->p;
	if (c->kind >= p->n_inputs)
		return is_wrong(m, "kind", c->key);
	struct fold_input *in = &p->inputs[c->kind];
	int value = find_value(m, in, c);
	if (value < -1)
		return value;
	struct fold_sum x = {
		.input = c->kind, .value = (int8_t)value, .condition = -1, .has = needs_of(c)
	};
	struct fold_switch *by = find_switch(in, c, value);
	if (by && by->sum[c->where.a])
		return by->sum[c->where.a] - 1;
	if (by) {
		x.is_switched = true;
		int n = new_sum(m, &x);
		if (n >= 0)
			by->sum[c->where.a] = (uint16_t)(n + 1);
		return n;
	}
	int condition = find_condition(m, in, &c->where);
	if (condition < -1)
		return condition;
	x.condition = (int8_t)condition;
	for (uint32_t i = 0; i < p->n_sums; i++) {
		struct fold_sum *y = &p->sums[i];
		if (y->input == x.input && y->value == x.value && y->condition == x.condition &&
			!y->is_switched) {
			y->has |= x.has;
			return (int)i;
		}
	}
	return new_sum(m, &x);
}

static int place_slots(const struct maker *m)
{
	struct fold_plan *p = m->p;
	for (uint32_t i = 0; i < p->n_sums; i++)
		for (unsigned bit = 0; bit < FOLD_N_SLOTS; bit++) {
			if (!(p->sums[i].has >> bit & 1))
				continue;
			bool is_wide = 1u << bit == FOLD_HAS_SQUARES || 1u << bit == FOLD_HAS_TIMES;
			p->sums[i].at[bit] = (uint16_t)p->n_slots;
			p->n_slots += is_wide ? 2 : 1;
		}
	p->empty = mer_arena_zalloc(&p->arena, (size_t)p->n_slots + 1, sizeof(*p->empty));
	if (!p->empty)
		return mer_fail_nomem(m->err);
	for (uint32_t i = 0; i < p->n_sums; i++) {
		const struct fold_sum *x = &p->sums[i];
		static const struct {
			uint16_t has;
			uint8_t bit;
			int64_t first;
		} firsts[] = { { FOLD_HAS_MIN, 3, INT64_MAX }, { FOLD_HAS_MAX, 4, INT64_MIN },
			{ FOLD_HAS_AT_MIN, 5, INT64_MAX }, { FOLD_HAS_AT_MAX, 6, INT64_MAX },
			{ FOLD_HAS_FIRST, 7, INT64_MAX }, { FOLD_HAS_LAST, 8, INT64_MIN } };
		for (size_t k = 0; k < sizeof(firsts) / sizeof(firsts[0]); k++)
			if (x->has & firsts[k].has)
				p->empty[x->at[firsts[k].bit]] = firsts[k].first;
	}
	for (uint32_t in = 0; in < p->n_inputs; in++)
		for (uint32_t i = 0; i < p->inputs[in].n_switches; i++) {
			struct fold_switch *x = &p->inputs[in].switches[i];
			for (unsigned c = 0; c < FOLD_MAX_CHOICES; c++) {
				const struct fold_sum *y =
					x->sum[c] ? &p->sums[x->sum[c] - 1] : NULL;
				if (y)
					x->to[c] = (uint16_t)(y->at[x->value < 0 ? 0 : 1] + 1);
			}
		}
	return 0;
}

/* ---- columns ---- */

static const struct fold_cell *cell_of(const struct fold *f, const char *key)
{
	for (const struct fold_cell *c = f->cells; c && c->key; c++)
		if (strcmp(c->key, key) == 0)
			return c;
	return NULL;
}

static int plan_row_column(const struct maker *m, const char *key, struct fold_column *x)
{
	struct fold_plan *p = m->p;
	bool any = false;
	char task[32];
	x->what = FOLD_COLUMN_FACT;
	const char *of = x->cell && x->cell->of ? x->cell->of : key;
	if (strcmp(of, "host") == 0 || (x->cell && x->cell->of_fact))
		return 0;
	if (split_task(p, of, task, &x->part))
		of = task;
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		any |= fold_source_find(p->inputs[i].kind, of, &x->fact[i]);
		struct fold_source s;
		if (x->cell && x->cell->where.field &&
			fold_source_find(p->inputs[i].kind, x->cell->where.field, &s)) {
			int rc = add_condition(
				m, p->inputs[i].kind, &x->cell->where, &x->condition[i]);
			if (rc)
				return rc;
		}
	}
	return any ? 0 : is_wrong(m, "column", key);
}

static enum fold_column_what special_of(const struct fold *f, const char *key)
{
	if (f->shape == FOLD_BUCKETS)
		return strncmp(key, "begin_", 6) == 0 ? FOLD_COLUMN_BUCKET_BEGIN
		       : strncmp(key, "end_", 4) == 0 ? FOLD_COLUMN_BUCKET_END
		       : strcmp(key, "count") == 0    ? FOLD_COLUMN_BUCKET_COUNT
						      : FOLD_COLUMN_KEY;
	if (f->shape == FOLD_BINS)
		return strcmp(key, "begin") == 0 ? FOLD_COLUMN_BEGIN
		       : strcmp(key, "end") == 0 ? FOLD_COLUMN_END
		       : strcmp(key, "of") == 0	 ? FOLD_COLUMN_SCOPE
						 : FOLD_COLUMN_KEY;
	return FOLD_COLUMN_KEY;
}

static int plan_column(const struct maker *m, const char *key, struct fold_column *x)
{
	const struct fold *f = m->p->fold;
	*x = (struct fold_column){ .cell = cell_of(f, key), .sum = -1 };
	if (f->shape == FOLD_ROWS)
		return plan_row_column(m, key, x);
	if (x->cell) {
		x->what = FOLD_COLUMN_CELL;
		if (!needs_of(x->cell))
			return 0;
		int sum = find_sum(m, x->cell);
		x->sum = (int16_t)sum;
		return sum < 0 ? sum : 0;
	}
	x->what = special_of(f, key);
	if (x->what == FOLD_COLUMN_KEY && !split_task(m->p, key, x->key_name, &x->part))
		set_name(x->key_name, key, strlen(key));
	return 0;
}

/* Does the key of a row say what this column shows? The name of a program says no thread's number. */
static bool shows(const struct fold_key *k, const struct fold_column *x)
{
	if (strcmp(k->name, x->key_name) != 0)
		return false;
	return k->what == FOLD_KEY_PROGRAM   ? x->part == FOLD_TASK_COMM
	       : k->what == FOLD_KEY_PROCESS ? x->part != FOLD_TASK_TID
					     : true;
}

static int bind_columns(const struct maker *m)
{
	struct fold_plan *p = m->p;
	for (uint32_t c = 0; c < p->n_columns; c++) {
		bool any = p->plan_of[c].what != FOLD_COLUMN_KEY;
		for (uint32_t i = 0; i < p->n_scopes; i++) {
			p->key_of[i][c] = -1;
			for (uint32_t k = 0; k < p->scopes[i].n; k++)
				if (p->plan_of[c].what == FOLD_COLUMN_KEY && p->key_of[i][c] < 0 &&
					shows(&p->scopes[i].keys[k], &p->plan_of[c]))
					p->key_of[i][c] = (int8_t)k;
			any |= p->key_of[i][c] >= 0;
		}
		if (!any)
			return is_wrong(m, "column", p->columns[c].key);
	}
	return 0;
}

static int plan_columns(const struct maker *m)
{
	struct fold_plan *p = m->p;
	for (; p->columns[p->n_columns].key; p->n_columns++) {
		if (p->n_columns == FOLD_MAX_COLUMNS)
			return mer_fail(m->err, MER_ERR_BUG, "a table has too many columns");
		int rc = plan_column(m, p->columns[p->n_columns].key, &p->plan_of[p->n_columns]);
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- all of it ---- */

static int plan_groups(const struct maker *m)
{
	struct fold_plan *p = m->p;
	const struct fold *f = p->fold;
	int rc = 0;
	if (f->shape == FOLD_BINS)
		for (const struct fold_scope *s = f->scopes; s->group && rc == 0; s++) {
			p->scope_of[p->n_scopes] = s;
			rc = find_keys(m, s->group, &p->scopes[p->n_scopes++]);
		}
	else
		rc = find_keys(m, f->group, &p->scopes[p->n_scopes++]);
	for (uint32_t i = 0; i < p->n_scopes && rc == 0; i++)
		rc = add_table(m, &p->scopes[i]);
	return rc ? rc : bind_tables(m);
}

static int plan_buckets(const struct maker *m)
{
	const struct fold_cell c = { .op = FOLD_P50, .of = m->p->fold->value },
			       total = { .op = FOLD_SUM, .of = m->p->fold->value };
	int sum = find_sum(m, &c);
	if (sum < 0)
		return sum;
	m->p->histogram = (int16_t)sum;
	sum = find_sum(m, &total);
	return sum < 0 ? sum : 0;
}

static int plan_rows(const struct maker *m)
{
	struct fold_plan *p = m->p;
	const char *value = p->fold->value;
	size_t most = 0;
	p->rows_descend = *value == '-';
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		if (!fold_source_find(p->inputs[i].kind, value + p->rows_descend, &p->inputs[i].by))
			return is_wrong(m, "field", value);
		most = p->inputs[i].kind->size > most ? p->inputs[i].kind->size : most;
	}
	p->fact_bytes = sizeof(struct fold_row) + most;
	return 0;
}

static int make_plan(const struct maker *m, struct analysis_run *run)
{
	struct fold_plan *p = m->p;
	const struct fold *f = p->fold;
	int rc = 0;
	for (size_t i = 0; i < FOLD_KINDS && f->kinds[i] && rc == 0; i++)
		rc = add_input(m, f->kinds[i]);
	if (rc == 0 && f->shape == FOLD_BINS)
		rc = analysis_bins_find(run, &p->bins, m->err);
	if (rc == 0)
		rc = f->shape == FOLD_ROWS ? plan_rows(m) : plan_groups(m);
	if (rc == 0 && f->shape == FOLD_BUCKETS)
		rc = plan_buckets(m);
	if (rc == 0)
		rc = plan_columns(m);
	if (rc == 0)
		rc = place_slots(m);
	return rc == 0 && f->shape != FOLD_ROWS ? bind_columns(m) : rc;
}

int fold_plan_new(struct analysis_run *run, const struct fold_request *r, struct fold_plan **plan,
	struct mer_err *err)
{
	const struct analysis_options *o = r->options;
	struct fold_plan *p = calloc(1, sizeof(*p));
	*plan = NULL;
	if (!p)
		return mer_fail_nomem(err);
	mer_arena_init(&p->arena);
	p->fold = r->fold;
	p->options = o;
	p->columns = r->columns;
	p->by_duration = r->by_duration;
	p->by_name = r->by_name;
	p->late = o->wants_task && o->wants_names;
	p->all_of_time = o->begin == INT64_MIN && o->end == INT64_MAX && o->n_periods == 0;
	p->histogram = -1;
	const struct maker m = { p, err, NULL };
	int rc = make_plan(&m, run);
	if (rc) {
		fold_plan_free(p);
		return rc;
	}
	*plan = p;
	return 0;
}

void fold_plan_free(struct fold_plan *p)
{
	if (!p)
		return;
	mer_arena_fini(&p->arena);
	free(p);
}

const struct mer_column *fold_plan_columns(const struct fold_plan *p)
{
	return p->columns;
}

const struct fact_kind *const *fold_plan_kinds(const struct fold_plan *p)
{
	return p->kinds;
}
