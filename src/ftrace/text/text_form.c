#include "ftrace/text/text_form.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ftrace/text/text_known.h"

enum {
	MAX_PIECES = 32,
	MAX_VALUES = 40,
	MAX_SHAPES = 16, /* of an event, besides its templates */
	MAX_EVENTS = 4096,
	MAX_TEXT = 1 << 14,
	MAX_RECORD = 60000,
	MAX_STEPS = 1 << 14, /* of matching a line with a template */
	HEAD = 8,	     /* common_type, common_flags, common_preempt_count, common_pid */
	N_ARGS = 6,
	MAX_LIST = 256 /* elements */
};

struct value {
	uint64_t number;
	struct ftrace_slice text;
	uint64_t args[N_ARGS];
};

struct piece {
	char kind;		  /* 0: literal text */
	struct ftrace_slice text; /* literal text, or the field's name */
	uint32_t value;
};

struct form {
	const struct ftrace_known *known;
	struct piece pieces[MAX_PIECES];
	uint32_t n_pieces;
	uint64_t shape; /* hash of its keys, if it has no template */
	struct ftrace_format *format;
};

struct event {
	const char *system, *name;
	struct form **forms; /* the known ones first */
	uint32_t n_forms, n_known;
	struct form *text; /* for lines that match no other form */
	bool is_known;
};

struct key {
	struct ftrace_slice name;
	char kind;
	uint16_t n; /* elements of a list */
};

struct ftrace_forms {
	struct mer_arena *arena;
	struct ftrace_formats *formats;
	struct mer_intern names;
	struct event **events; /* by number of the name */
	uint32_t n_events;
	struct event *other; /* for all names beyond MAX_EVENTS */
	struct value values[MAX_VALUES];
	struct key keys[MAX_VALUES];
	uint32_t n_keys;
	uint8_t *record;
	uint32_t n_steps;
	struct ftrace_form_counts counts;
};

struct ftrace_forms *ftrace_forms_new(struct mer_arena *a, struct ftrace_formats *formats)
{
	struct ftrace_forms *f = mer_arena_zalloc(a, 1, sizeof(*f));
	if (!f)
		return NULL;
	f->arena = a;
	f->formats = formats;
	mer_intern_init(&f->names, a);
	f->events = mer_arena_zalloc(a, MAX_EVENTS, sizeof(struct event *));
	f->record = mer_arena_zalloc(a, MAX_RECORD, 1);
	return a->failed ? NULL : f;
}

void ftrace_forms_free(struct ftrace_forms *f)
{
	if (f)
		mer_intern_fini(&f->names);
}

const struct ftrace_form_counts *ftrace_forms_counts(const struct ftrace_forms *f)
{
	return &f->counts;
}

/* ---- values ---- */

static const char *signed_number(const char *p, const char *end, uint64_t *value)
{
	bool is_negative = p < end && *p == '-';
	uint64_t v = 0;
	const char *begin = p += is_negative;
	for (; p < end && isdigit((unsigned char)*p); p++) {
		uint64_t digit = (uint64_t)(*p - '0');
		if (v > (UINT64_MAX - digit) / 10)
			return NULL;
		v = v * 10 + digit;
	}
	*value = is_negative ? 0 - v : v;
	return p > begin ? p : NULL;
}

static const char *hexadecimal(const char *p, const char *end, uint64_t *value, unsigned *digits)
{
	if (end - p > 2 && p[0] == '0' && p[1] == 'x')
		p += 2;
	*value = 0;
	for (*digits = 0; p < end && isxdigit((unsigned char)*p) && *digits < 17; p++, ++*digits) {
		int c = tolower((unsigned char)*p);
		*value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return *digits > 0 && *digits <= 16 ? p : NULL;
}

static bool begins(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);
	return (size_t)(end - p) >= n && memcmp(p, with, n) == 0;
}

/* By default the kernel prints pointers as 16 digits without 0x, hashed to 32 bits; user-space
 * tools print their real values. */
