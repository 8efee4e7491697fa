#include "analysis/period_rule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "kernel/events.h"

static const char *const known_paths[PERIOD_N_KNOWN][3] = {
	[PERIOD_OWN_CPU] = { "perf_cpu" },
	[PERIOD_OWN_TID] = { "context.tid", "perf_tid", "context.vtid" },
	[PERIOD_OWN_COMM] = { "context.procname" },
	[PERIOD_NEXT_TID] = { "next_tid", "next_pid" },
	[PERIOD_NEXT_COMM] = { "next_comm" },
};

/* Index of context.vtid in known_paths: thread numbers in a namespace, used for user space traces
 * only, which may have no others. */
enum { ONLY_UST = 2 };

/* ---- parsing ---- */

static int parse_part(struct analysis_period_rule *rule, const char *text, struct period_part *part,
	struct mer_err *err)
{
	static const char *const words[] = { "host", "cpu", "tid", "comm" };
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(text, words[i]) == 0) {
			part->what = (enum period_what)i;
			return 0;
		}
	part->what = PERIOD_FIELD;
	return trace_path_parse(text, "period-by", &rule->arena, &part->path, err);
}

/* "A" or "A:B". A colon inside quotes does not separate. */
static int parse_key(struct analysis_period_rule *rule, const char *text, struct mer_err *err)
{
	char quote = 0;
	const char *p = text;
	for (; *p && (quote || *p != ':'); p++)
		if (*p == '"' || *p == '\'')
			quote = !quote ? *p : quote == *p ? '\0' : quote;
	struct period_part *begin = &rule->parts[PERIOD_BEGIN][rule->n_parts];
	struct period_part *end = &rule->parts[PERIOD_END][rule->n_parts];
	if (!*p) {
		rule->n_parts++;
		int rc = parse_part(rule, text, begin, err);
		*end = *begin;
		return rc;
	}
	char *first = mer_arena_strndup(&rule->arena, text, (size_t)(p - text));
	if (!first)
		return mer_fail_nomem(err);
	rule->n_parts++;
	int rc = parse_part(rule, first, begin, err);
	return rc ? rc : parse_part(rule, p + 1, end, err);
}

static bool is_of_host(const struct period_part *p)
{
	return p->what == PERIOD_CPU || p->what == PERIOD_TID || p->what == PERIOD_COMM;
}

static int parse_keys(struct analysis_period_rule *rule, const struct analysis_period_query *q,
	struct mer_err *err)
{
	bool of_host = false, has_host = false;
	if (q->n_by >= PERIOD_MAX_PARTS)
		return mer_fail(
			err, MER_ERR_LIMIT, "period-by: more than %d parts", PERIOD_MAX_PARTS - 1);
	for (size_t i = 0; i < q->n_by; i++) {
		int rc = parse_key(rule, q->by[i], err);
		if (rc)
			return rc;
		for (int side = 0; side < 2; side++) {
			const struct period_part *p = &rule->parts[side][i];
			of_host |= is_of_host(p);
			has_host |= p->what == PERIOD_HOST;
			rule->needs_tasks |= p->what == PERIOD_TID || p->what == PERIOD_COMM;
		}
	}
	if (of_host && !has_host) {
		for (int side = 0; side < 2; side++) {
			struct period_part *p = rule->parts[side];
			memmove(p + 1, p, rule->n_parts * sizeof(*p));
			p[0] = (struct period_part){ .what = PERIOD_HOST };
		}
		rule->n_parts++;
	}
	return 0;
}

int analysis_period_rule_new(const struct analysis_period_query *q,
	struct analysis_period_rule **rule, struct mer_err *err)
{
	struct analysis_period_rule *r = calloc(1, sizeof(*r));
	*rule = NULL;
	if (!r)
		return mer_fail_nomem(err);
	mer_arena_init(&r->arena);
	r->min_ns = q->min_ns;
	r->max_ns = q->max_ns;
	r->needs_tasks = q->tells_tasks;
	int rc = trace_filter_parse_pair(q->what ? q->what : "period", q->expression,
		&r->filters[PERIOD_BEGIN], &r->filters[PERIOD_END], err);
	if (rc == 0)
		rc = parse_keys(r, q, err);
	for (unsigned k = 0; k < PERIOD_N_KNOWN; k++)
		for (unsigned i = 0; i < 3 && known_paths[k][i] && rc == 0; i++)
			rc = trace_path_parse(
				known_paths[k][i], "period", &r->arena, &r->known[k][i], err);
	if (rc)
		analysis_period_rule_free(r);
	else
		*rule = r;
	return rc;
}

