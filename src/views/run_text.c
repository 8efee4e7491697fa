/* Fields of an event as keys and as texts. Each part of a key has a letter and a size, so that
 * different keys never have the same bytes; equal numbers do, whatever their size and signedness in
 * the trace. */
#include <inttypes.h>
#include <string.h>

#include "base/grow.h"
#include "base/real.h"
#include "base/safe_text.h"
#include "views/run.h"
#include "views/xml/program.h"

enum { MAX_TEXT = 500, MAX_WORDS = 1 << 20, MAX_KEY_BYTES = 4096 };

static bool is_text(const struct ctf_fc *fc)
{
	return fc->kind == CTF_STRING || fc->kind == CTF_TEXT;
}

static bool is_number(const struct ctf_fc *fc)
{
	return fc->kind == CTF_INT || fc->kind == CTF_VARINT || fc->kind == CTF_BIT_ARRAY ||
	       fc->kind == CTF_BIT_MAP || fc->kind == CTF_BOOL;
}

static bool is_signed(const struct ctf_fc *fc)
{
	return (fc->kind == CTF_INT || fc->kind == CTF_VARINT) && fc->u.bits.is_signed;
}

static const uint64_t *value_at(const struct trace_place *place, const struct mer_cursor *c,
	const struct mer_event *ev, const struct ctf_fc **fc)
{
	const uint64_t *row = place->in_context ? trace_cursor_context(c, ev) : ev->slots;
	return row ? trace_place_get(place, row, fc) : NULL;
}

bool run_number(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct trace_place *place, int64_t *v)
{
	const struct ctf_fc *fc;
	const uint64_t *slot = value_at(place, c, ev, &fc);
	(void)x;
	if (!slot || !is_number(fc))
		return false;
	*v = !is_signed(fc) && *slot > INT64_MAX ? INT64_MAX : (int64_t)*slot;
	return true;
}

static void put_part(struct mer_str *key, char letter, uint64_t v)
{
	char part[1 + sizeof(v)] = { letter };
	memcpy(part + 1, &v, sizeof(v));
	mer_str_add(key, part, sizeof(part));
}

bool run_put_fields(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct trace_place *places, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct ctf_fc *fc;
		const uint64_t *slot = value_at(&places[i], c, ev, &fc);
		if (!slot)
			return false;
		if (is_text(fc)) {
			if (slot[1] > MAX_KEY_BYTES)
				return false;
			put_part(&x->key, 't', slot[1]);
			mer_str_add(&x->key, (const char *)(uintptr_t)slot[0], slot[1]);
		} else if (is_number(fc)) {
			put_part(&x->key, is_signed(fc) && (int64_t)*slot < 0 ? '-' : '+', *slot);
		} else if (fc->kind == CTF_FLOAT) {
			put_part(&x->key, 'r', *slot);
		} else {
			return false;
		}
	}
	return true;
}

const uint64_t *run_only_key(
	const struct mer_cursor *c, const struct mer_event *ev, const struct view_bound_rule *b)
{
	static const uint64_t none;
	const struct ctf_fc *fc;
	if (!b->has_key || b->rule->n_key > 1)
		return NULL;
	if (!b->rule->n_key)
		return &none;
	const uint64_t *slot = value_at(b->key, c, ev, &fc);
	return slot && is_number(fc) ? slot : NULL;
}

static void put_number(struct mer_str *out, const struct ctf_fc *fc, uint64_t v, bool hex)
{
	if (hex || (fc->kind == CTF_INT && fc->u.bits.base == 16))
		mer_str_printf(out, "0x%" PRIx64, v);
	else if (is_signed(fc))
		mer_str_printf(out, "%" PRId64, (int64_t)v);
	else
		mer_str_printf(out, "%" PRIu64, v);
}

static bool put_value(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct trace_place *place, bool hex)
{
	const struct ctf_fc *fc;
	const uint64_t *slot = value_at(place, c, ev, &fc);
	struct ctf_labels labels;
	const struct ctf_mapping *m;
	if (!slot)
		return false;
	if (is_text(fc)) {
		size_t len = slot[1] < MAX_TEXT ? (size_t)slot[1] : MAX_TEXT;
		mer_safe_add(&x->text, (const char *)(uintptr_t)slot[0], len);
	} else if (is_number(fc)) {
		m = NULL;
		if (!hex && fc->kind == CTF_INT && fc->u.bits.n_mappings) {
			ctf_labels_begin(&labels, fc, *slot);
			m = ctf_labels_next(&labels);
		}
		if (m)
			mer_safe_add(&x->text, m->label, strlen(m->label));
		else
			put_number(&x->text, fc, *slot, hex);
	} else if (fc->kind == CTF_FLOAT) {
		double d;
		memcpy(&d, slot, sizeof(d));
		mer_put_real(&x->text, d, fc->u.bits.len_bits <= 32);
	} else {
		return false;
	}
	return true;
}

