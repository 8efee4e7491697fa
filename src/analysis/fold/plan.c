/* Plans: from names to numbers, before anything is read. */
#include "analysis/fold/plan_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

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

int fold_plan_is_wrong(const struct fold_maker *m, const char *what, const char *name)
{
	return mer_fail(m->err, MER_ERR_BUG, "a fold of '%s' has no such %s: '%s'",
		m->p->kinds[0]->id, what, name);
}

/* In the first kind that has it. */
static bool find_source(const struct fold_plan *p, const char *key, struct fold_source *s)
{
	for (uint32_t i = 0; i < p->n_inputs; i++)
		if (fold_source_find(p->inputs[i].kind, key, s))
			return true;
	return false;
}

/* ---- inputs ---- */

int fold_plan_condition(const struct fold_maker *m, const struct fact_kind *k,
	const struct fold_where *w, struct fold_condition *c)
{
	*c = (struct fold_condition){ .test = w->test, .a = w->a, .b = w->b };
	if (w->test == FOLD_ONCE) {
		c->test = FOLD_IS;
		c->a = 1;
		c->source = (struct fold_source){
			.what = FOLD_FROM_ONCE, .first_end = k->first_end, .of_tasks = k->of_tasks
		};
		return k->first_end ? 0 : fold_plan_is_wrong(m, "end", k->id);
	}
	return fold_source_find(k, w->field, &c->source) ? 0
							 : fold_plan_is_wrong(m, "field", w->field);
}

/* Options that select by a property select no fact of a kind without it, except for durations. */
static int add_selection(const struct fold_maker *m, struct fold_input *in)
{
	const struct fold_plan *p = m->p;
	const struct analysis_options *o = p->options;
	const struct fact_kind *k = in->kind;
	unsigned ignores = p->fold->ignores;
	if (!(ignores & FOLD_BY_DURATION) && analysis_limits_durations(o) && k->duration &&
		!fold_source_find(k, k->duration, &in->duration))
		return fold_plan_is_wrong(m, "duration", k->duration);
	if (!(ignores & FOLD_BY_SIZE) && o->sizes.are_limited && k->bytes &&
		!fold_source_find(k, k->bytes, &in->bytes))
		return fold_plan_is_wrong(m, "size", k->bytes);
	if (!(ignores & FOLD_BY_NAME) && o->wants_name && k->name &&
		!fold_source_find(k, k->name, &in->name))
		return fold_plan_is_wrong(m, "name", k->name);
	return 0;
}

bool fold_selects_by(const struct fold *f, enum fold_choice choice)
{
	bool any = false;
	for (size_t i = 0; i < FOLD_KINDS && f->kinds[i]; i++) {
		const struct fact_kind *k = f->kinds[i];
		any |= (choice == FOLD_BY_DURATION	? k->duration
			       : choice == FOLD_BY_NAME ? k->name
							: k->bytes) != NULL;
	}
	return any && !(f->ignores & choice);
}

bool fold_has_tasks(const struct fold *f)
{
	for (size_t i = 0; i < FOLD_KINDS && f->kinds[i]; i++)
		if (!f->kinds[i]->of_cpus && !f->kinds[i]->of_host)
			return true;
	return false;
}

static int add_input(const struct fold_maker *m, const struct fact_kind *k)
{
	struct fold_plan *p = m->p;
	const struct fold *f = p->fold;
	struct fold_input *in = &p->inputs[p->n_inputs];
	p->kinds[p->n_inputs++] = k;
	in->kind = k;
	p->has_cpus |= k->of_cpus || k->of_host;
	in->rule = f->rule ? f->rule : k->rule;
	fold_source_find(k, "task", &in->task);
	fold_source_find(k, "cpu", &in->cpu);
	if (k->thread && !fold_source_find(k, k->thread, &in->thread))
		return fold_plan_is_wrong(m, "thread", k->thread);
	if (!fold_source_find(k, f->from ? f->from : "begin", &in->begin))
		return fold_plan_is_wrong(m, "begin", f->from);
	if (!fold_source_find(k, f->to ? f->to : "end", &in->end))
		return fold_plan_is_wrong(m, "end", f->to);
	for (size_t i = 0; i < FOLD_WHERES && f->where[i].field; i++) {
		struct fold_source s;
		if (f->where[i].test != FOLD_ONCE && !fold_source_find(k, f->where[i].field, &s))
			continue;
		int rc = fold_plan_condition(m, k, &f->where[i], &in->where[in->n_where++]);
		if (rc)
			return rc;
	}
	return add_selection(m, in);
}