void analysis_period_rule_free(struct analysis_period_rule *r)
{
	if (!r)
		return;
	trace_filter_free(r->filters[PERIOD_BEGIN]);
	trace_filter_free(r->filters[PERIOD_END]);
	mer_arena_fini(&r->arena);
	free(r);
}

const char *analysis_period_rule_unknown(
	const struct analysis_period_rule *r, const struct mer_experiment *e)
{
	for (int side = 0; side < 2; side++) {
		const char *name = trace_filter_unknown(r->filters[side], e);
		for (unsigned i = 0; i < r->n_parts && !name; i++)
			if (r->parts[side][i].what == PERIOD_FIELD &&
				!trace_path_exists(&r->parts[side][i].path, e, CTF_N_SCOPES))
				name = r->parts[side][i].path.text;
		if (name)
			return name;
	}
	return NULL;
}

bool analysis_period_rule_can(
	const struct analysis_period_rule *r, const struct mer_experiment *e, bool end)
{
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct ctf_schema *schema = e->parts[p].schema;
		for (uint32_t s = 0; s < schema->n_streams; s++)
			for (uint32_t i = 0; i < schema->streams[s].n_events; i++)
				if (trace_filter_may_match(r->filters[end], &schema->streams[s],
					    &schema->streams[s].events[i]))
					return true;
	}
	return false;
}

/* ---- reading ---- */

static bool is_switch(const struct ctf_event_class *ec)
{
	return kernel_event_is(KERNEL_EV_SWITCH, ec->name);
}

static int32_t want_event(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	const struct analysis_period_rule *r = arg;
	bool wanted = (r->needs_tasks && is_switch(ec)) ||
		      trace_filter_may_match(r->filters[PERIOD_BEGIN], sc, ec) ||
		      trace_filter_may_match(r->filters[PERIOD_END], sc, ec);
	return wanted ? 0 : CTF_UNWANTED;
}

static int32_t want_field(void *arg, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *f)
{
	const struct analysis_period_rule *r = arg;
	for (int side = 0; side < 2; side++) {
		if (trace_filter_reads(r->filters[side], sc, ec, scope, f))
			return CTF_ANYWHERE;
		for (unsigned i = 0; i < r->n_parts; i++)
			if (r->parts[side][i].what == PERIOD_FIELD &&
				trace_path_reads(&r->parts[side][i].path, sc, ec, scope, f))
				return CTF_ANYWHERE;
	}
	for (unsigned k = 0; k < PERIOD_N_KNOWN; k++)
		for (unsigned i = 0; i < 3 && r->known[k][i].text; i++)
			if ((k == PERIOD_OWN_CPU || r->needs_tasks) &&
				trace_path_reads(&r->known[k][i], sc, ec, scope, f))
				return CTF_ANYWHERE;
	return CTF_UNWANTED;
}

static bool needs_contexts(const struct analysis_period_rule *r, const struct mer_experiment *e)
{
	for (int side = 0; side < 2; side++) {
		if (trace_filter_needs_contexts(r->filters[side], e))
			return true;
		for (unsigned i = 0; i < r->n_parts; i++)
			if (r->parts[side][i].what == PERIOD_FIELD &&
				trace_path_exists(
					&r->parts[side][i].path, e, CTF_SCOPE_PACKET_CONTEXT))
				return true;
	}
	return false;
}

struct binding {
	struct period_reading *r;
	const struct ctf_stream_class *sc;
	const struct ctf_plan *plan;
	struct mer_err *err;
};

static int find_place(
	struct binding *b, const struct trace_path *path, bool *has, struct trace_place *place)
{
	switch (trace_path_find(path, b->sc, b->plan->class, b->plan, b->r->reading->contexts,
		&b->r->arena, place)) {
	case TRACE_FOUND:
		/* "id" hardly means the one in the header of every event, which is that of its
		 * class. */
		*has = place->scope != CTF_SCOPE_EVENT_HEADER || path->scope == TRACE_PATH_HEADER;
		return 0;
	case TRACE_NOT_FOUND:
	case TRACE_NOT_READ: return 0;
	case TRACE_FIND_NOMEM: break;
	}
	return mer_fail_nomem(b->err);
}

