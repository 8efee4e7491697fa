/* Questions in the words of the program (ask/words.h). Answers are kept, as viewers ask for the
 * same with each picture. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "server/tsp/state.h"
#include "server/tsp/tsp.h"

/* ---- Words ---- */

enum { MAX_WORDS = TSP_QUESTION_WORDS + 8, NUMBER_ROOM = 24 };

struct line {
	const char *words[MAX_WORDS];
	size_t n;
	char numbers[4][NUMBER_ROOM];
	size_t n_numbers;
};

static void add(struct line *l, const char *option, int64_t value)
{
	char *text = l->numbers[l->n_numbers++];
	snprintf(text, NUMBER_ROOM, "%" PRId64, value);
	l->words[l->n++] = option;
	l->words[l->n++] = text;
}

static void make_line(struct line *l, const struct tsp_question *q)
{
	while (l->n < TSP_QUESTION_WORDS && q->words[l->n]) {
		l->words[l->n] = q->words[l->n];
		l->n++;
	}
	if (q->n_bins)
		add(l, "--bins", q->n_bins);
	if (q->limit)
		add(l, "--limit", q->limit);
	if (q->window) {
		add(l, "--begin", q->window->begin);
		add(l, "--end", q->window->end);
	}
}

/* ---- Answers that are kept ---- */

void tsp_answers_free(struct tsp_kept_answer *first)
{
	while (first) {
		struct tsp_kept_answer *next = first->next;
		answer_fini(&first->answer);
		free(first);
		first = next;
	}
}

/* Takes it out of the list; NULL: it is not there. */
static struct tsp_kept_answer *take(struct tsp_kept_answer **x, const struct store_key *key)
{
	while (*x && memcmp(&(*x)->key, key, sizeof(*key)) != 0)
		x = &(*x)->next;
	struct tsp_kept_answer *found = *x;
	if (found)
		*x = found->next;
	return found;
}

static void drop_oldest(struct tsp_kept_answer **x)
{
	size_t n_cells = 0;
	for (size_t n = 0; *x; x = &(*x)->next) {
		n_cells += (*x)->n_cells;
		if (++n > TSP_SURELY_KEPT && (n > TSP_KEPT_ANSWERS || n_cells > TSP_KEPT_CELLS))
			break;
	}
	tsp_answers_free(*x);
	*x = NULL;
}

/* ---- Asking ---- */

static int find_answer(
	struct tsp *t, const struct line *l, struct answer *answer, struct mer_err *err)
{
	struct server_traces *traces = t->traces;
	struct http_answer why = { 0 };
	enum server_clocks clocks = server_clocks_for(SERVER_CLOCKS_ALIGNED, l->words[0]);
	bool is_other = clocks != SERVER_CLOCKS_ALIGNED;
	if (is_other)
		traces = server_traces_use(t->s, clocks, &why);
	mer_str_fini(&why.body);
	if (!traces)
		return mer_fail(err, MER_ERR_INPUT,
			"the traces cannot be read with the clocks as recorded");
	int rc = ask_answer(t->s->o.asker, traces->session, false, l->words, l->n, answer, err);
	if (is_other)
		server_traces_done(traces);
	return rc;
}

static struct tsp_kept_answer *ask(struct tsp *t, const struct line *l, struct mer_err *err)
{
	struct tsp_kept_answer *x = calloc(1, sizeof(*x));
	if (!x) {
		mer_fail_nomem(err);
		return NULL;
	}
	answer_init(&x->answer, NULL);
	if (find_answer(t, l, &x->answer, err)) {
		tsp_answers_free(x);
		return NULL;
	}
	for (size_t i = 0; i < x->answer.n; i++) {
		const struct mer_table *table = x->answer.tables[i].table;
		x->results[i].table = table;
		x->n_cells += table->n_rows * table->n_columns;
	}
	return x;
}

const struct mer_result *tsp_ask(
	struct tsp *t, const struct tsp_question *q, const char *id, struct mer_err *err)
{
	static const struct mer_table no_table = { 0 };
	static const struct mer_result none = { .table = &no_table };
	struct line l = { 0 };
	struct store_key key = { 0 };
	make_line(&l, q);
	for (size_t i = 0; i < l.n; i++)
		store_key_mix(&key, l.words[i], strlen(l.words[i]) + 1);
	struct tsp_kept_answer *x = take(&t->state->answers, &key);
	if (!x)
		x = ask(t, &l, err);
	if (!x)
		return NULL;
	x->key = key;
	x->next = t->state->answers;
	t->state->answers = x;
	drop_oldest(&t->state->answers);
	for (size_t i = 0; i < x->answer.n; i++)
		if (!id || strcmp(x->results[i].table->id, id) == 0)
			return &x->results[i];
	return &none;
}
