/* Joining: groups of all hosts that have the same keys are one row. */
#include "analysis/fold/plan.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/process_of.h"

/* ---- what rows are told apart by ---- */

static int64_t text_number(struct fold_joined *j, const char *text)
{
	uint32_t n = text ? mer_intern_add(&j->texts, text, strlen(text)) : KERNEL_NONE - 1;
	return n == MER_INTERN_NONE ? FACT_UNKNOWN + 1 : (int64_t)n;
}

static const char *text_of(
	const struct fold_joined *j, const struct fold_source *s, uint32_t host, int64_t value)
{
	struct mer_cell c = fold_number_cell(j->run, s, host, value, &j->run->arena);
	return c.set ? c.v.text : NULL;
}

bool fold_key_is_text(const struct fold_keys *keys, const struct fold_key *k)
{
	if (k->what != FOLD_KEY_NUMBER)
		return k->what == FOLD_KEY_PROGRAM;
	bool is_text = k->source.meaning == FACT_NAME || k->source.meaning == FACT_DEVICE ||
		       k->source.meaning == FACT_TEXT;
	bool same = keys->by_host && k->source.meaning != FACT_TEXT;
	return is_text && !same;
}

static int64_t word_of(
	struct fold_joined *j, const struct fold_key *k, uint32_t host, int64_t value)
{
	const struct kernel_host *h = &j->run->world->hosts[host];
	if (k->what == FOLD_KEY_NUMBER)
		return fold_key_is_text(j->keys, k)
			       ? text_number(j, text_of(j, &k->source, host, value))
			       : value;
	if (value == FACT_UNKNOWN || value >= h->n_tasks)
		return FACT_UNKNOWN;
	if (k->what == FOLD_KEY_PROCESS)
		return j->process_of[host][value];
	return k->what == FOLD_KEY_PROGRAM ? text_number(j, kernel_comm(h, (uint32_t)value))
					   : value;
}

static const int64_t *row_of(const struct fold_joined *j, const struct fold_part *part)
{
	return fold_group_row(&j->states[part->host]->groups[j->keys->table], part->group);
}

/* Is it a task that was not selected, where all of these share a row? */
static bool is_other(const struct fold_joined *j, const struct fold_part *part, const int64_t *row)
{
	const struct fold_plan *p = j->plan;
	const struct analysis_options *o = p->options;
	const struct fold_table *table = &p->tables[j->keys->table];
	const struct fold_scope *scope = p->scope_of[j->keys - p->scopes];
	if (!p->fold->every_task || !o->wants_task || !scope || !scope->busiest ||
		table->task == FOLD_MAX_KEYS || row[table->task] == FACT_UNKNOWN)
		return false;
	const struct kernel_host *h = &j->run->world->hosts[part->host];
	return row[table->task] >= h->n_tasks ||
	       !o->wants_task(o->ctx, h, (uint32_t)row[table->task]);
}

bool fold_joined_words_of_task(
	struct fold_joined *j, uint32_t host, int64_t task, int64_t words[FOLD_MAX_KEYS + 2])
{
	uint32_t n = 0;
	if (j->keys->by_host)
		words[n++] = host;
	for (uint32_t i = 0; i < j->keys->n; i++) {
		const struct fold_key *k = &j->keys->keys[i];
		if (k->what == FOLD_KEY_HOST)
			continue;
		if (strcmp(k->name, "task") != 0 || (k->is_needed && task == FACT_UNKNOWN))
			return false;
		words[n++] = word_of(j, k, host, task);
	}
	return true;
}

/* Finds the row that a part belongs to. */
static bool place(struct fold_joined *j, struct fold_part *part, uint32_t number)
{
	const struct fold_plan *p = j->plan;
	const struct fold_keys *keys = j->keys;
	const struct fold_table *table = &p->tables[keys->table];
	const int64_t *row = row_of(j, part);
	int64_t words[FOLD_MAX_KEYS + 2];
	uint32_t n = 0;
	part->row = KERNEL_NONE;
	uint32_t outcome = table->outcome < table->n ? (uint32_t)row[table->outcome] : 0;
	if (p->late && !fold_filter_task(p, j->run, part->host, row[table->task], outcome))
		return true;
	bool other = is_other(j, part, row);
	if (keys->by_host)
		words[n++] = part->host;
	for (uint32_t i = 0; i < keys->n; i++) {
		const struct fold_key *k = &keys->keys[i];
		if (k->what == FOLD_KEY_HOST)
			continue;
		if (k->is_needed && row[k->inner] == FACT_UNKNOWN)
			return true;
		words[n++] = other ? FOLD_OTHERS : word_of(j, k, part->host, row[k->inner]);
	}
	if (table->bin < FOLD_MAX_KEYS)
		words[n++] = row[table->bin];
	uint32_t before = j->rows.n;
	part->row = fold_group_of(&j->rows, words);
	if (part->row == KERNEL_NONE)
		return false;
	if (part->row == before)
		j->first[part->row] = number;
	return fold_join_slots(
		p, fold_group_row(&j->rows, part->row) + j->rows.n_keys, row + table->n);
}

