/* Fuzzer of view files: no text may crash the parser or take forever; an error says where; what is
 * accepted is complete. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "views/view.h"
#include "check.h"

static void check_text(const struct view *v, const struct view_text *text)
{
	for (uint32_t i = 0; i < text->n; i++) {
		const struct view_part *p = &text->parts[i];
		check(p->kind && p->n_paths <= VIEW_MAX_KEY);
		check((p->kind == VIEW_LITERAL) == (p->literal != NULL));
		check(p->kind != VIEW_LOOK_UP || p->table < v->n_tables);
		for (uint32_t k = 0; k < p->n_paths; k++)
			check(p->paths[k].n > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view *v;
	struct mer_err err = { 0 };
	if (view_parse((const char *)data, size, "file", &v, &err)) {
		check(strncmp(err.text, "file:", 5) == 0);
		return 0;
	}
	check(v->name && v->n_rows > 0);
	for (uint32_t i = 0; i < v->n_rows; i++) {
		check(v->rows[i].label.n > 0 && !(v->rows[i].has_states && v->rows[i].has_values));
		check_text(v, &v->rows[i].label);
		check_text(v, &v->rows[i].under);
	}
	for (uint32_t i = 0; i < v->n_rules; i++) {
		const struct view_rule *r = &v->rules[i];
		check(r->verb && r->event && *r->event);
		check(r->row < (r->verb == VIEW_NAMES ? v->n_tables : v->n_rows));
		check(r->verb == VIEW_NAMES || r->n_key == v->rows[r->row].n_key);
		check_text(v, &r->text);
	}
	check(view_colour_of(v, "text") <= 0xffffff);
	view_free(v);
	return 0;
}
