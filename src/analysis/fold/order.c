/* Order: of rows, before a table is sorted. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/plan.h"

enum { MAX_TERMS = 6 };

struct term {
	bool descends;
	const struct fold_key *key; /* NULL: a sum */
	const struct fold_sum *sum;
	unsigned bit; /* of enum fold_part_of_sum: which slot of it */
};

struct value {
	int64_t number;
	const char *text; /* NULL: the number alone */
};

struct ranked {
	const struct term *terms;
	size_t n;
	uint32_t row;
	struct value values[MAX_TERMS];
};

static int compare(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;
	for (size_t i = 0; i < p->n; i++) {
		const struct value *x = &p->values[i], *y = &q->values[i];
		int c = x->text && y->text ? strcmp(x->text, y->text)
					   : (x->number > y->number) - (x->number < y->number);
		if (c)
			return p->terms[i].descends ? -c : c;
	}
	return (p->row > q->row) - (p->row < q->row);
}

static bool find_term(const struct fold_joined *j, const char *word, struct term *t)
{
	const struct fold_plan *p = j->plan;
	*t = (struct term){ .descends = *word == '-' };
	word += t->descends;
	const char *name = strcmp(word, "thread") == 0 ? "task" : word;
	for (uint32_t i = 0; i < j->keys->n; i++)
		if (strcmp(j->keys->keys[i].name, name) == 0)
			t->key = &j->keys->keys[i];
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

static struct value value_of(const struct fold_joined *j, const struct term *t, uint32_t row)
{
	if (t->sum)
		return (struct value){ fold_joined_slots(j, row)[t->sum->at[t->bit]], NULL };
	const struct fold_part *first = &j->parts[j->first[row]];
	if (t->key->what == FOLD_KEY_HOST)
		return (struct value){ first->host, NULL };
	int64_t number = fold_group_row(
		&j->states[first->host]->groups[j->keys->table], first->group)[t->key->inner];
	if (t->key->what == FOLD_KEY_PROCESS && number >= 0 &&
		number < j->run->world->hosts[first->host].n_tasks)
		number = j->process_of[first->host][number];
	enum fact_meaning meaning = t->key->source.meaning;
	bool is_text = t->key->what == FOLD_KEY_PROGRAM || meaning == FACT_NAME ||
		       meaning == FACT_TEXT || meaning == FACT_DEVICE;
	if (!is_text)
		return (struct value){ number, NULL };
	struct mer_cell c = fold_key_cell(j, t->key,
		t->key->what == FOLD_KEY_PROGRAM ? FOLD_TASK_COMM : FOLD_TASK_ITSELF,
		j->first[row]);
	return (struct value){ number, c.set ? c.v.text : "" };
}

uint32_t *fold_order(const struct fold_joined *j, const char *order)
{
	struct term terms[MAX_TERMS];
	size_t n = 0;
	char word[64];
	while (n < MAX_TERMS && fold_list_next(&order, word, sizeof(word)))
		n += find_term(j, word, &terms[n]);
	uint32_t *rows = malloc(((size_t)j->rows.n + 1) * sizeof(*rows));
	struct ranked *all = n ? malloc(((size_t)j->rows.n + 1) * sizeof(*all)) : NULL;
	for (uint32_t r = 0; r < j->rows.n && rows; r++)
		rows[r] = r;
	for (uint32_t r = 0; r < j->rows.n && all; r++) {
		all[r] = (struct ranked){ .terms = terms, .n = n, .row = r };
		for (size_t i = 0; i < n; i++)
			all[r].values[i] = value_of(j, &terms[i], r);
	}
	if (all) {
		qsort(all, j->rows.n, sizeof(*all), compare);
		for (uint32_t r = 0; r < j->rows.n && rows; r++)
			rows[r] = all[r].row;
	}
	if (n && !all) {
		free(rows);
		return NULL;
	}
	free(all);
	return rows;
}