static int bind_class(struct binding *b, bool is_ust)
{
	const struct analysis_period_rule *rule = b->r->rule;
	struct period_class *c = mer_arena_zalloc(&b->r->arena, 1, sizeof(*c));
	int rc = 0;
	if (!c)
		return mer_fail_nomem(b->err);
	c->is_switch = rule->needs_tasks && is_switch(b->plan->class);
	for (unsigned k = 0; k < PERIOD_N_KNOWN; k++)
		for (unsigned i = 0; i < 3 && rule->known[k][i].text && rc == 0 && !c->has[k]; i++)
			if (k != PERIOD_OWN_TID || i != ONLY_UST || is_ust)
				rc = find_place(b, &rule->known[k][i], &c->has[k], &c->known[k]);
	for (int side = 0; side < 2; side++)
		for (unsigned i = 0; i < rule->n_parts && rc == 0; i++)
			if (rule->parts[side][i].what == PERIOD_FIELD)
				rc = find_place(b, &rule->parts[side][i].path,
					&c->has_field[side][i], &c->fields[side][i]);
	b->r->classes[b->plan->id] = c;
	return rc;
}

static int bind_classes(struct period_reading *r, struct mer_err *err)
{
	struct binding b = { .r = r, .err = err };
	r->classes = mer_arena_zalloc(
		&r->arena, r->reading->n_plans + 1u, sizeof(struct period_class *));
	if (!r->classes)
		return mer_fail_nomem(err);
	for (uint32_t p = 0; p < r->e->n_parts; p++) {
		const struct ctf_program *program = r->reading->programs[p];
		bool is_ust = strcmp(r->e->traces[r->e->parts[p].trace].domain, "ust") == 0;
		for (uint32_t s = 0; s < program->schema->n_streams; s++) {
			const struct ctf_stream_plan *sp = &program->streams[s];
			b.sc = sp->class;
			for (uint32_t i = 0; i < sp->class->n_events; i++) {
				b.plan = &sp->events[i];
				int rc = b.plan->wanted ? bind_class(&b, is_ust) : 0;
				if (rc)
					return rc;
			}
		}
	}
	return 0;
}

int period_reading_init(struct period_reading *r, const struct mer_experiment *e,
	const struct analysis_period_rule *rule, struct mer_err *err)
{
	struct ctf_wants wants = { .event = want_event, .field = want_field };
	struct analysis_period_rule *arg = (struct analysis_period_rule *)(uintptr_t)rule;
	*r = (struct period_reading){ .rule = rule, .e = e };
	mer_arena_init(&r->arena);
	wants.arg = arg;
	int rc = trace_reading_new(e, &wants, needs_contexts(rule, e), &r->reading, err);
	for (int side = 0; side < 2 && rc == 0; side++)
		rc = trace_filter_bind(rule->filters[side], e, r->reading, &r->bound[side], err);
	return rc ? rc : bind_classes(r, err);
}

void period_reading_fini(struct period_reading *r)
{
	trace_filter_unbind(r->bound[PERIOD_BEGIN]);
	trace_filter_unbind(r->bound[PERIOD_END]);
	trace_reading_free(r->reading);
	mer_arena_fini(&r->arena);
}

/* ---- values ---- */

static const uint64_t *value_at(const struct trace_place *place, const struct mer_cursor *c,
	const struct mer_event *ev, const struct ctf_fc **fc)
{
	const uint64_t *row = place->in_context ? trace_cursor_context(c, ev) : ev->slots;
	return row ? trace_place_get(place, row, fc) : NULL;
}

static bool is_text(const struct ctf_fc *fc)
{
	return fc->kind == CTF_STRING || fc->kind == CTF_TEXT;
}

static bool is_number(const struct ctf_fc *fc)
{
	return fc->kind == CTF_INT || fc->kind == CTF_VARINT || fc->kind == CTF_BIT_ARRAY ||
	       fc->kind == CTF_BIT_MAP || fc->kind == CTF_BOOL;
}

bool period_known_int(const struct period_reading *r, const struct mer_cursor *c,
	const struct mer_event *ev, enum period_known k, int64_t *v)
{
	const struct period_class *class = r->classes[ev->plan->id];
	const struct ctf_fc *fc;
	const uint64_t *slot = class->has[k] ? value_at(&class->known[k], c, ev, &fc) : NULL;
	if (!slot || !is_number(fc))
		return false;
	*v = (int64_t)*slot;
	return true;
}

