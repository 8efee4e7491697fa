/* Reports problems with views when everything has been read: events and fields that were not
 * recorded, unsupported XML elements, and what did not match up. */
#include "views/tell.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/nearest.h"
#include "base/plural.h"
#include "base/str.h"
#include "views/bind.h"
#include "views/run.h"
#include "views/xml/program.h"

struct teller {
	struct mer_experiment *e;
	const struct view_reading *r;
	const struct view_states *states;
	struct view_count *counts; /* by number of the rule: sums over all hosts */
	/* by number of the rule: none of its events had the fields; not reported yet */
	bool *is_lacking;
};

/* ---- events that were not recorded ---- */

/* Was the event already reported for an earlier rule, or is it bound to another rule, which differs
 * only in its condition? first: the number of the view's first rule. */
static bool is_told(const struct teller *t, const struct view *v, uint32_t i, uint32_t first)
{
	bool any = false;
	if (v->rules[i].verb == VIEW_STACK) /* it is about events with a certain field */
		return false;
	for (uint32_t k = 0; k < v->n_rules; k++)
		any |= strcmp(v->rules[k].event, v->rules[i].event) == 0 &&
		       (k < i || t->r->n_classes[first + k]);
	return any;
}

/* "mpi:" of "mpi:send": its length; 0: none. */
static size_t provider_of(const char *event)
{
	const char *colon = strrchr(event, ':');
	return colon ? (size_t)(colon - event) + 1 : 0;
}

struct known { /* names of the events of a provider */
	const char **names;
	size_t n, cap;
};

static bool add_known(struct known *k, const char *name)
{
	const char **at = mer_grow_at(&k->names, &k->cap, k->n, sizeof(*at));
	if (at)
		k->names[k->n++] = name;
	return at;
}

/* Does a rule have exactly this name? */
static bool is_named(const struct view *v, const char *event)
{
	for (uint32_t i = 0; i < v->n_rules; i++)
		if (strcmp(v->rules[i].event, event) == 0)
			return true;
	return false;
}

/* Names of events for the messages about a view. */
struct names {
	struct mer_str missing; /* not recorded */
	struct mer_str unknown; /* the same, though others of their provider are */
};

/* A name without a recorded event is most likely misspelt if other events of its provider were
 * recorded. Kernel events have no provider: their names have to be similar. */
static void tell_name(
	struct teller *t, const struct view *v, const struct view_rule *rule, struct names *n)
{
	struct known k = { 0 };
	const char *event = rule->event;
	size_t provider = provider_of(event);
	bool is_there = v->is_shipped, any = false, ok = true;
	for (uint32_t p = 0; p < t->e->n_parts && !is_there && ok; p++) {
		const struct ctf_schema *s = t->e->parts[p].schema;
		for (uint32_t c = 0; c < s->n_streams; c++)
			for (uint32_t i = 0; i < s->streams[c].n_events && ok; i++) {
				const char *name = s->streams[c].events[i].name;
				is_there |= view_fits(event, name, NULL, NULL);
				if (provider_of(name) != provider ||
					strncmp(name, event, provider) != 0)
					continue;
				any = true;
				ok = is_named(v, name) || add_known(&k, name);
			}
	}
	const char *near = ok && !is_there && k.n ? mer_nearest(event, k.names, k.n) : NULL;
	bool is_unknown = any && provider && !is_there;
	struct mer_str *list = is_unknown ? &n->unknown : &n->missing;
	if (near)
		mer_diag_add(&t->e->diags,
			&(struct mer_diag){ .severity = MER_WARNING, .code = "view-events" },
			"view %s: no event is named %s: did you mean %s?", v->name, event, near);
	else
		mer_str_printf(list, "%s%s%s%s", list->len ? ", " : "", event,
			rule->verb == VIEW_STACK ? " with " : "",
			rule->verb == VIEW_STACK ? rule->text.parts->paths->text : "");
	free(k.names);
}

