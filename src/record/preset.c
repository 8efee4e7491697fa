#include "record/preset.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "record/words.h"

struct parser {
	struct record_preset *p;
	struct mer_arena *arena;
	const char *path;
	unsigned line;
	struct mer_err *err;
};

static int bad(struct parser *r, const char *what, const char *word)
{
	return mer_fail(r->err, MER_ERR_INPUT, "%s:%u: %s%s%.60s%s", r->path, r->line, what,
		*word ? ": '" : "", word, *word ? "'" : "");
}

const char *record_domain_name(enum record_domain d)
{
	static const char *const names[RECORD_N_DOMAINS] = {
		[RECORD_KERNEL] = "kernel", [RECORD_USER] = "user", [RECORD_FTRACE] = "ftrace"
	};
	return d < RECORD_N_DOMAINS ? names[d] : NULL;
}

static int domain_of(const char *word)
{
	for (int d = 0; d < RECORD_N_DOMAINS; d++)
		if (strcmp(word, record_domain_name((enum record_domain)d)) == 0)
			return d;
	return -1;
}

struct record_version record_version_of(const char *text)
{
	struct record_version v = { { 0 } };
	text += strcspn(text, "0123456789");
	for (int i = 0; i < 2 && *text >= '0' && *text <= '9'; i++) {
		char *end;
		unsigned long n = strtoul(text, &end, 10);
		v.part[i] = n > 1000000 ? 1000000 : (uint32_t)n;
		text = *end == '.' ? end + 1 : "";
	}
	return v;
}

bool record_condition_holds(
	const struct record_condition *c, struct record_version kernel, struct record_version lttng)
{
	struct record_version have = c->of == RECORD_IF_KERNEL ? kernel : lttng;
	if (c->of == RECORD_ALWAYS)
		return true;
	bool is_known = have.part[0] || have.part[1];
	bool is_less = have.part[0] < c->version.part[0] ||
		       (have.part[0] == c->version.part[0] && have.part[1] < c->version.part[1]);
	return (is_known && is_less) == c->is_below;
}

/* The next word of a line, which gets its NUL; "" at the end. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " \t");
	char *end = word + strcspn(word, " \t");
	*at = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

static struct record_rule *add_rule(struct parser *r, int *rc)
{
	struct record_preset *p = r->p;
	if (p->n_rules >= RECORD_PRESET_RULES) {
		*rc = bad(r, "too many lines", "");
		return NULL;
	}
	if (!p->rules)
		p->rules = mer_arena_zalloc(r->arena, RECORD_PRESET_RULES, sizeof(*p->rules));
	if (!p->rules) {
		*rc = mer_fail_nomem(r->err);
		return NULL;
	}
	return &p->rules[p->n_rules++];
}

/* kernel>=6.1 */
static int parse_condition(struct parser *r, struct record_rule *rule, const char *word)
{
	size_t len = strcspn(word, "<>");
	struct record_condition *c = &rule->condition;
	if (len == 6 && memcmp(word, "kernel", len) == 0)
		c->of = RECORD_IF_KERNEL;
	else if (len == 5 && memcmp(word, "lttng", len) == 0)
		c->of = RECORD_IF_LTTNG;
	if (c->of == RECORD_ALWAYS || !word[len])
		return bad(r, "not a condition such as kernel>=6.1", word);
	c->is_below = word[len] == '<';
	const char *version = word + len + 1;
	if (word[len] == '>' && *version++ != '=')
		return bad(r, "not a condition such as kernel>=6.1", word);
	c->version = record_version_of(version);
	if (*version < '0' || *version > '9' || !(c->version.part[0] || c->version.part[1]))
		return bad(r, "not a condition such as kernel>=6.1", word);
	return 0;
}

/* NAME, NAME?, or some of them with | between */
static int parse_event(struct parser *r, struct record_rule *rule, char *word)
{
	for (bool first = true; word; first = false) {
		char *bar = strchr(word, '|');
		if (bar)
			*bar++ = '\0';
		size_t len = strlen(word);
		bool optional = len > 0 && word[len - 1] == '?';
		if (optional)
			word[len - 1] = '\0';
		if (!record_is_event(word))
			return bad(r, "not the name of an event", word);
		if (rule->n_events >= RECORD_PRESET_EVENTS)
			return bad(r, "too many events in a line", "");
		rule->events[rule->n_events++] = (struct record_event){
			.name = word, .is_optional = optional, .is_alternative = !first
		};
		word = bar;
	}
	return 0;
}

static int parse_events(struct parser *r, enum record_domain domain, char *rest)
{
	int rc = 0;
	struct record_rule *rule = add_rule(r, &rc);
	if (!rule)
		return rc;
	rule->kind = RECORD_EVENTS;
	rule->domain = domain;
	rule->events = mer_arena_zalloc(r->arena, RECORD_PRESET_EVENTS, sizeof(*rule->events));
	if (!rule->events)
		return mer_fail_nomem(r->err);
	for (char *word = next_word(&rest); *word && rc == 0; word = next_word(&rest)) {
		if (strcmp(word, "if") == 0) {
			rc = parse_condition(r, rule, next_word(&rest));
			if (rc == 0 && *next_word(&rest))
				rc = bad(r, "nothing may follow a condition", "");
			break;
		}
		rc = parse_event(r, rule, word);
	}
	return rc || rule->n_events ? rc : bad(r, "a line without events", "");
}