bool period_known_text(const struct period_reading *r, const struct mer_cursor *c,
	const struct mer_event *ev, enum period_known k, const char **text, size_t *len)
{
	const struct period_class *class = r->classes[ev->plan->id];
	const struct ctf_fc *fc;
	const uint64_t *slot = class->has[k] ? value_at(&class->known[k], c, ev, &fc) : NULL;
	if (!slot || !is_text(fc))
		return false;
	*text = (const char *)(uintptr_t)slot[0];
	*len = slot[1];
	return true;
}

/* ---- keys ---- */

enum { PART_HEAD = 1 + sizeof(uint64_t) }; /* a letter, and the number or the text's length */

static void put_part(struct mer_str *key, char letter, uint64_t v)
{
	char head[PART_HEAD] = { letter };
	memcpy(head + 1, &v, sizeof(v));
	mer_str_add(key, head, sizeof(head));
}

void period_put_number(struct mer_str *key, bool is_negative, uint64_t v)
{
	put_part(key, is_negative ? '-' : '+', v);
}

void period_put_text(struct mer_str *key, const char *text, size_t len)
{
	put_part(key, 't', len);
	mer_str_add(key, text, len);
}

void period_put_host(struct mer_str *key, uint32_t host)
{
	put_part(key, 'h', host);
}

size_t period_part_size(const char *part)
{
	uint64_t v;
	memcpy(&v, part + 1, sizeof(v));
	return PART_HEAD + (*part == 't' ? (size_t)v : 0);
}

static bool put_field(struct mer_str *key, const struct ctf_fc *fc, const uint64_t *slot)
{
	if (is_text(fc)) {
		if (slot[1] > ANALYSIS_MAX_PERIOD_KEY)
			return false;
		period_put_text(key, (const char *)(uintptr_t)slot[0], slot[1]);
	} else if (is_number(fc)) {
		bool is_signed =
			(fc->kind == CTF_INT || fc->kind == CTF_VARINT) && fc->u.bits.is_signed;
		period_put_number(key, is_signed && (int64_t)*slot < 0, *slot);
	} else if (fc->kind == CTF_FLOAT) {
		put_part(key, 'r', *slot);
	} else {
		return false;
	}
	return true;
}

bool period_put_fields(const struct period_reading *r, const struct mer_cursor *c,
	const struct mer_event *ev, enum period_side side, struct mer_str *key)
{
	const struct period_class *class = r->classes[ev->plan->id];
	for (unsigned i = 0; i < r->rule->n_parts; i++) {
		const struct ctf_fc *fc;
		if (r->rule->parts[side][i].what != PERIOD_FIELD)
			continue;
		if (!class->has_field[side][i])
			return false;
		const uint64_t *slot = value_at(&class->fields[side][i], c, ev, &fc);
		if (!slot || !put_field(key, fc, slot))
			return false;
	}
	return true;
}

static void put_clean(struct mer_str *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c < ' ' || c == 0x7f || c == ',' || c == '\\')
			mer_str_printf(out, "\\x%02x", c);
		else
			mer_str_putc(out, (char)c);
	}
}

const char *analysis_period_key_text(const struct analysis_periods *p,
	const struct mer_experiment *e, uint32_t key, struct mer_arena *arena)
{
	const char *part = p->is_keyed ? mer_intern_text(&p->keys, key) : NULL;
	const char *end = part ? part + p->keys.texts[key].len : NULL;
	struct mer_str out = { 0 };
	for (; part && part < end; part += period_part_size(part)) {
		uint64_t v;
		double real;
		memcpy(&v, part + 1, sizeof(v));
		memcpy(&real, part + 1, sizeof(real));
		mer_str_puts(&out, out.len ? ", " : "");
		switch (*part) {
		case 'h': mer_str_puts(&out, e->hosts[v].name); break;
		case 't': put_clean(&out, part + PART_HEAD, v); break;
		case 'r': mer_put_real(&out, real, false); break;
		case '-': mer_str_printf(&out, "%" PRId64, (int64_t)v); break;
		default: mer_str_printf(&out, "%" PRIu64, v);
		}
	}
	const char *text =
		part && !out.failed ? mer_arena_strdup(arena, out.data ? out.data : "") : NULL;
	mer_str_fini(&out);
	return text;
}