static bool is_hashed(const char *p, unsigned digits, uint64_t value)
{
	return digits == 16 && p[1] != 'x' && value && value <= UINT32_MAX;
}

static const char *pointer(struct ftrace_forms *f, const char *p, const char *end, uint64_t *value)
{
	static const char *const none[] = { "(____ptrval____)", "(null)", "(efault)", "(einval)" };
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (begins(p, end, none[i])) {
			f->counts.n_hashed += i == 0;
			*value = 0;
			return p + strlen(none[i]);
		}
	unsigned digits;
	const char *after = hexadecimal(p, end, value, &digits);
	if (after)
		f->counts.n_hashed += is_hashed(p, digits, *value);
	return after;
}

/* "S", "R+", "D|K". Source: the kernel's include/trace/events/sched.h, and plugin_sched_switch.c of
 * libtraceevent, which names the bits in the order of older kernels. */
static const char *state(const char *p, const char *end, bool is_kernel, uint64_t *value)
{
	static const char of_kernel[] = "SDTtXZPI", of_library[] = "SDTtZXxW";
	enum { PREEMPTED = 256, UNINTERRUPTIBLE = 2 };
	const char *begin = p, *own = is_kernel ? of_kernel : of_library;
	bool is_unknown = false;
	*value = 0;
	for (; p < end && (isalpha((unsigned char)*p) || *p == '|' || *p == '+'); p++) {
		const char *letters = strchr(own, *p) ? own : of_kernel;
		const char *at = strchr(letters, *p);
		if (at)
			*value |= UINT64_C(1) << (at - letters);
		else if (*p == '+')
			*value |= PREEMPTED;
		else if (*p != 'R' && *p != '|')
			is_unknown = true;
	}
	if (*value == 0 && is_unknown)
		*value = UNINTERRUPTIBLE;
	return p > begin ? p : NULL;
}

static const char *device(const char *p, const char *end, uint64_t *value)
{
	enum { MINOR_BITS = 20 };
	uint64_t minor = 0;
	p = signed_number(p, end, value);
	if (!p || p == end || *p != ',' || *value >= 1 << (32 - MINOR_BITS))
		return NULL;
	p = signed_number(p + 1, end, &minor);
	*value = *value << MINOR_BITS | (minor & ((1 << MINOR_BITS) - 1));
	return p;
}

/* "(ffffff9c, 555e4d37aae8, 241, 1b6, a, 1)" */
static const char *arguments(const char *p, const char *end, uint64_t args[N_ARGS])
{
	unsigned digits;
	for (unsigned i = 0; i < N_ARGS; i++) {
		const char *front = i ? ", " : "(";
		if (!begins(p, end, front))
			return NULL;
		p = hexadecimal(p + strlen(front), end, &args[i], &digits);
		if (!p)
			return NULL;
	}
	return p < end && *p == ')' ? p + 1 : NULL;
}

static const char *take_value(
	struct ftrace_forms *f, char kind, const char *p, const char *end, struct value *v)
{
	unsigned digits;
	switch (kind) {
	case 'i':
	case 'n':
		p = signed_number(p, end, &v->number);
		return p && (v->number <= UINT32_MAX || v->number >= UINT64_MAX - INT32_MAX) ? p
											     : NULL;
	case 'l':
	case 'u': return signed_number(p, end, &v->number);
	case 'x': return hexadecimal(p, end, &v->number, &digits);
	case 'p': return pointer(f, p, end, &v->number);
	case 'S':
	case 'K': return state(p, end, kind == 'S', &v->number);
	case 'D': return device(p, end, &v->number);
	case 'A': return arguments(p, end, v->args);
	case 'H':
		v->number = begins(p, end, "handled");
		return v->number		     ? p + strlen("handled")
		       : begins(p, end, "unhandled") ? p + strlen("unhandled")
						     : NULL;
	default: /* 'w' */
		v->text.at = p;
		while (p < end && *p != ' ')
			p++;
		v->text.len = (size_t)(p - v->text.at);
		return v->text.len ? p : NULL;
	}
}

/* ---- templates ---- */