/* ---- keys ---- */

void fold_plan_set_name(char *to, const char *from, size_t len)
{
	enum { BYTES = 32 };
	len = len < BYTES ? len : BYTES - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

/* "waker_comm" of a task "waker", "comm" of the task itself. */
bool fold_plan_split_task(
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
		fold_plan_set_name(
			task, end ? key : "task", end ? (size_t)(end - key) : strlen("task"));
		if (!find_source(p, task, &s) || s.meaning != FACT_TASK)
			return false;
		*part = (enum fold_task_part)i;
		return true;
	}
	return false;
}

static void add_word(const struct fold_maker *m, struct mer_str *list, const char *key)
{
	const char *not_by = m->p->fold->not_by;
	if (!fold_list_has(list->data, key) && !(not_by && fold_list_has(not_by, key)))
		mer_str_printf(list, ", %s", key);
}

/* An error about the user's key: says which keys exist. */
static int no_such_key(const struct fold_maker *m, const char *word)
{
	struct mer_str list = { 0 };
	mer_str_puts(&list, "host, process, program, thread, cpu");
	for (uint32_t i = 0; i < m->p->n_inputs; i++) {
		const struct fact_kind *k = m->p->inputs[i].kind;
		for (const struct fact_field *f = k->fields; f && f->key; f++)
			if (f->title)
				add_word(m, &list, f->key);
		for (const struct fact_view *v = k->views; v && v->key; v++)
			if (v->title)
				add_word(m, &list, v->key);
	}
	if (m->p->fold->instead)
		mer_str_printf(&list, "; of the table '%s', too: %s", m->p->fold->instead,
			m->p->fold->not_by);
	int rc = list.failed ? mer_fail_nomem(m->err)
			     : mer_fail_remedy(m->err, MER_ERR_USAGE, MER_REMEDY_GROUP_BY,
				       "no key '%.100s'; there are: %s", word, list.data);
	mer_str_fini(&list);
	return rc;
}

static int find_key(const struct fold_maker *m, const char *word, struct fold_key *k)
{
	static const struct {
		const char *word, *name;
		enum fold_key_what what;
	} known[] = { { "host", "host", FOLD_KEY_HOST }, { "thread", "task", FOLD_KEY_THREAD },
		{ "tid", "task", FOLD_KEY_THREAD }, { "task", "task", FOLD_KEY_THREAD },
		{ "process", "task", FOLD_KEY_PROCESS }, { "pid", "task", FOLD_KEY_PROCESS },
		{ "program", "task", FOLD_KEY_PROGRAM }, { "comm", "task", FOLD_KEY_PROGRAM } };
	enum fold_task_part part;
	const struct fold *f = m->p->fold;
	*k = (struct fold_key){ 0 };
	if (m->group_by && f->not_by && fold_list_has(f->not_by, word))
		return mer_fail_remedy(m->err, MER_ERR_USAGE, MER_REMEDY_GROUP_BY,
			"this table has no groups by '%s'; the table '%s' has", word, f->instead);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].word, word) == 0) {
			k->what = known[i].what;
			fold_plan_set_name(k->name, known[i].name, strlen(known[i].name));
			find_source(m->p, k->name, &k->source);
			return 0;
		}
	fold_plan_set_name(k->name, word, strlen(word));
	if (find_source(m->p, word, &k->source))
		return 0;
	if (fold_plan_split_task(m->p, word, k->name, &part) &&
		find_source(m->p, k->name, &k->source)) {
		k->what = part == FOLD_TASK_TID	  ? FOLD_KEY_THREAD
			  : part == FOLD_TASK_PID ? FOLD_KEY_PROCESS
						  : FOLD_KEY_PROGRAM;
		return 0;
	}
	return m->group_by ? no_such_key(m, word) : fold_plan_is_wrong(m, "key", word);
}