static int parse_channel(struct parser *r, char *rest)
{
	const char *word = next_word(&rest);
	int domain = domain_of(word);
	if (domain != RECORD_KERNEL && domain != RECORD_USER)
		return bad(r, "channel is of kernel or user", word);
	struct record_channel *c = &r->p->channels[domain];
	c->name = next_word(&rest);
	if (!record_is_name(c->name))
		return bad(r, "not a name for a channel", c->name);
	char *n = next_word(&rest), *size = next_word(&rest), *end = NULL, *unit = NULL;
	c->n_subbufs = strtoull(n, &end, 10);
	c->subbuf_kib = strtoull(size, &unit, 10);
	if (*n < '0' || *n > '9' || *end || c->n_subbufs < 2 || c->n_subbufs > 1 << 20)
		return bad(r, "not a number of sub-buffers", n);
	if (*size < '0' || *size > '9' || strcmp(unit, "K") != 0 || c->subbuf_kib < 4 ||
		c->subbuf_kib > 1 << 21)
		return bad(r, "not a size of a sub-buffer such as 1024K", size);
	return *next_word(&rest) ? bad(r, "too many words", "") : 0;
}

static int parse_contexts(struct parser *r, char *rest)
{
	struct record_preset *p = r->p;
	if (!p->contexts)
		p->contexts =
			mer_arena_zalloc(r->arena, RECORD_PRESET_EVENTS, sizeof(*p->contexts));
	if (!p->contexts)
		return mer_fail_nomem(r->err);
	for (char *word = next_word(&rest); *word; word = next_word(&rest)) {
		if (!record_is_event(word) || p->n_contexts >= RECORD_PRESET_EVENTS)
			return bad(r, "not the name of a context", word);
		p->contexts[p->n_contexts++] = word;
	}
	return 0;
}

static int parse_next(struct parser *r, char *rest)
{
	struct record_preset *p = r->p;
	char *colon = strstr(rest, " : ");
	if (!colon || p->n_next >= RECORD_PRESET_NEXT)
		return bad(r, colon ? "too many lines of 'next'" : "no ' : TEXT' behind it", rest);
	*colon = '\0';
	p->next[p->n_next++] = (struct record_next){ rest + strspn(rest, " "), colon + 3 };
	return 0;
}

static int parse_line(struct parser *r, char *line)
{
	char *rest = line;
	const char *word = next_word(&rest);
	int domain = domain_of(word), rc = 0;
	rest += strspn(rest, " \t");
	if (!*word || *word == '#')
		return 0;
	if (domain >= 0)
		return parse_events(r, (enum record_domain)domain, rest);
	if (strcmp(word, "channel") == 0)
		return parse_channel(r, rest);
	if (strcmp(word, "context") == 0)
		return parse_contexts(r, rest);
	if (strcmp(word, "next") == 0)
		return parse_next(r, rest);
	if (strcmp(word, "optional") == 0) {
		if (strcmp(next_word(&rest), record_domain_name(RECORD_KERNEL)) != 0)
			return bad(r, "only the kernel can be optional", "");
		r->p->kernel_is_optional = true;
		return 0;
	}
	if (strcmp(word, "about") == 0) {
		r->p->about = rest;
		return 0;
	}
	bool is_title = strcmp(word, "title") == 0;
	if (!is_title && strcmp(word, "syscalls") != 0)
		return bad(r, "not a line of a preset", word);
	struct record_rule *rule = add_rule(r, &rc);
	if (!rule)
		return rc;
	rule->kind = is_title ? RECORD_TITLE : RECORD_SYSCALLS;
	rule->title = is_title ? rest : NULL;
	return 0;
}

int record_preset_parse(struct record_preset *p, const char *text, size_t len, const char *path,
	struct mer_arena *arena, struct mer_err *err)
{
	struct parser r = { .p = p, .arena = arena, .path = path, .err = err };
	*p = (struct record_preset){ .about = "" };
	if (len > RECORD_PRESET_BYTES)
		return mer_fail(err, MER_ERR_INPUT, "%s: a preset has at most %u KiB", path,
			RECORD_PRESET_BYTES >> 10);
	char *copy = mer_arena_strndup(arena, text, len);
	int rc = copy ? 0 : mer_fail_nomem(err);
	for (char *line = copy; rc == 0 && line;) {
		char *end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		r.line++;
		for (const char *c = line; rc == 0 && *c; c++)
			if ((unsigned char)*c < ' ' && *c != '\t')
				rc = bad(&r, "a control character", "");
		if (rc == 0)
			rc = parse_line(&r, line);
		line = end;
	}
	for (int d = RECORD_KERNEL; rc == 0 && d < RECORD_FTRACE; d++)
		if (!p->channels[d].name && record_preset_has(p, (enum record_domain)d))
			rc = mer_fail(err, MER_ERR_INPUT, "%s: no line 'channel %s'", path,
				record_domain_name((enum record_domain)d));
	return rc;
}

