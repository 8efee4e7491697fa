/* Symbols of a host's events: notes where binaries of its processes are loaded, and replaces
 * addresses by names in all texts when everything has been read (symbols.h). */
#include <string.h>

#include "views/run.h"

void run_symbols_event(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_class *class)
{
	const struct view_binary_event *b = class->binary;
	const uint64_t *row = ev->slots, *slot;
	const struct ctf_fc *fc;
	uint8_t id[VIEW_MAX_BUILD_ID];
	int64_t base, size = 0;
	if (!run_number(x, c, ev, &b->base, &base))
		return;
	switch (b->kind) {
	case VIEW_BINARY_LOADED:
		slot = run_number(x, c, ev, &b->size, &size) ? trace_place_get(&b->data, row, &fc)
							     : NULL;
		if (slot && (fc->kind == CTF_STRING || fc->kind == CTF_TEXT) &&
			!view_symbols_load(x->symbols, x->process, (uint64_t)base, (uint64_t)size,
				(const char *)(uintptr_t)slot[0], (size_t)slot[1]))
			x->text.failed = true;
		return;
	case VIEW_BINARY_UNLOADED:
		view_symbols_unload(x->symbols, x->process, (uint64_t)base);
		return;
	case VIEW_BINARY_ID:
		slot = trace_place_get(&b->data, row, &fc);
		if (!slot || fc->kind != CTF_ARRAY || slot[0] > sizeof(id) ||
			b->data.fc->u.array.element.fc->kind != CTF_INT)
			return;
		for (uint64_t i = 0; i < slot[0]; i++)
			id[i] = (uint8_t)((const uint64_t *)(uintptr_t)slot[1])[i];
		view_symbols_build_id(x->symbols, x->process, (uint64_t)base, id, (size_t)slot[0]);
		return;
	}
}

static int named(struct run *x, uint32_t *word)
{
	const char *text = view_word(x->h, *word);
	if (!text || !view_symbols_has(text))
		return 0;
	mer_str_clear(&x->text);
	if (!view_symbols_name(x->symbols, text, &x->text))
		return mer_fail_nomem(x->err);
	uint32_t to = mer_intern_add(&x->h->words, x->text.data ? x->text.data : "", x->text.len);
	if (to == MER_INTERN_NONE)
		return mer_fail_nomem(x->err);
	*word = to;
	return 0;
}

int run_symbols_end(struct run *x)
{
	struct view_host *h = x->h;
	uint32_t n = h->words.n;
	int rc = 0;
	if (!x->symbols)
		return 0;
	/* Each text once: there are many more states than texts. */
	uint32_t *to = malloc(((size_t)n + 1) * sizeof(*to));
	if (!to)
		return mer_fail_nomem(x->err);
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		to[i] = i;
		rc = named(x, &to[i]);
	}
	for (uint32_t i = 0; i < h->n_states && rc == 0; i++) {
		struct view_state *s = &h->states[i];
		if (s->word >= n || to[s->word] == s->word)
			continue;
		const struct view *v = x->r->views[h->rows[s->row].view];
		bool is_own = s->colour == view_colour_of(v, view_word(h, s->word));
		s->word = to[s->word];
		if (is_own)
			s->colour = view_colour_of(v, view_word(h, s->word));
	}
	for (uint32_t i = 0; i < h->n_marks && rc == 0; i++)
		if (h->marks[i].word < n)
			h->marks[i].word = to[h->marks[i].word];
	for (uint32_t i = 0; i < h->n_rows && rc == 0; i++) {
		if (h->rows[i].label < n)
			h->rows[i].label = to[h->rows[i].label];
		if (h->rows[i].under < n)
			h->rows[i].under = to[h->rows[i].under];
	}
	free(to);
	if (rc == 0)
		view_symbols_tell(x->symbols, &x->notes);
	return rc;
}
