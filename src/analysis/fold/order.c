/* Order: of rows, before a table is sorted. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/plan.h"

struct ranked {
	const struct fold_terms *terms;
	uint32_t row;
	struct fold_rank ranks[FOLD_MAX_TERMS];
};

int fold_ranks_compare(
	const struct fold_terms *terms, const struct fold_rank *a, const struct fold_rank *b)
{
	for (size_t i = 0; i < terms->n; i++) {
		int c = a[i].text && b[i].text
				? strcmp(a[i].text, b[i].text)
				: (a[i].number > b[i].number) - (a[i].number < b[i].number);
		if (c)
			return terms->of[i].descends ? -c : c;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;
	int c = fold_ranks_compare(p->terms, p->ranks, q->ranks);
	return c ? c : (p->row > q->row) - (p->row < q->row);
}

static bool find_term(const struct fold_plan *p, const struct fold_keys *keys, const char *word,
	struct fold_term *t)
{
	*t = (struct fold_term){ .descends = *word == '-' };
	word += t->descends;
	const char *name = strcmp(word, "thread") == 0 ? "task" : word;
	for (uint32_t i = 0; i < keys->n; i++)
		if (strcmp(keys->keys[i].name, name) == 0)
			t->key = &keys->keys[i];
	if (!t->key && strcmp(word, "first") == 0 && p->first >= 0) {
		t->sum = &p->sums[p->first];
		t->bit = (unsigned)__builtin_ctz(FOLD_HAS_FIRST);
		return true;
	}
	for (uint32_t c = 0; c < p->n_columns && !t->key; c++)
		if (strcmp(p->columns[c].key, word) == 0 && p->plan_of[c].sum >= 0) {
			t->sum = &p->sums[p->plan_of[c].sum];
			t->bit = p->plan_of[c].cell->op == FOLD_COUNT ? 0 : 1;
		}
	if (!t->key && !t->sum && p->histogram >= 0 && strcmp(word, "total") == 0) {
		t->sum = &p->sums[p->histogram];
		t->bit = 1;
	}
	return t->key || t->sum;
}

static struct fold_rank rank_of(
	const struct fold_joined *j, const struct fold_term *t, uint32_t row)
{
	if (t->sum)
		return (struct fold_rank){ fold_joined_slots(j, row)[t->sum->at[t->bit]], NULL };
	const struct fold_part *first = &j->parts[j->first[row]];
	if (t->key->what == FOLD_KEY_HOST)
		return (struct fold_rank){ first->host, NULL };
	int64_t number = fold_group_row(
		&j->states[first->host]->groups[j->keys->table], first->group)[t->key->inner];
	if (t->key->what == FOLD_KEY_PROCESS && number >= 0 &&
		number < j->run->world->hosts[first->host].n_tasks)
		number = j->process_of[first->host][number];
	enum fact_meaning meaning = t->key->source.meaning;
	bool is_text = t->key->what == FOLD_KEY_PROGRAM || meaning == FACT_NAME ||
		       meaning == FACT_TEXT || meaning == FACT_DEVICE;
	if (!is_text)
		return (struct fold_rank){ number, NULL };
	struct mer_cell c = fold_key_cell(j, t->key,
		t->key->what == FOLD_KEY_PROGRAM ? FOLD_TASK_COMM : FOLD_TASK_ITSELF,
		j->first[row]);
	return (struct fold_rank){ number, c.set ? c.v.text : "" };
}

void fold_terms_find(const struct fold_plan *p, const struct fold_keys *keys, const char *order,
	struct fold_terms *terms)
{
	char word[64];
	terms->n = 0;
	while (terms->n < FOLD_MAX_TERMS && fold_list_next(&order, word, sizeof(word)))
		terms->n += find_term(p, keys, word, &terms->of[terms->n]);
}

void fold_ranks_of(const struct fold_joined *j, const struct fold_terms *terms, uint32_t row,
	struct fold_rank *ranks)
{
	for (size_t i = 0; i < terms->n; i++)
		ranks[i] = rank_of(j, &terms->of[i], row);
}

uint32_t *fold_order(const struct fold_joined *j, const char *order)
{
	struct fold_terms terms;
	fold_terms_find(j->plan, j->keys, order, &terms);
	uint32_t *rows = malloc(((size_t)j->rows.n + 1) * sizeof(*rows));
	struct ranked *all = terms.n ? malloc(((size_t)j->rows.n + 1) * sizeof(*all)) : NULL;
	for (uint32_t r = 0; r < j->rows.n && rows; r++)
		rows[r] = r;
	for (uint32_t r = 0; r < j->rows.n && all; r++) {
		all[r].terms = &terms;
		all[r].row = r;
		fold_ranks_of(j, &terms, r, all[r].ranks);
	}
	if (all) {
		qsort(all, j->rows.n, sizeof(*all), compare);
		for (uint32_t r = 0; r < j->rows.n && rows; r++)
			rows[r] = all[r].row;
	}
	if (terms.n && !all) {
		free(rows);
		return NULL;
	}
	free(all);
	return rows;
}
