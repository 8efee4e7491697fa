#include "states_text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "scenario.h"
#include "views/states.h"

static void put_how(struct mer_str *out, unsigned how)
{
	static const char *const words[] = { "no begin", "no end", "lost", "gone", "left" };
	for (unsigned i = 0; i < 5; i++)
		mer_str_printf(out, how & 1u << i ? " %s" : "", words[i]);
}

static void put_states(struct mer_str *out, const struct view_host *h, bool colours)
{
	for (uint32_t i = 0; i < h->n_states; i++) {
		const struct view_state *s = &h->states[i];
		mer_str_printf(out, "%g-%g %s: %s own %g", (double)s->begin / 1e6,
			(double)s->end / 1e6, view_word(h, h->rows[s->row].label),
			view_word(h, s->word), (double)s->own_ns / 1e6);
		if (s->depth)
			mer_str_printf(out, " in %s", view_word(h, h->states[s->within].word));
		mer_str_printf(out, "%s", s->is_again ? " again" : "");
		if (s->tid >= 0)
			mer_str_printf(out, " tid %d", (int)s->tid);
		put_how(out, s->how);
		if (colours)
			mer_str_printf(out, " #%06x", (unsigned)s->colour);
		assert_false(s->is_open);
		mer_str_putc(out, '\n');
	}
}

static void put_values(struct mer_str *out, const struct view_host *h)
{
	for (uint32_t i = 0; i < h->n_samples; i++)
		mer_str_printf(out, "%g %s = %" PRId64 "\n", (double)h->samples[i].time / 1e6,
			view_word(h, h->rows[h->samples[i].row].label), h->samples[i].value);
	for (uint32_t i = 0; i < h->n_marks; i++)
		mer_str_printf(out, "%g %s mark %s\n", (double)h->marks[i].time / 1e6,
			view_word(h, h->rows[h->marks[i].row].label),
			view_word(h, h->marks[i].word));
}

static void put_doubts(struct mer_str *out, const struct view_doubts *d)
{
	const struct {
		const char *name;
		uint64_t n;
	} all[] = { { "unbegun", d->n_unbegun }, { "unended", d->n_unended },
		{ "keyless", d->n_keyless }, { "unnamed", d->n_unnamed },
		{ "unlabelled", d->n_unlabelled }, { "deep", d->n_deep }, { "lost", d->n_lost },
		{ "untaken", d->n_untaken }, { "replaced", d->n_replaced },
		{ "unsent", d->n_unsent }, { "unreceived", d->n_unreceived },
		{ "again", d->n_again } };
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].n)
			mer_str_printf(out, "%s %" PRIu64 "\n", all[i].name, all[i].n);
}

/* Pieces of all lanes, as "BEGIN-END text", a lane in a line. */
static void put_pieces(struct mer_str *out, const struct view_host *h)
{
	for (uint32_t l = 0; l < h->n_lanes; l++) {
		mer_str_printf(out, "lane %d:", (int)h->lanes[l].tid);
		for (uint32_t i = 0; i < h->lanes[l].n; i++) {
			const struct view_piece *p = &h->pieces[h->lanes[l].first + i];
			assert_int_equal(p->lane, l);
			mer_str_printf(out, " %g-%g %s", (double)p->begin / 1e6,
				(double)p->end / 1e6, view_word(h, h->states[p->state].word));
		}
		mer_str_putc(out, '\n');
	}
}

/* Row, label, what it is under, its states. */
static void put_rows(struct mer_str *out, const struct view_host *h)
{
	for (uint32_t i = 0; i < h->n_rows; i++) {
		const char *under = view_word(h, h->rows[i].under);
		mer_str_printf(out, "row %s%s%s %u\n", view_word(h, h->rows[i].label),
			under ? " under " : "", under ? under : "", (unsigned)h->rows[i].n_states);
	}
}

static void put(
	struct mer_str *out, struct scenario *s, const struct view *v, enum states_what what)
{
	const struct view_options o = { .n_threads = 1 };
	struct view_states *states;
	struct mer_err err = { 0 };
	size_t known = s->e->diags.n;
	if (view_states_find(s->e, &v, 1, &o, &states, &err))
		fail_msg("%s", err.text);
	const struct view_host *h = &states->hosts[0];
	if (what & ROWS)
		put_rows(out, h);
	if (what & STATES) {
		put_states(out, h, what & COLOURS);
		put_values(out, h);
		put_doubts(out, &states->doubts);
	}
	if (what & PIECES)
		put_pieces(out, h);
	for (size_t i = known; what & NOTES && i < s->e->diags.n; i++)
		mer_str_printf(out, "%s: %s\n",
			s->e->diags.rows[i].severity == MER_WARNING ? "warning" : "note",
			s->e->diags.rows[i].message);
	view_states_free(states);
}

void states_are(enum states_what what, const char *trace, const char *view, const char *expected)
{
	struct scenario s;
	struct mer_err err = { 0 };
	struct mer_str scene = { 0 }, text = { 0 }, out = { 0 };
	struct view *v;
	mer_str_printf(&scene, "host h\ntrace h/ust { context { s32 vtid } }\n%s", trace);
	bool is_xml = view_is_xml(view, strlen(view));
	mer_str_printf(&text, "%s%s", is_xml ? "" : "view a\n", view);
	if ((is_xml ? view_parse_xml : view_parse)(text.data, text.len, "f", &v, &err))
		fail_msg("%s", err.text);
	scenario_open(&s, scene.data);
	mer_str_puts(&out, "");
	put(&out, &s, v, what);
	assert_string_equal(out.data ? out.data : "", expected);
	view_free(v);
	scenario_close(&s);
	mer_str_fini(&scene);
	mer_str_fini(&text);
	mer_str_fini(&out);
}