/* Matches literal text, in which a blank stands for one or more. */
static const char *literal(const struct ftrace_slice *text, const char *p, const char *end)
{
	for (size_t i = 0; i < text->len; i++) {
		if (p == end || *p != text->at[i])
			return NULL;
		for (p++; text->at[i] == ' ' && p < end && *p == ' ';)
			p++;
	}
	return p;
}

static bool fits(
	struct ftrace_forms *f, const struct form *form, uint32_t i, const char *p, const char *end)
{
	if (i == form->n_pieces)
		return p == end;
	const struct piece *piece = &form->pieces[i];
	struct value *v = &f->values[piece->value];
	if (piece->kind == 0) {
		p = literal(&piece->text, p, end);
		return p && fits(f, form, i + 1, p, end);
	}
	if (piece->kind != 's' && piece->kind != '*') {
		p = take_value(f, piece->kind, p, end, v);
		return p && fits(f, form, i + 1, p, end);
	}
	/* A field of any characters ends where the rest of the template matches. */
	const char *q = i + 1 == form->n_pieces ? end : p;
	for (; q <= end && f->n_steps < MAX_STEPS; q++) {
		if (i + 1 < form->n_pieces) {
			q = q < end ? memchr(q, form->pieces[i + 1].text.at[0], (size_t)(end - q))
				    : NULL;
			if (!q)
				return false;
		}
		f->n_steps++;
		if (piece->kind == 's')
			v->text = (struct ftrace_slice){ p, (size_t)(q - p) };
		if (fits(f, form, i + 1, q, end))
			return true;
	}
	return false;
}

/* The template's pieces, and its fields as keys. */
static void compile(struct ftrace_forms *f, struct form *form)
{
	uint32_t n = 0;
	f->n_keys = 0;
	for (const char *p = form->known->text; *p;) {
		struct piece *piece = &form->pieces[n++];
		/* "<-" begins no field. */
		if (p[0] == '<' && p[1] != '-') {
			const char *name = p + (p[2] == ':' ? 3 : 2), *close = strchr(name, '>');
			piece->kind = p[1];
			piece->text = (struct ftrace_slice){ name, (size_t)(close - name) };
			p = close + 1;
			if (piece->kind == '*')
				continue;
			piece->value = f->n_keys;
			f->keys[f->n_keys++] = (struct key){ piece->text, piece->kind, N_ARGS };
			continue;
		}
		const char *from = p;
		do
			p++;
		while (*p && !(p[0] == '<' && p[1] != '-'));
		piece->text = (struct ftrace_slice){ from, (size_t)(p - from) };
	}
	form->n_pieces = n;
}

/* ---- formats ---- */

static void describe(struct ftrace_field *x, const struct key *key)
{
	x->element = 8;
	x->size = 8;
	switch (key->kind) {
	case 'i':
	case 'H':
		x->is_signed = true;
		/* fall through */
	case 'n':
	case 'D':
		x->element = 4;
		x->size = 4;
		break;
	case 'u': break;
	case 'l':
	case 'S':
	case 'K': x->is_signed = true; break;
	case 'x':
	case 'p': x->is_hex = true; break;
	case 'A':
	case 'B':
		x->kind = FTRACE_INTS;
		x->element = key->kind == 'A' ? 8 : 1;
		x->size = (uint32_t)x->element * key->n;
		x->is_hex = true;
		break;
	default:
		x->kind = FTRACE_TEXT;
		x->element = 1;
		x->size = 4;
		break;
	}
}

/* The format of an event with f->keys as its fields. */
static bool make_format(struct ftrace_forms *f, const struct event *e, struct form *form)
{
	struct mer_arena *a = f->arena;
	struct ftrace_format *x = mer_arena_zalloc(a, 1, sizeof(*x));
	if (!x)
		return false;
	*x = (struct ftrace_format){ .system = e->system,
		.name = e->name,
		.id = f->formats->n,
		.n_fields = f->n_keys,
		.least = HEAD,
		.flags_offset = 2,
		.preempt_offset = 3,
		.pid_offset = 4 };
	x->fields = mer_arena_zalloc(a, f->n_keys + 1u, sizeof(*x->fields));
	for (uint32_t i = 0; x->fields && i < f->n_keys; i++) {
		struct ftrace_field *field = &x->fields[i];
		field->name = mer_arena_strndup(a, f->keys[i].name.at, f->keys[i].name.len);
		field->offset = x->least;
		describe(field, &f->keys[i]);
		x->least += field->size;
	}
	form->format = x;
	return !a->failed && ftrace_formats_put(f->formats, a, x);
}