/* ---- all of them ---- */

static bool find_processes(struct fold_joined *j)
{
	bool any = false;
	for (uint32_t i = 0; i < j->keys->n; i++)
		any |= j->keys->keys[i].what == FOLD_KEY_PROCESS;
	if (!any)
		return true;
	j->process_of =
		mer_arena_zalloc(&j->arena, j->run->world->n_hosts + 1u, sizeof(*j->process_of));
	for (uint32_t h = 0; j->process_of && h < j->run->world->n_hosts; h++) {
		j->process_of[h] = analysis_process_of(&j->run->world->hosts[h], &j->arena);
		if (!j->process_of[h])
			return false;
	}
	return j->process_of != NULL;
}

struct numbered {
	uint64_t seq;
	uint32_t group;
};

static int by_seq(const void *a, const void *b)
{
	const struct numbered *p = a, *q = b;
	if (p->seq != q->seq)
		return p->seq < q->seq ? -1 : 1;
	return (p->group > q->group) - (p->group < q->group);
}

/* Groups whose facts were not added in order: sorts them by their first facts. */
static bool order_parts(struct fold_part *parts, const struct fold_groups *g)
{
	if (g->n_seqs == 0)
		return true;
	struct numbered *list = malloc(((size_t)g->n + 1) * sizeof(*list));
	for (uint32_t i = 0; i < g->n && list; i++)
		list[i] = (struct numbered){ i < g->n_seqs ? g->seqs[i] : UINT64_MAX, i };
	if (list)
		qsort(list, g->n, sizeof(*list), by_seq);
	for (uint32_t i = 0; i < g->n && list; i++)
		parts[i].group = list[i].group;
	free(list);
	return list != NULL;
}

static bool list_parts(struct fold_joined *j, uint32_t host)
{
	uint32_t n_hosts = j->run->world->n_hosts;
	j->first_of_host = mer_arena_zalloc(&j->arena, n_hosts + 1u, sizeof(*j->first_of_host));
	if (!j->first_of_host)
		return false;
	for (uint32_t h = 0; h < n_hosts; h++) {
		j->first_of_host[h] = j->n_parts;
		if (j->states[h] && (host == KERNEL_NONE || host == h))
			j->n_parts += j->states[h]->groups[j->keys->table].n;
	}
	if (j->n_parts >= KERNEL_NONE)
		return false;
	j->first_of_host[n_hosts] = j->n_parts;
	j->parts = malloc((j->n_parts + 1) * sizeof(*j->parts));
	j->first = malloc((j->n_parts + 1) * sizeof(*j->first));
	if (!j->parts || !j->first)
		return false;
	for (uint32_t h = 0; h < n_hosts; h++)
		for (size_t i = j->first_of_host[h]; i < j->first_of_host[h + 1]; i++)
			j->parts[i] = (struct fold_part){ .host = h,
				.group = (uint32_t)(i - j->first_of_host[h]) };
	bool ok = true;
	for (uint32_t h = 0; h < n_hosts && ok; h++)
		if (j->first_of_host[h + 1] > j->first_of_host[h])
			ok = order_parts(&j->parts[j->first_of_host[h]],
				&j->states[h]->groups[j->keys->table]);
	return ok;
}