/* Numbers of tasks and CPUs are only valid on one host, so rows of hosts are kept apart. */
static bool is_of_host(const struct fold_key *k)
{
	return k->what == FOLD_KEY_HOST || k->what == FOLD_KEY_THREAD ||
	       k->what == FOLD_KEY_PROCESS || strcmp(k->name, "cpu") == 0 ||
	       (k->what == FOLD_KEY_NUMBER && k->source.meaning == FACT_TASK);
}

static bool needs_key(const char *known, const char *word)
{
	return known && fold_list_has(known, word);
}

static int find_keys(
	const struct fold_maker *m, const char *group, const char *known, struct fold_keys *keys)
{
	char word[64];
	*keys = (struct fold_keys){ 0 };
	if (m->group_by && !fold_list_has(group, "host")) { /* first, if others need it */
		struct fold_key *host = &keys->keys[keys->n++];
		*host = (struct fold_key){ .name = "host", .what = FOLD_KEY_HOST };
	}
	while (fold_list_next(&group, word, sizeof(word))) {
		struct fold_key *k = &keys->keys[keys->n];
		if (keys->n == FOLD_MAX_KEYS)
			return mer_fail(m->err, MER_ERR_LIMIT, "more than %d keys to group by",
				(int)FOLD_MAX_KEYS);
		int rc = find_key(m, word, k);
		if (rc)
			return rc;
		k->is_needed = !m->group_by && needs_key(known, word);
		keys->has_cpu |= strcmp(k->name, "cpu") == 0;
		keys->by_host |= is_of_host(k);
		keys->has_host |= k->what == FOLD_KEY_HOST;
		keys->n++;
	}
	if (m->group_by && !keys->has_host && keys->by_host)
		keys->has_host = true;
	else if (m->group_by && !keys->has_host)
		memmove(keys->keys, keys->keys + 1, --keys->n * sizeof(*keys->keys));
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
	fold_plan_set_name(t->names[t->n++], name, strlen(name));
	return true;
}

static bool holds_all(const struct fold_table *t, const struct fold_table *of)
{
	for (uint32_t i = 0; i < of->n; i++)
		if (!has_inner(t, of->names[i]))
			return false;
	return true;
}