/* ---- events ---- */

static bool is(const struct ftrace_slice *p, const char *text)
{
	return strlen(text) == p->len && memcmp(p->at, text, p->len) == 0;
}

static const char *system_of(const struct ftrace_slice *name)
{
	for (uint32_t i = 0; i < ftrace_n_known_systems; i++)
		if (begins(name->at, name->at + name->len, ftrace_known_systems[i].prefix))
			return ftrace_known_systems[i].system;
	return "";
}

/* The kernel's text leaves out a probe's group: our probes are known by their names and fields. */
static bool is_own_probe(const struct ftrace_slice *name, const struct ftrace_slice *body)
{
	for (uint32_t i = 0; i < ftrace_n_known_probes; i++) {
		const struct ftrace_known_probe *probe = &ftrace_known_probes[i];
		size_t len = strlen(probe->field);
		for (const char *p = body->at, *end = p + body->len; p && is(name, probe->name);
			p = memchr(p, ' ', (size_t)(end - p))) {
			p += p < end && *p == ' ';
			if (begins(p, end, probe->field) && p + len < end && p[len] == '=')
				return true;
		}
	}
	return false;
}

/* The event's name for "sys_read(" and "sys_read ->" of text_line.c: "sys_enter_read",
 * "sys_exit_read". NULL: it is no system call, or no memory. */
static const char *name_of_call(struct ftrace_forms *f, const struct ftrace_slice *text)
{
	enum { FRONT = 4 }; /* sys_ */
	char last = text->at[text->len - 1];
	size_t behind = last == '(' ? 1 : 3;
	if ((last != '(' && last != '>') || text->len <= FRONT + behind)
		return NULL;
	return mer_arena_printf(f->arena, "sys_%s_%.*s", last == '(' ? "enter" : "exit",
		(int)(text->len - FRONT - behind), text->at + FRONT);
}

/* body: of its first line. */
static struct event *new_event(
	struct ftrace_forms *f, const struct ftrace_slice *text, const struct ftrace_slice *body)
{
	struct mer_arena *a = f->arena;
	struct event *e = mer_arena_zalloc(a, 1, sizeof(*e));
	const char *colon = memchr(text->at, ':', text->len);
	struct ftrace_slice name = *text;
	if (!e)
		return NULL;
	if (colon) {
		name.at = colon + 1;
		name.len -= (size_t)(name.at - text->at);
		e->system = mer_arena_strndup(a, text->at, (size_t)(colon - text->at));
	}
	e->name = name_of_call(f, text);
	if (e->name)
		e->system = "syscalls";
	else
		e->name = mer_arena_strndup(a, name.at, name.len);
	e->forms = mer_arena_zalloc(a, ftrace_n_known + MAX_SHAPES, sizeof(struct form *));
	for (uint32_t i = 0; e->forms && i < ftrace_n_known; i++) {
		const struct ftrace_known *k = &ftrace_known[i];
		if (!is(&name, k->name) || (e->system && strcmp(e->system, k->system) != 0))
			continue;
		struct form *form = mer_arena_zalloc(a, 1, sizeof(*form));
		if (!form)
			return NULL;
		form->known = k;
		compile(f, form);
		e->forms[e->n_forms++] = form;
	}
	e->n_known = e->n_forms;
	if (!e->system)
		e->system = e->n_known			? e->forms[0]->known->system
			    : is_own_probe(&name, body) ? "mer"
							: system_of(&name);
	/* What is written to trace_marker. */
	if (is(&name, "tracing_mark_write"))
		e->name = "print";
	return a->failed ? NULL : e;
}

