/* FSMs of patterns: states, transitions, and the initial state. */
#include <string.h>

#include "views/xml/compile.h"

/* Names with colons between them. *n: how many; the words are in the arena. */
static char **split(struct compiler *c, const char *text, uint32_t *n)
{
	char **words = xml_make(c, XML_MAX_STEPS, sizeof(*words));
	*n = 0;
	while (words && text && *text && *n < XML_MAX_STEPS) {
		size_t len = strcspn(text, ":");
		words[*n] = mer_arena_strndup(c->arena, text, len);
		if (!words[*n]) {
			mer_fail_nomem(c->err);
			return NULL;
		}
		++*n;
		text += len + (text[len] == ':');
	}
	return words;
}

static int find_actions(struct compiler *c, const struct xml_node *n, const char *text,
	const struct xml_action ***actions, uint32_t *count)
{
	uint32_t found;
	char **words = split(c, text, &found);
	*actions = xml_make(c, XML_MAX_STEPS, sizeof(**actions));
	if (!words || !*actions)
		return MER_ERR_NOMEM;
	for (uint32_t i = 0; i < found; i++) {
		const struct xml_action *a = c->actions;
		while (a && strcmp(a->id, words[i]) != 0)
			a = a->next;
		if (!a)
			return xml_fail(c, n, "no action has the id", words[i]);
		(*actions)[(*count)++] = a;
	}
	return 0;
}

static int parse_transition(
	struct compiler *c, const struct xml_node *n, struct xml_transition **transition)
{
	struct xml_transition *t = xml_make(c, 1, sizeof(*t));
	uint32_t count;
	*transition = t;
	if (!t)
		return MER_ERR_NOMEM;
	t->node = n;
	t->event = xml_get(n, "event");
	t->target_id = xml_get(n, "target");
	char **words = split(c, xml_get(n, "cond"), &count);
	t->tests = xml_make(c, XML_MAX_STEPS, sizeof(*t->tests));
	if (!words || !t->tests)
		return MER_ERR_NOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct xml_named_test *x = c->tests;
		while (x && strcmp(x->id, words[i]) != 0)
			x = x->next;
		if (!x)
			return xml_fail(c, n, "no test has the id", words[i]);
		t->tests[t->n_tests++] = x->test;
	}
	return find_actions(c, n, xml_get(n, "action"), &t->actions, &t->n_actions);
}

static int parse_state(struct compiler *c, const struct xml_node *n, struct xml_state *s)
{
	struct xml_transition **last = &s->transitions;
	int rc = 0;
	s->id = xml_get(n, "id");
	s->is_final = xml_is(n, "final");
	if (!s->id && !xml_is(n, "initialState"))
		return xml_fail(c, n, "the attribute id is missing", NULL);
	for (const struct xml_node *t = n->first; t && rc == 0; t = t->next) {
		if (xml_is(t, "transition")) {
			rc = parse_transition(c, t, last);
			if (rc == 0)
				last = &(*last)->next;
		} else if (xml_is(t, "onEntry")) {
			rc = find_actions(c, t, xml_get(t, "action"), &s->on_entry, &s->n_entry);
		} else if (xml_is(t, "onExit")) {
			rc = find_actions(c, t, xml_get(t, "action"), &s->on_exit, &s->n_exit);
		} else {
			xml_note(c, t);
		}
	}
	s->is_final |= !s->transitions;
	return rc;
}

static int find_state(struct compiler *c, const struct xml_fsm *f, const struct xml_node *n,
	const char *id, uint32_t *state)
{
	for (*state = 0; *state < f->n_states; ++*state)
		if (id && f->states[*state].id && strcmp(f->states[*state].id, id) == 0)
			return 0;
	return xml_fail(c, n, "no state has the id", id ? id : "");
}

static int find_targets(struct compiler *c, struct xml_fsm *f)
{
	for (uint32_t i = 0; i < f->n_states; i++)
		for (struct xml_transition *t = f->states[i].transitions; t; t = t->next) {
			int rc = find_state(c, f, t->node, t->target_id, &t->target);
			if (rc)
				return rc;
		}
	return 0;
}

static int find_initial(struct compiler *c, struct xml_fsm *f, const struct xml_node *n)
{
	const struct xml_node *initial = xml_child(n, "initial");
	const struct xml_node *to = initial ? xml_child(initial, "transition") : NULL;
	if (xml_child(n, "initialState"))
		return 0; /* it is the first */
	if (xml_get(n, "initial"))
		return find_state(c, f, n, xml_get(n, "initial"), &f->initial);
	return to ? find_state(c, f, to, xml_get(to, "target"), &f->initial) : 0;
}

int xml_parse_fsm(struct compiler *c, const struct xml_node *n, struct xml_fsm **fsm)
{
	struct xml_fsm *f = xml_make(c, 1, sizeof(*f));
	struct xml_transition **last;
	const struct xml_node *own = xml_child(n, "initialState");
	const char *multiple = xml_get(n, "multiple"), *consuming = xml_get(n, "consuming");
	uint32_t count = 1;
	int rc = 0;
	*fsm = f;
	for (const struct xml_node *s = n->first; s; s = s->next)
		count++;
	if (!f || !(f->states = xml_make(c, count, sizeof(*f->states))))
		return MER_ERR_NOMEM;
	f->id = xml_get(n, "id");
	if (!f->id)
		return xml_fail(c, n, "the attribute id is missing", NULL);
	f->multiple = !multiple || strcmp(multiple, "false") != 0;
	f->consuming = !consuming || strcmp(consuming, "false") != 0;
	last = &f->preconditions;
	if (own)
		rc = parse_state(c, own, &f->states[f->n_states++]);
	for (const struct xml_node *s = n->first; s && rc == 0; s = s->next) {
		if (xml_is(s, "state") || xml_is(s, "final")) {
			rc = parse_state(c, s, &f->states[f->n_states++]);
		} else if (xml_is(s, "precondition")) {
			rc = parse_transition(c, s, last);
			if (rc == 0)
				last = &(*last)->next;
		} else if (!xml_is(s, "initial") && !xml_is(s, "initialState")) {
			xml_note(c, s);
		}
	}
	if (rc == 0 && !f->n_states)
		rc = xml_fail(c, n, "an fsm needs a state", NULL);
	if (rc == 0)
		rc = find_targets(c, f);
	return rc ? rc : find_initial(c, f, n);
}
