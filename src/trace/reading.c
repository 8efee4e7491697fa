#include "base/glob.h"
#include "trace/reading.h"

#include <stdlib.h>
#include <string.h>

int trace_reading_new(const struct mer_experiment *e, const struct ctf_wants *wants, bool contexts,
	struct trace_reading **reading, struct mer_err *err)
{
	struct trace_reading *r = calloc(1, sizeof(*r));
	if (!r)
		return mer_fail_nomem(err);
	mer_arena_init(&r->arena);
	r->contexts = contexts;
	r->programs = mer_arena_zalloc(&r->arena, e->n_parts, sizeof(*r->programs));
	int rc = r->programs ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; i < e->n_parts && rc == 0; i++) {
		const struct ctf_schema *s = e->parts[i].schema;
		rc = ctf_program_compile(s, wants, &r->arena, &r->programs[i], err);
		if (rc)
			break;
		for (uint32_t k = 0; k < s->n_streams; k++)
			for (uint32_t c = 0; c < s->streams[k].n_events; c++)
				r->programs[i]->streams[k].events[c].id = r->n_plans++;
		if (r->programs[i]->max_slots > r->max_slots)
			r->max_slots = r->programs[i]->max_slots;
		if (r->programs[i]->n_regs > r->max_regs)
			r->max_regs = r->programs[i]->n_regs;
	}
	if (rc) {
		trace_reading_free(r);
		return rc;
	}
	*reading = r;
	return 0;
}

bool trace_pool_grow(struct ctf_pool *pool)
{
	size_t cap = pool->cap * 2;
	if (cap > TRACE_MAX_EVENT_SLOTS)
		cap = TRACE_MAX_EVENT_SLOTS;
	uint64_t *p = realloc(pool->slots, cap * sizeof(*p));
	if (!p)
		return false;
	pool->slots = p;
	pool->cap = cap;
	return true;
}

void trace_reading_free(struct trace_reading *r)
{
	if (!r)
		return;
	mer_arena_fini(&r->arena);
	free(r);
}

struct needs {
	const struct mer_need *needs;
	size_t n;
	bool headers;
	/* Hundreds of needs are matched with thousands of classes several times: plain names use a
	 * hash table, and the last result is cached. */
	struct mer_map plain; /* hash of a name without wildcards -> the first need of it, plus 1 */
	uint32_t *patterns;   /* needs with wildcards, in their order; malloc'ed */
	size_t n_patterns;
	const struct ctf_event_class *last;
	int32_t last_need;
};

static int needs_init(
	struct needs *w, const struct mer_need *needs, size_t n, bool headers, struct mer_err *err)
{
	*w = (struct needs){ .needs = needs, .n = n, .headers = headers };
	w->patterns = calloc(n + 1, sizeof(*w->patterns));
	if (!w->patterns || n >= INT32_MAX)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		if (strpbrk(needs[i].event, "*?[\\")) {
			w->patterns[w->n_patterns++] = (uint32_t)i;
			continue;
		}
		uint32_t *at =
			mer_map_put(&w->plain, mer_hash(needs[i].event, strlen(needs[i].event)));
		if (!at)
			return mer_fail_nomem(err);
		if (!*at)
			*at = (uint32_t)i + 1;
	}
	return 0;
}

static void needs_fini(struct needs *w)
{
	mer_map_fini(&w->plain);
	free(w->patterns);
}

static int32_t find_need(const struct needs *w, const char *name)
{
	const uint32_t *at = mer_map_get(&w->plain, mer_hash(name, strlen(name)));
	uint32_t found = at && *at ? *at - 1 : UINT32_MAX;
	if (found != UINT32_MAX && strcmp(w->needs[found].event, name) != 0)
		for (found = 0; found < w->n; found++) /* two names with one hash */
			if (strcmp(w->needs[found].event, name) == 0)
				break;
	for (size_t i = 0; i < w->n_patterns && w->patterns[i] < found; i++)
		if (mer_glob(w->needs[w->patterns[i]].event, name))
			return (int32_t)w->patterns[i];
	return found < w->n ? (int32_t)found : CTF_UNWANTED;
}

static int32_t want_event(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	struct needs *w = arg;
	(void)sc;
	if (w->n == 0)
		return 0;
	if (w->last != ec) {
		w->last = ec;
		w->last_need = find_need(w, ec->name);
	}
	return w->last_need;
}

enum form { NUMBER, TEXT, ARRAY, ROWS };

/* Takes the next field from a need's list: its name, and the form in which it is wanted. False:
 * there are no more. */