static struct event *event_of(struct ftrace_forms *f, const struct ftrace_line *l)
{
	const struct ftrace_slice *name = &l->event;
	uint32_t id = mer_intern_find(&f->names, name->at, name->len);
	if (id != MER_INTERN_NONE)
		return f->events[id];
	if (f->n_events == MAX_EVENTS - 1) {
		static const char other[] = "ftrace:other";
		if (!f->other)
			f->other = new_event(
				f, &(struct ftrace_slice){ other, sizeof(other) - 1 }, &l->body);
		return f->other;
	}
	id = mer_intern_add(&f->names, name->at, name->len);
	if (id != f->n_events)
		return NULL;
	return f->events[f->n_events++] = new_event(f, name, &l->body);
}

/* ---- events without a template: key=value ---- */

static const char *key_end(const char *p, const char *end)
{
	const char *begin = p;
	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	return p > begin && p < end && *p == '=' && !isdigit((unsigned char)*begin) ? p : NULL;
}

/* The end of a value: at the next key, without the blanks and the comma before that. */
static const char *value_end(const char *p, const char *end, const char **next)
{
	if (p < end && *p == '"') {
		const char *quote = memchr(p + 1, '"', (size_t)(end - p - 1));
		if (quote && (quote + 1 == end || quote[1] == ' ')) {
			for (*next = quote + 1; *next < end && **next == ' ';)
				++*next;
			return quote + 1;
		}
	}
	for (const char *q = p; q < end; q++) {
		if (*q != ' ')
			continue;
		const char *last = q > p && q[-1] == ',' ? q - 1 : q;
		while (q + 1 < end && q[1] == ' ')
			q++;
		if (key_end(q + 1, end)) {
			*next = q + 1;
			return last;
		}
	}
	*next = end;
	return end;
}

/* Reads the next element of "{0x45,0x0,...}", as probes print arrays of bytes. p: after the brace,
 * or at the end of the element before. Returns its end; NULL: there is none. */
static const char *next_byte(const char *p, const char *end, uint8_t *byte)
{
	uint64_t value;
	unsigned digits;
	p += p < end && *p == ',';
	if (end - p < 3 || p[0] != '0' || p[1] != 'x')
		return NULL;
	p = hexadecimal(p, end, &value, &digits);
	*byte = (uint8_t)value;
	return p && value <= UINT8_MAX && p < end && (*p == ',' || *p == '}') ? p : NULL;
}

/* How many elements it has; 0: it is no such array. */
static uint16_t bytes_in(const char *p, const char *end)
{
	uint16_t n = 0;
	uint8_t byte;
	if (end - p < 5 || *p != '{' || end[-1] != '}')
		return 0;
	for (p++; p && p < end && *p != '}'; n++)
		p = n < MAX_LIST ? next_byte(p, end, &byte) : NULL;
	return p && p + 1 == end ? n : 0;
}

static char classify(struct ftrace_forms *f, const char *p, const char *end, struct value *v)
{
	unsigned digits;
	bool is_hex = end - p > 2 && p[0] == '0' && p[1] == 'x';
	if ((is_hex || end - p == 16) && hexadecimal(p, end, &v->number, &digits) == end) {
		f->counts.n_hashed += is_hashed(p, digits, v->number);
		return 'x';
	}
	if (begins(p, end, "(____ptrval____)") && pointer(f, p, end, &v->number) == end)
		return 'x';
	if (signed_number(p, end, &v->number) == end)
		return 'l';
	if (bytes_in(p, end)) {
		v->text = (struct ftrace_slice){ p, (size_t)(end - p) };
		return 'B';
	}
	if (end - p >= 2 && *p == '"' && end[-1] == '"') {
		p++;
		end--;
	}
	v->text = (struct ftrace_slice){ p, (size_t)(end - p) };
	return 's';
}