static bool put_symbol(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct trace_place *place)
{
	const struct ctf_fc *fc;
	const uint64_t *slot = value_at(place, c, ev, &fc);
	if (!slot || !is_number(fc))
		return false;
	view_symbols_put(x->symbols, x->process, *slot, &x->text);
	return true;
}

void run_xml_value(const struct mer_cursor *c, const struct mer_event *ev,
	const struct trace_place *place, char text[RUN_XML_TEXT], struct xml_value *v)
{
	const struct ctf_fc *fc;
	const uint64_t *slot = value_at(place, c, ev, &fc);
	struct ctf_labels labels;
	if (!slot)
		return;
	if (is_text(fc)) {
		size_t len = slot[1] < RUN_XML_TEXT ? (size_t)slot[1] : RUN_XML_TEXT - 1;
		memcpy(text, (const char *)(uintptr_t)slot[0], len);
		text[len] = '\0';
		*v = (struct xml_value){ .type = XML_STRING, .s = text };
	} else if (is_number(fc)) {
		const struct ctf_mapping *m = NULL;
		if (fc->kind == CTF_INT && fc->u.bits.n_mappings) {
			ctf_labels_begin(&labels, fc, *slot);
			m = ctf_labels_next(&labels);
		}
		*v = (struct xml_value){ .type = XML_LONG, .i = (int64_t)*slot };
		if (m)
			*v = (struct xml_value){ .type = XML_STRING, .s = m->label };
	} else if (fc->kind == CTF_FLOAT) {
		v->type = XML_DOUBLE;
		memcpy(&v->f, slot, sizeof(v->f));
	}
}

uint64_t run_name_key(struct run *x, uint32_t view, uint32_t table)
{
	put_part(&x->key, 'T', (uint64_t)view << 32 | table);
	return mer_hash(x->key.data, x->key.len);
}

/* The name that the table has for these fields, or the fields themselves. */
static bool put_name(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_part *part, uint32_t view)
{
	mer_str_clear(&x->key);
	if (!run_put_fields(x, c, ev, part->places, part->n))
		return false;
	uint32_t *word = mer_map_get(&x->names, run_name_key(x, view, part->table));
	if (word && *word) {
		mer_str_puts(&x->text, view_word(x->h, *word - 1));
		return true;
	}
	for (uint32_t i = 0; i < part->n; i++) {
		mer_str_puts(&x->text, i ? "," : "");
		put_value(x, c, ev, &part->places[i], false);
	}
	return true;
}

static uint32_t keep(struct run *x, const char *text, size_t len, int *rc)
{
	static const char other[] = RUN_OTHER;
	if (x->h->words.n >= MAX_WORDS) {
		uint32_t found = mer_intern_find(&x->h->words, text, len);
		if (found != MER_INTERN_NONE)
			return found;
		text = other;
		len = sizeof(other) - 1;
	}
	uint32_t word = mer_intern_add(&x->h->words, text, len);
	if (word == MER_INTERN_NONE)
		*rc = mer_fail_nomem(x->err);
	return word;
}

/* The value on which alone the text depends: that of its only field, a number. NULL: there is no
 * such field. */
static const uint64_t *only_number(
	const struct mer_cursor *c, const struct mer_event *ev, const struct view_bound_text *text)
{
	const struct ctf_fc *fc;
	const struct view_bound_part *field = NULL;
	for (uint32_t i = 0; i < text->n; i++) {
		const struct view_bound_part *p = &text->parts[i];
		if (p->kind == VIEW_CPU || p->kind == VIEW_LOOK_UP || (p->n && field))
			return NULL;
		if (p->n)
			field = p;
	}
	const uint64_t *slot = field ? value_at(field->places, c, ev, &fc) : NULL;
	return slot && is_number(fc) ? slot : NULL;
}

/* The same address may be another function in another process, or later. */
static uint64_t symbols_salt(const struct run *x)
{
	return (uint64_t)x->process * 0xff51afd7ed558ccdu +
	       (uint64_t)view_symbols_epoch(x->symbols) * 0xc4ceb9fe1a85ec53u;
}