static bool group_parts(struct fold_joined *j)
{
	j->part_of = calloc((size_t)j->rows.n + 2, sizeof(*j->part_of));
	j->by_row = malloc((j->n_parts + 1) * sizeof(*j->by_row));
	if (!j->part_of || !j->by_row)
		return false;
	for (size_t i = 0; i < j->n_parts; i++)
		if (j->parts[i].row != KERNEL_NONE)
			j->part_of[j->parts[i].row + 1]++;
	for (uint32_t r = 0; r < j->rows.n; r++)
		j->part_of[r + 1] += j->part_of[r];
	for (size_t i = j->n_parts; i-- > 0;)
		if (j->parts[i].row != KERNEL_NONE)
			j->by_row[--j->part_of[j->parts[i].row + 1]] = (uint32_t)i;
	/* Each index has moved to the begin of its row, one position too far. */
	memmove(j->part_of, j->part_of + 1, j->rows.n * sizeof(*j->part_of));
	size_t n = 0;
	for (size_t i = 0; i < j->n_parts; i++)
		n += j->parts[i].row != KERNEL_NONE;
	j->part_of[j->rows.n] = n;
	return true;
}

int fold_joined_make(const struct fold_plan *p, const struct fold_keys *keys,
	struct analysis_run *run, struct fold_state *const *states, uint32_t host,
	struct fold_joined *j)
{
	uint32_t n_keys = keys->by_host;
	for (uint32_t i = 0; i < keys->n; i++)
		n_keys += keys->keys[i].what != FOLD_KEY_HOST;
	n_keys += p->tables[keys->table].bin < FOLD_MAX_KEYS;
	*j = (struct fold_joined){ .plan = p, .keys = keys, .run = run, .states = states };
	fold_groups_init(&j->rows, p, n_keys);
	mer_arena_init(&j->arena);
	mer_intern_init(&j->texts, &j->arena);
	bool ok = find_processes(j) && list_parts(j, host);
	for (size_t i = 0; i < j->n_parts && ok; i++)
		ok = place(j, &j->parts[i], (uint32_t)i);
	ok = ok && group_parts(j);
	return ok ? 0 : mer_fail_nomem(run->err);
}

void fold_joined_fini(struct fold_joined *j)
{
	free(j->parts);
	free(j->first);
	free(j->part_of);
	free(j->by_row);
	fold_groups_fini(&j->rows);
	mer_intern_fini(&j->texts);
	mer_arena_fini(&j->arena);
}

const int64_t *fold_joined_slots(const struct fold_joined *j, uint32_t row)
{
	return fold_group_row(&j->rows, row) + j->rows.n_keys;
}

/* ---- parts, for functions ---- */

static const struct fold_part *part_of(const struct fold_parts *p, size_t i)
{
	return &p->j->parts[p->list[i]];
}

size_t fold_parts_n(const struct fold_parts *p)
{
	return p->n;
}

const struct analysis_run *fold_parts_run(const struct fold_parts *p)
{
	return p->j->run;
}

uint32_t fold_part_host(const struct fold_parts *p, size_t i)
{
	return part_of(p, i)->host;
}

int64_t fold_part_key(const struct fold_parts *p, size_t i, const char *key)
{
	const struct fold_table *t = &p->j->plan->tables[p->j->keys->table];
	for (uint32_t k = 0; k < t->n; k++)
		if (strcmp(t->names[k], key) == 0)
			return row_of(p->j, part_of(p, i))[k];
	return FACT_UNKNOWN;
}

static const struct fold_column *column_of(const struct fold_parts *p, const char *key)
{
	const struct fold_plan *plan = p->j->plan;
	for (uint32_t c = 0; c < plan->n_columns; c++)
		if (plan->plan_of[c].sum >= 0 && strcmp(plan->columns[c].key, key) == 0)
			return &plan->plan_of[c];
	return NULL;
}

/* bit: of enum fold_part_of_sum */
static int64_t slot_of(
	const struct fold_parts *p, size_t i, const struct fold_column *x, unsigned bit)
{
	const struct fold_plan *plan = p->j->plan;
	const int64_t *slots = row_of(p->j, part_of(p, i)) + plan->tables[p->j->keys->table].n;
	return slots[plan->sums[x->sum].at[bit]];
}

int64_t fold_part_sum(const struct fold_parts *p, size_t i, const char *column)
{
	const struct fold_column *x = column_of(p, column);
	if (!x)
		return 0;
	return slot_of(p, i, x, x->cell->op == FOLD_COUNT ? 0 : x->cell->op == FOLD_MAX ? 4 : 1);
}

int64_t fold_part_count(const struct fold_parts *p, size_t i, const char *column)
{
	const struct fold_column *x = column_of(p, column);
	return x ? slot_of(p, i, x, 0) : 0;
}