static bool add_key(
	struct ftrace_forms *f, struct ftrace_slice name, const char *p, const char *end)
{
	if (f->n_keys == MAX_VALUES)
		return false;
	for (uint32_t i = 0; i < f->n_keys; i++)
		if (f->keys[i].name.len == name.len &&
			memcmp(f->keys[i].name.at, name.at, name.len) == 0)
			return false;
	char kind = classify(f, p, end, &f->values[f->n_keys]);
	f->keys[f->n_keys] = (struct key){ name, kind, kind == 'B' ? bytes_in(p, end) : 0 };
	f->n_keys++;
	return true;
}

/* False: it is not keys and values. */
static bool split(struct ftrace_forms *f, const struct ftrace_slice *body)
{
	static const char ip[] = "probe_ip";
	const char *p = body->at, *end = p + body->len, *key, *next;
	f->n_keys = 0;
	/* Of probes: "(ip_output+0x0/0x120) skb=0x...". */
	if (p < end && *p == '(') {
		const char *close = memchr(p, ')', (size_t)(end - p));
		if (!close ||
			!add_key(f, (struct ftrace_slice){ ip, sizeof(ip) - 1 }, p + 1, close))
			return false;
		for (p = close + 1; p < end && *p == ' ';)
			p++;
		if (p == end)
			return true;
	}
	for (; p < end; p = next) {
		key = key_end(p, end);
		if (!key)
			return false;
		const char *last = value_end(key + 1, end, &next);
		if (!add_key(f, (struct ftrace_slice){ p, (size_t)(key - p) }, key + 1, last))
			return false;
	}
	return true;
}

static bool add_number(struct ftrace_forms *f, struct ftrace_slice name, uint64_t value)
{
	if (f->n_keys == MAX_VALUES)
		return false;
	f->values[f->n_keys].number = value;
	f->keys[f->n_keys++] = (struct key){ name, 'x', 0 };
	return true;
}

/* The text of a system call's own event: "dfd: 0xffffff9c, filename: 0x7ffe4a88e7e0, flags: 0x0"
 * (the kernel writes numbers without 0x, and may add the text that a pointer points to); or its
 * result, "0x3". False: it is neither. */
static bool split_call(struct ftrace_forms *f, const struct ftrace_slice *body)
{
	static const char ret[] = "ret";
	const char *p = body->at, *end = p + body->len;
	uint64_t value;
	unsigned digits;
	f->n_keys = 0;
	if (begins(p, end, "0x") && hexadecimal(p, end, &value, &digits) == end)
		return add_number(f, (struct ftrace_slice){ ret, sizeof(ret) - 1 }, value);
	while (p < end) {
		const char *key = p;
		while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
			p++;
		struct ftrace_slice name = { key, (size_t)(p - key) };
		if (p == key || !begins(p, end, ": "))
			return false;
		p = hexadecimal(p + 2, end, &value, &digits);
		if (!p || !add_number(f, name, value))
			return false;
		const char *quote = begins(p, end, " \"")
					    ? memmem(p + 2, (size_t)(end - p - 2), "\", ", 3)
					    : NULL;
		if (quote)
			p = quote + 1;
		else if (begins(p, end, " \"") && end[-1] == '"')
			p = end;
		if (p < end && !begins(p, end, ", "))
			return false;
		p += p < end ? 2 : 0;
	}
	return true;
}

static uint64_t shape_of(const struct ftrace_forms *f)
{
	uint64_t shape = f->n_keys;
	for (uint32_t i = 0; i < f->n_keys; i++) {
		const uint64_t of[] = { shape, mer_hash(f->keys[i].name.at, f->keys[i].name.len),
			(uint64_t)f->keys[i].kind, f->keys[i].n };
		shape = mer_hash(of, sizeof(of));
	}
	return shape;
}

static void all_as_text(struct ftrace_forms *f, const struct ftrace_slice *body)
{
	static const char text[] = "text";
	f->keys[0] = (struct key){ { text, sizeof(text) - 1 }, 's', 0 };
	f->values[0].text = *body;
	f->n_keys = 1;
}

