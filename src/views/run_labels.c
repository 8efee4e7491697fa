/* Different rows with the same label: tables would merge them. When all events have been read, and
 * labels no longer change, the key is appended to the label of each of these rows:
 *
 *   Rank 0   Rank 1 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/safe_text.h"
#include "views/run.h"

enum { MAX_VALUE = 60 }; /* bytes of a text in a key that are shown */

struct labelled {
	uint32_t view, declared, under, label;
	uint32_t row;
};

static int compare(const void *a, const void *b)
{
	const struct labelled *p = a, *q = b;
	return memcmp(p, q, offsetof(struct labelled, row));
}

/* By row: does another row have the same label? NULL: none has, or no memory. */
static bool *find_twins(struct run *x, int *rc)
{
	const struct view_host *h = x->h;
	struct labelled *all = calloc((size_t)h->n_rows + 1, sizeof(*all));
	bool *twins = calloc((size_t)h->n_rows + 1, sizeof(*twins)), any = false;
	uint32_t n = 0;
	if (!all || !twins)
		*rc = mer_fail_nomem(x->err);
	for (uint32_t i = 0; *rc == 0 && i < h->n_rows; i++) {
		const struct view_row_of *r = &h->rows[i];
		const char *label = view_word(h, r->label);
		/* Rows of XML have no keys; RUN_OTHER stands for many texts. */
		if (!x->r->views[r->view]->programs && label && strcmp(label, RUN_OTHER) != 0)
			all[n++] = (struct labelled){ r->view, r->row, r->under, r->label, i };
	}
	if (n > 1)
		qsort(all, n, sizeof(*all), compare);
	for (uint32_t i = 1; i < n; i++)
		if (compare(&all[i - 1], &all[i]) == 0)
			any = twins[all[i - 1].row] = twins[all[i].row] = true;
	free(all);
	if (!any) {
		free(twins);
		twins = NULL;
	}
	return twins;
}

/* "0,a": the values of the fields, from the key that run_put_fields made. */
static void put_key(struct mer_str *out, uint32_t n, const char *key, size_t len)
{
	uint64_t v;
	double d;
	const char *end = key + len;
	for (uint32_t i = 0; i < n && key + 1 + sizeof(v) <= end; i++) {
		char letter = *key;
		memcpy(&v, key + 1, sizeof(v));
		key += 1 + sizeof(v);
		mer_str_puts(out, i ? "," : "");
		switch (letter) {
		case 't':
			mer_safe_add(out, key, v < MAX_VALUE ? (size_t)v : MAX_VALUE);
			key += v;
			break;
		case 'r':
			memcpy(&d, &v, sizeof(d));
			mer_put_real(out, d, false);
			break;
		case '-': mer_str_printf(out, "%" PRId64, (int64_t)v); break;
		default: mer_str_printf(out, "%" PRIu64, v); break;
		}
	}
}

int run_labels_end(struct run *x)
{
	struct view_host *h = x->h;
	int rc = 0;
	bool *twins = find_twins(x, &rc);
	for (uint32_t i = 0; twins && rc == 0 && i < x->keys.n && i < x->cap_row_of; i++) {
		uint32_t row = x->row_of[i] - 1, head = 2 * sizeof(uint32_t);
		if (row >= h->n_rows || !twins[row])
			continue;
		struct view_row_of *r = &h->rows[row];
		mer_str_clear(&x->text);
		mer_str_printf(&x->text, "%s ", view_word(h, r->label));
		put_key(&x->text, x->r->views[r->view]->rows[r->row].n_key,
			x->keys.texts[i].text + head, x->keys.texts[i].len - head);
		uint32_t word = x->text.failed
					? MER_INTERN_NONE
					: mer_intern_add(&h->words, x->text.data, x->text.len);
		if (word == MER_INTERN_NONE)
			rc = mer_fail_nomem(x->err);
		else
			r->label = word;
	}
	free(twins);
	return rc;
}