static void tell_unrecorded(struct teller *t)
{
	uint32_t number = 0;
	for (uint32_t v = 0; v < t->states->n_views; v++) {
		const struct view *view = t->states->views[v];
		struct names names = { 0 };
		uint32_t n = 0;
		for (uint32_t i = 0; i < view->n_rules; i++, number++) {
			if (t->r->n_classes[number])
				continue;
			n++;
			if (!is_told(t, view, i, number - i))
				tell_name(t, view, &view->rules[i], &names);
		}
		if (names.unknown.len && !names.unknown.failed)
			mer_diag_add(&t->e->diags,
				&(struct mer_diag){
					.severity = MER_WARNING, .code = "view-events" },
				"view %s: no event is named %.400s, though others of its provider are recorded",
				view->name, names.unknown.data);
		if (names.missing.len && !names.missing.failed)
			mer_diag_add(&t->e->diags,
				&(struct mer_diag){
					.severity = n == view->n_rules ? MER_WARNING : MER_NOTE,
					.code = "view-events" },
				"view %s: not recorded: %.400s", view->name, names.missing.data);
		mer_str_fini(&names.missing);
		mer_str_fini(&names.unknown);
	}
}

/* ---- XML ---- */

/* Parts of XML files that are not supported, and analyses whose events were not recorded. */
static void tell_programs(struct teller *t)
{
	for (uint32_t v = 0; v < t->states->n_views; v++)
		if (t->states->views[v]->notes)
			mer_diag_add(&t->e->diags,
				&(struct mer_diag){
					.severity = MER_WARNING, .code = "view-elements" },
				"%.800s", t->states->views[v]->notes);
	for (uint32_t i = 0; i < t->r->n_programs; i++)
		if (!t->r->programs[i].n_classes)
			mer_diag_add(&t->e->diags,
				&(struct mer_diag){
					.severity = MER_WARNING, .code = "view-events" },
				"view %s: none of the events of analysis %s was recorded",
				t->states->views[t->r->programs[i].view]->name,
				t->r->programs[i].program->id);
}

/* ---- events without the fields that a rule needs ---- */

static void put_members(struct mer_str *out, const struct ctf_fc *record, const char *before)
{
	for (uint32_t i = 0; record && record->kind == CTF_STRUCT && i < record->u.record.n; i++)
		mer_str_printf(out, "%s%s%s", out->len ? ", " : "", before,
			record->u.record.fields[i].name);
}

/* All events of a rule lack a field: most likely its name is wrong. Rules that lack the same
 * field share one note; from: the first one, number: its number among the rules of all views. */
static void tell_lack(struct teller *t, const struct view *v, uint32_t from, uint32_t number)
{
	const struct view_lack *lack = &t->r->lacks[number];
	struct mer_str fields = { 0 };
	uint64_t n = 0;
	for (uint32_t i = 0; i < v->n_rules; i++) {
		uint32_t other = number - from + i;
		if (!t->is_lacking[other] || strcmp(t->r->lacks[other].field, lack->field) != 0)
			continue;
		n += t->counts[other].n;
		t->is_lacking[other] = false;
	}
	put_members(&fields, ctf_scope_fc(lack->schema, lack->sc, lack->ec, CTF_SCOPE_PAYLOAD), "");
	put_members(&fields,
		ctf_scope_fc(lack->schema, lack->sc, lack->ec, CTF_SCOPE_SPECIFIC_CONTEXT),
		"context.");
	put_members(&fields,
		ctf_scope_fc(lack->schema, lack->sc, lack->ec, CTF_SCOPE_COMMON_CONTEXT),
		"context.");
	if (!fields.failed)
		mer_diag_add(&t->e->diags,
			&(struct mer_diag){ .severity = MER_WARNING, .code = "view-fields" },
			"view %s: %" PRIu64 " %s no field '%s'; those of %s are %.400s", v->name, n,
			mer_plural(n, "event of it has", "events of it have"), lack->field,
			lack->ec->name, fields.len ? fields.data : "none");
	mer_str_fini(&fields);
}