static int add_table(const struct fold_maker *m, struct fold_keys *keys)
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
	if (p->filter.n_bits)
		ok &= add_inner(&t, "outcome");
	if (p->fold->shape == FOLD_BINS)
		ok &= add_inner(&t, "bin");
	if (!ok)
		return mer_fail(m->err, MER_ERR_LIMIT, "more than %d keys", (int)FOLD_MAX_KEYS);
	for (uint32_t i = 0; i < p->n_tables; i++) {
		if (holds_all(&t, &p->tables[i]))
			p->tables[i] = t; /* it has all keys of that table, and more */
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

static int bind_tables(const struct fold_maker *m)
{
	struct fold_plan *p = m->p;
	for (uint32_t i = 0; i < p->n_tables; i++) {
		struct fold_table *t = &p->tables[i];
		t->task = number_of(t, "task");
		t->bin = number_of(t, "bin");
		t->outcome = number_of(t, "outcome");
		uint32_t cpu = number_of(t, "cpu");
		t->main_key = t->bin == FOLD_MAX_KEYS ? FOLD_MAX_KEYS
			      : t->task < t->n	      ? t->task
						      : cpu;
		t->is_dense = t->n == 1 && (t->task == 0 || strcmp(t->names[0], "cpu") == 0);
		for (uint32_t k = 0; k < t->n; k++)
			for (uint32_t in = 0; in < p->n_inputs; in++) {
				struct fold_source *s = &p->inputs[in].inner[i][k];
				if (k == t->bin || k == t->outcome)
					s->what = FOLD_FROM_BIN;
				else if (!fold_source_find(p->inputs[in].kind, t->names[k], s))
					*s = (struct fold_source){ 0 };
			}
		for (uint32_t k = 0; k < t->n; k++) {
			struct fold_source s;
			if (k != t->bin && k != t->outcome && !find_source(p, t->names[k], &s))
				return fold_plan_is_wrong(m, "key", t->names[k]);
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

/* ---- all of it ---- */

static int plan_groups(const struct fold_maker *m)
{
	struct fold_plan *p = m->p;
	const struct fold *f = p->fold;
	int rc = 0;
	if (f->shape == FOLD_BINS && m->group_by) {
		p->scope_of[p->n_scopes] = &p->own_scope;
		rc = find_keys(m, m->group_by, NULL, &p->scopes[p->n_scopes++]);
	} else if (f->shape == FOLD_BINS)
		for (const struct fold_scope *s = f->scopes; s->group && rc == 0; s++) {
			p->scope_of[p->n_scopes] = s;
			rc = find_keys(m, s->group, s->known, &p->scopes[p->n_scopes++]);
		}
	else
		rc = find_keys(m, m->group_by ? m->group_by : f->group, f->known,
			&p->scopes[p->n_scopes++]);
	for (uint32_t i = 0; i < p->n_scopes && rc == 0; i++)
		rc = add_table(m, &p->scopes[i]);
	return rc ? rc : bind_tables(m);
}

static int plan_buckets(const struct fold_maker *m)
{
	const struct fold_cell c = { .op = FOLD_P50, .of = m->p->fold->value },
			       total = { .op = FOLD_SUM, .of = m->p->fold->value };
	int sum = fold_plan_sum(m, &c);
	if (sum < 0)
		return sum;
	m->p->histogram = (int16_t)sum;
	sum = fold_plan_sum(m, &total);
	return sum < 0 ? sum : 0;
}

/* A level depends on the order of facts: it cannot be summed up from groups by outcome. */
static int plan_level(const struct fold_maker *m)
{
	struct fold_plan *p = m->p;
	p->level_column = -1;
	for (uint32_t c = 0; c < p->n_columns; c++) {
		const struct fold_cell *cell = p->plan_of[c].cell;
		if (!cell || cell->op != FOLD_LEVEL)
			continue;
		if (p->fold->shape != FOLD_BINS || cell->kind >= p->n_inputs ||
			!fold_source_find(p->inputs[cell->kind].kind, cell->of, &p->level))
			return fold_plan_is_wrong(m, "level", cell->key);
		p->level_input = cell->kind;
		p->level_column = p->filter.n_bits ? -1 : (int16_t)c;
	}
	return 0;
}

bool fold_needs_all_time(const struct fold_plan *p)
{
	return p->level_column >= 0;
}

bool fold_needs_every_task(const struct fold_plan *p)
{
	return p->fold->every_task;
}

static int plan_order(const struct fold_maker *m)
{
	const struct fold_cell c = { .op = FOLD_FIRST };
	int sum = fold_list_has(m->p->fold->order, "first") ? fold_plan_sum(m, &c) : -1;
	m->p->first = (int16_t)(sum < 0 ? -1 : sum);
	return sum < -1 ? sum : 0;
}

static int plan_rows(const struct fold_maker *m)
{
	struct fold_plan *p = m->p;
	const char *value = p->fold->value;
	size_t most = 0;
	p->rows_descend = *value == '-';
	p->needs_pieces |= p->fold->cut_rows;
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		if (!fold_source_find(p->inputs[i].kind, value + p->rows_descend, &p->inputs[i].by))
			return fold_plan_is_wrong(m, "field", value);
		most = p->inputs[i].kind->size > most ? p->inputs[i].kind->size : most;
	}
	p->fact_bytes = sizeof(struct fold_row) + most;
	return 0;
}

static int make_plan(const struct fold_maker *m, struct analysis_run *run)
{
	struct fold_plan *p = m->p;
	const struct fold *f = p->fold;
	int rc = 0;
	for (size_t i = 0; i < FOLD_KINDS && f->kinds[i] && rc == 0; i++)
		rc = add_input(m, f->kinds[i]);
	if (rc == 0)
		rc = fold_filter_plan(p, m->err);
	p->limit = p->filter.n_of_rows || f->all_rows ? 0 : p->options->limit;
	if (rc == 0 && f->shape == FOLD_BINS)
		rc = analysis_bins_find(run, &p->bins, m->err);
	if (rc == 0)
		rc = f->shape == FOLD_ROWS ? plan_rows(m) : plan_groups(m);
	if (rc == 0 && f->shape == FOLD_BUCKETS)
		rc = plan_buckets(m);
	if (rc == 0)
		rc = plan_order(m);
	if (rc == 0 && m->group_by)
		rc = fold_plan_columns_by(m);
	if (rc == 0)
		rc = fold_plan_all_columns(m);
	if (rc == 0)
		rc = plan_level(m);
	if (rc == 0)
		rc = fold_plan_slots(m);
	if (rc == 0 && f->shape != FOLD_ROWS)
		rc = fold_plan_derived(m);
	return rc == 0 && f->shape != FOLD_ROWS ? fold_plan_bind_columns(m) : rc;
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
	p->other_columns = r->other_columns;
	p->e = run->e;
	p->run = run;
	p->of_tables = &run->arena;
	p->late = o->wants_task && o->wants_names && !r->fold->every_task;
	p->all_of_time = o->begin == INT64_MIN && o->end == INT64_MAX && o->n_periods == 0;
	p->histogram = -1;
	const struct fold_maker m = { p, err, fold_plan_groups_by(r->fold) ? o->group_by : NULL };
	p->is_by_others = m.group_by != NULL;
	for (const struct fold_scope *s = r->fold->scopes; m.group_by && s && s->group; s++) {
		p->own_scope = *s;
		p->own_scope.group = m.group_by;
		p->own_scope.every_bin = false;
	}
	int rc = make_plan(&m, run);
	if (rc) {
		fold_plan_free(p);
		return rc;
	}
	*plan = p;
	return 0;
}

static bool is_same_input(const struct fold_input *a, const struct fold_input *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Plans are zeroed before they are filled, and sums are in the order of the columns, so
 * comparing bytes is enough. */
bool fold_plan_adds_same(const struct fold_plan *a, const struct fold_plan *b)
{
	bool same = a->fold->shape == FOLD_GROUPS && b->fold->shape == FOLD_GROUPS &&
		    a->options == b->options && !a->options->filter && a->late == b->late &&
		    a->fold->every_task == b->fold->every_task && !a->fold->from && !a->fold->to &&
		    !b->fold->from && !b->fold->to && a->n_inputs == b->n_inputs &&
		    a->n_tables == b->n_tables && a->n_sums == b->n_sums &&
		    memcmp(a->sums, b->sums, a->n_sums * sizeof(a->sums[0])) == 0;
	for (uint32_t i = 0; i < a->n_tables && same; i++)
		same = memcmp(&a->tables[i], &b->tables[i], sizeof(a->tables[i])) == 0;
	for (uint32_t i = 0; i < a->n_inputs && same; i++)
		same = is_same_input(&a->inputs[i], &b->inputs[i]);
	return same;
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