bool record_preset_has(const struct record_preset *p, enum record_domain d)
{
	for (size_t i = 0; i < p->n_rules; i++) {
		const struct record_rule *r = &p->rules[i];
		if ((r->kind == RECORD_EVENTS && r->domain == d) ||
			(r->kind == RECORD_SYSCALLS && d == RECORD_KERNEL))
			return true;
	}
	return false;
}

/* Is the event in a line without a condition? */
static bool has_event(const struct record_preset *p, enum record_domain d, const char *name)
{
	for (size_t i = 0; i < p->n_rules; i++) {
		const struct record_rule *r = &p->rules[i];
		if (r->kind == RECORD_SYSCALLS || r->domain != d ||
			r->condition.of != RECORD_ALWAYS)
			continue;
		for (size_t k = 0; k < r->n_events; k++)
			if (strcmp(r->events[k].name, name) == 0)
				return true;
	}
	return false;
}

static bool has_syscalls(const struct record_preset *p)
{
	for (size_t i = 0; i < p->n_rules; i++)
		if (p->rules[i].kind == RECORD_SYSCALLS)
			return true;
	return false;
}

/* A copy of the rule without the events that are there already; false: nothing is left. */
static bool rest_of(const struct record_preset *a, const struct record_rule *from,
	struct record_rule *to, struct mer_arena *arena)
{
	*to = *from;
	if (from->kind != RECORD_EVENTS)
		return from->kind == RECORD_TITLE || !has_syscalls(a);
	to->n_events = 0;
	to->events = mer_arena_zalloc(arena, from->n_events + 1, sizeof(*to->events));
	for (size_t k = 0; to->events && k < from->n_events; k++) {
		struct record_event e = from->events[k];
		if (has_event(a, from->domain, e.name))
			continue;
		/* An alternative to it is recorded anyway: this one need not be there. */
		if (e.is_alternative && (to->n_events == 0 || k == 0 ||
						strcmp(to->events[to->n_events - 1].name,
							from->events[k - 1].name) != 0)) {
			e.is_alternative = false;
			e.is_optional = true;
		}
		to->events[to->n_events++] = e;
	}
	return to->n_events > 0;
}

int record_preset_join(struct record_preset *a, const struct record_preset *b,
	struct mer_arena *arena, struct mer_err *err)
{
	size_t room = a->n_rules + b->n_rules;
	a->kernel_is_optional = (a->kernel_is_optional || !record_preset_has(a, RECORD_KERNEL)) &&
				(b->kernel_is_optional || !record_preset_has(b, RECORD_KERNEL));
	struct record_rule *rules = mer_arena_zalloc(arena, room + 1, sizeof(*rules));
	const char **contexts =
		mer_arena_zalloc(arena, a->n_contexts + b->n_contexts + 1, sizeof(*contexts));
	if (!rules || !contexts)
		return mer_fail_nomem(err);
	if (a->n_rules)
		memcpy(rules, a->rules, a->n_rules * sizeof(*rules));
	a->rules = rules;
	for (size_t i = 0; i < b->n_rules; i++) {
		struct record_rule rule;
		if (rest_of(a, &b->rules[i], &rule, arena))
			a->rules[a->n_rules++] = rule;
		else if (a->n_rules && a->rules[a->n_rules - 1].kind == RECORD_TITLE)
			a->n_rules--; /* a title without lines */
	}
	if (a->n_contexts)
		memcpy(contexts, a->contexts, a->n_contexts * sizeof(*contexts));
	a->contexts = contexts;
	for (size_t i = 0; i < b->n_contexts; i++) {
		bool is_there = false;
		for (size_t k = 0; k < a->n_contexts; k++)
			is_there |= strcmp(a->contexts[k], b->contexts[i]) == 0;
		if (!is_there)
			a->contexts[a->n_contexts++] = b->contexts[i];
	}
	for (int d = 0; d < RECORD_FTRACE; d++) {
		struct record_channel *to = &a->channels[d];
		const struct record_channel *from = &b->channels[d];
		if (!to->name)
			*to = *from;
		if (from->n_subbufs > to->n_subbufs)
			to->n_subbufs = from->n_subbufs;
		if (from->subbuf_kib > to->subbuf_kib)
			to->subbuf_kib = from->subbuf_kib;
	}
	for (size_t i = 0; i < b->n_next && a->n_next < RECORD_PRESET_NEXT; i++)
		a->next[a->n_next++] = b->next[i];
	return arena->failed ? mer_fail_nomem(err) : 0;
}