static void tell_lacks(struct teller *t)
{
	uint32_t number = 0;
	t->counts = calloc((size_t)t->r->n_rules + 1, sizeof(*t->counts));
	t->is_lacking = calloc((size_t)t->r->n_rules + 1, sizeof(*t->is_lacking));
	for (uint32_t i = 0; t->counts && t->is_lacking && i < t->r->n_rules; i++) {
		for (uint32_t h = 0; h < t->states->n_hosts; h++) {
			const struct view_count *c = t->states->hosts[h].counts;
			t->counts[i].n += c ? c[i].n : 0;
			t->counts[i].n_left += c ? c[i].n_left : 0;
		}
		t->is_lacking[i] = t->r->lacks[i].field && t->counts[i].n &&
				   t->counts[i].n == t->counts[i].n_left;
	}
	for (uint32_t v = 0; t->counts && t->is_lacking && v < t->states->n_views; v++)
		for (uint32_t i = 0; i < t->states->views[v]->n_rules; i++, number++)
			if (t->is_lacking[number])
				tell_lack(t, t->states->views[v], i, number);
	free(t->counts);
	free(t->is_lacking);
}

/* ---- what did not match up ---- */

static void tell_doubts(struct teller *t)
{
	const struct view_doubts *d = &t->states->doubts;
	const struct {
		uint64_t n;
		const char *one, *more;
	} rows[] = {
		{ d->n_lost, "state closed where events were lost",
			"states closed where events were lost" },
		{ d->n_unbegun, "end without a begin", "ends without a begin" },
		{ d->n_unended, "state ended by the one around it",
			"states ended by the one around them" },
		{ d->n_keyless, "event without the fields of the key",
			"events without the fields of the key" },
		{ d->n_unnamed, "event without the fields of its text or amount",
			"events without the fields of their text or amount" },
		{ d->n_unlabelled, "row without the fields of its text, named as it is declared",
			"rows without the fields of their text, named as they are declared" },
		{ d->n_untaken, "value taken that was not added",
			"values taken that were not added" },
		{ d->n_unsent, "arrow without its start", "arrows without their start" },
		{ d->n_unreceived, "arrow without its end", "arrows without their end" },
		{ d->n_again, "end of an arrow with a repeated key, or after a loss",
			"ends of arrows with a repeated key, or after a loss" },
	};
	struct mer_str text = { 0 };
	if (d->n_deep)
		mer_diag_add(&t->e->diags,
			&(struct mer_diag){ .severity = MER_WARNING, .code = "view-deep" },
			"views: %" PRIu64
			" %s within more than %d others and left out: is an 'end' missing?",
			d->n_deep, mer_plural(d->n_deep, "state is", "states are"), VIEW_MAX_DEPTH);
	if (d->n_replaced)
		mer_diag_add(&t->e->diags,
			&(struct mer_diag){ .severity = MER_WARNING, .code = "view-replaced" },
			"views: %" PRIu64
			" %s: what was added before with the same fields of 'by' no longer counts; if it should, these fields do not say whose it is",
			d->n_replaced,
			mer_plural(d->n_replaced, "value replaced one that nothing had taken",
				"values replaced ones that nothing had taken"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].n)
			mer_str_printf(&text, "%s%" PRIu64 " %s", text.len ? "; " : "", rows[i].n,
				mer_plural(rows[i].n, rows[i].one, rows[i].more));
	if (text.len && !text.failed)
		mer_diag_add(&t->e->diags,
			&(struct mer_diag){ .severity = MER_NOTE, .code = "view-states" },
			"views: %s", text.data);
	mer_str_fini(&text);
}

void view_tell(struct mer_experiment *e, const struct view_reading *r, const struct view_states *s)
{
	struct teller t = { .e = e, .r = r, .states = s };
	tell_unrecorded(&t);
	tell_programs(&t);
	tell_lacks(&t);
	tell_doubts(&t);
}