/* The event's form with f->keys; NULL: no memory, or too many forms. */
static struct form *shape(struct ftrace_forms *f, struct event *e)
{
	uint64_t wanted = shape_of(f);
	for (uint32_t i = e->n_known; i < e->n_forms; i++)
		if (e->forms[i]->shape == wanted)
			return e->forms[i];
	if (e->n_forms - e->n_known == MAX_SHAPES)
		return NULL;
	struct form *form = mer_arena_zalloc(f->arena, 1, sizeof(*form));
	if (!form || !make_format(f, e, form))
		return NULL;
	form->shape = wanted;
	return e->forms[e->n_forms++] = form;
}

/* The form that matches the line, with its values in f->values; NULL: no memory. */
static struct form *form_of(
	struct ftrace_forms *f, struct event *e, const struct ftrace_slice *body)
{
	for (uint32_t i = 0; i < e->n_known; i++) {
		struct form *form = e->forms[i];
		f->n_steps = 0;
		if (!fits(f, form, 0, body->at, body->at + body->len))
			continue;
		if (!form->format) {
			compile(f, form);
			if (!make_format(f, e, form))
				return NULL;
		}
		return form;
	}
	if (strcmp(e->system, "syscalls") == 0 ? split_call(f, body) : split(f, body)) {
		struct form *form = shape(f, e);
		if (form || f->arena->failed)
			return form;
	}
	all_as_text(f, body);
	if (e->text)
		return e->text;
	e->text = mer_arena_zalloc(f->arena, 1, sizeof(*e->text));
	return e->text && make_format(f, e, e->text) ? e->text : NULL;
}

/* ---- records ---- */

static uint32_t put_text(
	struct ftrace_forms *f, const struct ftrace_field *x, struct ftrace_slice text, uint32_t at)
{
	uint32_t room = MAX_RECORD - at, most = room < MAX_TEXT ? room : MAX_TEXT;
	uint32_t len = text.len < most ? (uint32_t)text.len : most;
	f->counts.n_long += len < text.len;
	uint32_t place = len << 16 | at;
	memcpy(f->record + x->offset, &place, sizeof(place));
	if (len)
		memcpy(f->record + at, text.at, len);
	return at + len;
}

static void put_bytes(
	struct ftrace_forms *f, const struct ftrace_field *x, struct ftrace_slice text)
{
	const char *p = text.at + 1;
	for (uint32_t i = 0; i < x->size && p; i++)
		p = next_byte(p, text.at + text.len, &f->record[x->offset + i]);
}

bool ftrace_forms_look(struct ftrace_forms *f, const struct ftrace_line *l)
{
	struct event *e = event_of(f, l);
	if (e && e->is_known)
		return true;
	if (e)
		e->is_known = true;
	struct form *form = e ? form_of(f, e, &l->body) : NULL;
	return form != NULL;
}

bool ftrace_forms_record(
	struct ftrace_forms *f, const struct ftrace_line *l, const uint8_t **record, uint32_t *size)
{
	struct event *e = event_of(f, l);
	struct form *form = e ? form_of(f, e, &l->body) : NULL;
	if (!form)
		return false;
	const struct ftrace_format *format = form->format;
	uint16_t id = (uint16_t)format->id;
	memcpy(f->record, &id, sizeof(id));
	f->record[2] = l->flags;
	f->record[3] = l->preempt;
	memcpy(f->record + 4, &l->tid, sizeof(l->tid));
	uint32_t at = format->least;
	for (uint32_t i = 0; i < format->n_fields; i++) {
		const struct ftrace_field *x = &format->fields[i];
		const struct value *v = &f->values[i];
		if (x->kind == FTRACE_TEXT)
			at = put_text(f, x, v->text, at);
		else if (x->kind == FTRACE_INTS && x->element == 1)
			put_bytes(f, x, v->text);
		else if (x->kind == FTRACE_INTS)
			memcpy(f->record + x->offset, v->args, sizeof(v->args));
		else /* the low bytes; records have this machine's byte order */
			memcpy(f->record + x->offset,
				(const uint8_t *)&v->number +
					(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 8 - x->size : 0),
				x->size);
	}
	*record = f->record;
	*size = at;
	return true;
}