static bool next_field(const char **list, const char **name, size_t *len, enum form *form)
{
	const char *p = *list + strspn(*list, " ");
	*len = strcspn(p, " ");
	if (*len == 0)
		return false;
	*name = p;
	*list = p + *len;
	*form = NUMBER;
	if (*len > 2 && p[*len - 2] == ':' && strchr("sar", p[*len - 1])) {
		*form = p[*len - 1] == 's' ? TEXT : p[*len - 1] == 'a' ? ARRAY : ROWS;
		*len -= 2;
	}
	return true;
}

static uint32_t slots_of(enum form form)
{
	return form == NUMBER ? 1 : 2;
}

/* Two slots may be an address and a length, a length and an address, or two numbers. They must be
 * what the reader expects, because it dereferences the address. */
static bool is_of_form(const struct ctf_fc *fc, enum form form)
{
	switch (form) {
	case NUMBER: return ctf_slot_width(fc) == 1;
	case TEXT: return fc->kind == CTF_STRING || fc->kind == CTF_TEXT || fc->kind == CTF_BLOB;
	case ARRAY: return fc->kind == CTF_ARRAY && ctf_slot_width(fc->u.array.element.fc) == 1;
	case ROWS: return fc->kind == CTF_ARRAY;
	}
	return false;
}

static const struct mer_need *need_of(
	struct needs *w, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	int32_t i = w->n ? want_event(w, sc, ec) : -1;
	return i < 0 ? NULL : &w->needs[i];
}

/* Is there a field of this name in a scope inside of `outside`? */
static bool has_field(const struct ctf_stream_class *sc, const struct ctf_event_class *ec,
	enum ctf_scope outside, const char *name, size_t len)
{
	for (int s = (int)outside + 1; s < CTF_N_SCOPES; s++) {
		const struct ctf_fc *fc = ctf_scope_fc(NULL, sc, ec, (enum ctf_scope)s);
		for (uint32_t i = 0; fc && i < fc->u.record.n; i++)
			if (strncmp(fc->u.record.fields[i].name, name, len) == 0 &&
				fc->u.record.fields[i].name[len] == '\0')
				return true;
	}
	return false;
}

/* A name in several scopes means the innermost: payload, then contexts. */
static bool shadowed(const struct ctf_stream_class *sc, const struct ctf_event_class *ec,
	enum ctf_scope scope, const char *name)
{
	return has_field(sc, ec, scope, name, strlen(name));
}

/* Is it the field that the names mean? "tid|pid" means pid where there is no tid. */
static bool is_called(const struct ctf_stream_class *sc, const struct ctf_event_class *ec,
	const char *field, const char *names, size_t len)
{
	while (len) {
		const char *bar = memchr(names, '|', len);
		size_t n = bar ? (size_t)(bar - names) : len;
		if (strncmp(field, names, n) == 0 && field[n] == '\0')
			return true;
		if (!bar || has_field(sc, ec, CTF_SCOPE_EVENT_HEADER, names, n))
			return false;
		names = bar + 1;
		len -= n + 1;
	}
	return false;
}

static int32_t want_field(void *arg, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *f)
{
	struct needs *w = arg;
	const struct mer_need *need = need_of(w, sc, ec);
	if (!need || !need->fields)
		return scope != CTF_SCOPE_EVENT_HEADER || w->headers ? CTF_ANYWHERE : CTF_UNWANTED;
	const char *list = need->fields, *name;
	size_t len;
	uint32_t at = 0;
	enum form form;
	for (; next_field(&list, &name, &len, &form); at += slots_of(form))
		/* Of several forms of one name, the one that fits the field counts. */
		if (is_of_form(f->fc, form) && is_called(sc, ec, f->name, name, len))
			return shadowed(sc, ec, scope, f->name) ? CTF_UNWANTED : (int32_t)at;
	return CTF_UNWANTED;
}

static uint32_t want_slots(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	const struct mer_need *need = need_of(arg, sc, ec);
	if (!need || !need->fields)
		return 0;
	const char *list = need->fields, *name;
	size_t len;
	uint32_t at = 0;
	enum form form;
	while (next_field(&list, &name, &len, &form))
		at += slots_of(form);
	return at;
}

int trace_reading_from_needs(const struct mer_experiment *e, const struct mer_need *needs,
	size_t n_needs, bool headers, struct trace_reading **reading, struct mer_err *err)
{
	struct needs w;
	struct ctf_wants wants = {
		.arg = &w, .event = want_event, .field = want_field, .n_slots = want_slots
	};
	int rc = needs_init(&w, needs, n_needs, headers, err);
	if (rc == 0)
		rc = trace_reading_new(e, &wants, headers, reading, err);
	needs_fini(&w);
	return rc;
}