/* The word of an element of a stack. */
static uint32_t frame_word(struct run *x, const struct view_bound_part *p, const struct ctf_fc *fc,
	uint64_t v, struct run_cache *cache, int *rc)
{
	uint64_t mixed = v * 0x9e3779b97f4a7c15u;
	if (p->kind == VIEW_SYMBOL)
		mixed += symbols_salt(x);
	struct run_cache *at = &cache[(mixed ^ mixed >> 29) % VIEW_CACHE];
	if (at->word && at->value == mixed)
		return at->word - 1;
	mer_str_clear(&x->text);
	if (p->kind == VIEW_SYMBOL)
		view_symbols_put(x->symbols, x->process, v, &x->text);
	else
		put_number(&x->text, fc, v, p->kind == VIEW_HEX);
	if (x->text.failed) {
		*rc = mer_fail_nomem(x->err);
		return VIEW_NONE;
	}
	uint32_t word = keep(x, x->text.data, x->text.len, rc);
	if (word != VIEW_NONE)
		*at = (struct run_cache){ mixed, word + 1 };
	return word;
}

/* In stacks, the kernel marks sections (PERF_CONTEXT_USER, ...) and the end with numbers at the end
 * of the address space, where there is no code. */
static bool is_address(uint64_t v)
{
	return v && v < (uint64_t)-4095;
}

bool run_frames(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_text *text, struct run_cache *cache, int *rc)
{
	const struct ctf_fc *fc;
	const uint64_t *slot = text->is_complete ? value_at(text->parts->places, c, ev, &fc) : NULL;
	x->n_frames = 0;
	if (!slot || fc->kind != CTF_ARRAY || !is_number(fc->u.array.element.fc))
		return false;
	const uint64_t *elements = (const uint64_t *)(uintptr_t)slot[1];
	for (uint64_t i = 0; i < slot[0]; i++) {
		if (!is_address(elements[i]))
			continue;
		uint32_t word =
			frame_word(x, text->parts, fc->u.array.element.fc, elements[i], cache, rc);
		if (word == VIEW_NONE)
			return false;
		uint32_t *at =
			mer_grow_at(&x->frames, &x->cap_frames, x->n_frames, sizeof(*x->frames));
		if (!at) {
			*rc = mer_fail_nomem(x->err);
			return false;
		}
		*at = word;
		x->n_frames++;
	}
	return true;
}

uint32_t run_word(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_text *text, uint32_t view, struct run_cache *cache, int *rc)
{
	static const uint64_t constant;
	const uint64_t *value = NULL;
	struct run_cache *at = NULL;
	if (!text->n || !text->is_complete)
		return VIEW_NONE;
	if (cache)
		value = text->is_constant ? &constant : only_number(c, ev, text);
	/* The text of a rule may differ between event classes (VIEW_STAR), so the class is mixed
	 * in. */
	uint64_t mixed = value ? *value * 0x9e3779b97f4a7c15u + ev->plan->id : 0;
	if (text->has_symbols)
		mixed += symbols_salt(x);
	if (value) {
		at = &cache[(mixed ^ mixed >> 29) % VIEW_CACHE];
		if (at->word && at->value == mixed)
			return at->word - 1;
	}
	mer_str_clear(&x->text);
	for (uint32_t i = 0; i < text->n; i++) {
		const struct view_bound_part *p = &text->parts[i];
		bool ok = true;
		switch (p->kind) {
		case VIEW_LITERAL:
		case VIEW_STAR:
		case VIEW_EVENT: mer_safe_add(&x->text, p->literal, p->len); break;
		case VIEW_FIELD: ok = put_value(x, c, ev, p->places, false); break;
		case VIEW_HEX: ok = put_value(x, c, ev, p->places, true); break;
		case VIEW_SYMBOL: ok = put_symbol(x, c, ev, p->places); break;
		case VIEW_HOST: mer_str_puts(&x->text, x->h->name); break;
		case VIEW_CPU:
			mer_str_printf(&x->text, "%" PRId32, x->e->streams[ev->stream].cpu);
			break;
		case VIEW_LOOK_UP: ok = put_name(x, c, ev, p, view); break;
		}
		if (!ok)
			return VIEW_NONE;
	}
	if (x->text.failed) {
		*rc = mer_fail_nomem(x->err);
		return VIEW_NONE;
	}
	if (!x->text.len)
		return VIEW_NONE;
	uint32_t word = keep(x, x->text.data, x->text.len, rc);
	if (at && word != VIEW_NONE)
		*at = (struct run_cache){ mixed, word + 1 };
	return word;
}
