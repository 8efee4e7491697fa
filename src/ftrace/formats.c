#include "ftrace/formats.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 200, MAX_LINE = 1000, MAX_NAME = 200 };

/* A line, without its newline. */
struct line {
	const char *at;
	size_t len;
};

static bool next_line(const char **p, const char *end, struct line *l)
{
	if (*p >= end)
		return false;
	const char *nl = memchr(*p, '\n', (size_t)(end - *p));
	l->at = *p;
	l->len = (size_t)((nl ? nl : end) - *p);
	*p = nl ? nl + 1 : end;
	return true;
}

/* What follows the word, up to the next ';' or the line's end. NULL: the word is not in the
 * line. */
static const char *after(const struct line *l, const char *word, size_t *len)
{
	const char *p = memmem(l->at, l->len, word, strlen(word));
	if (!p)
		return NULL;
	p += strlen(word);
	size_t left = l->len - (size_t)(p - l->at);
	const char *semicolon = memchr(p, ';', left);
	*len = semicolon ? (size_t)(semicolon - p) : left;
	return p;
}

static uint32_t number_after(const struct line *l, const char *word, uint32_t otherwise)
{
	size_t len;
	char digits[16];
	const char *p = after(l, word, &len);
	if (!p || len == 0 || len >= sizeof(digits))
		return otherwise;
	memcpy(digits, p, len);
	digits[len] = '\0';
	char *end;
	long v = strtol(digits, &end, 0);
	return end == digits || v < 0 || v > 1 << 24 ? otherwise : (uint32_t)v;
}

static bool has_word(const char *type, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = type; (p = strstr(p, word)); p += n) {
		bool begins = p == type || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
		bool ends = !(isalnum((unsigned char)p[n]) || p[n] == '_');
		if (begins && ends)
			return true;
	}
	return false;
}

static bool is_char(const char *type)
{
	return has_word(type, "char") && !has_word(type, "unsigned") && !strchr(type, '*');
}

/* Bytes of one element of an array of this type; 0: unknown. */
static unsigned element_of(const char *type, unsigned long_bytes)
{
	static const struct {
		const char *word;
		uint8_t bytes;
	} types[] = { { "char", 1 }, { "u8", 1 }, { "s8", 1 }, { "__u8", 1 }, { "__s8", 1 },
		{ "uint8_t", 1 }, { "bool", 1 }, { "short", 2 }, { "u16", 2 }, { "s16", 2 },
		{ "__u16", 2 }, { "__be16", 2 }, { "uint16_t", 2 }, { "u32", 4 }, { "s32", 4 },
		{ "__u32", 4 }, { "__be32", 4 }, { "uint32_t", 4 }, { "u64", 8 }, { "s64", 8 },
		{ "__u64", 8 }, { "uint64_t", 8 }, { "size_t", 0 }, { "dma_addr_t", 8 } };
	if (strchr(type, '*'))
		return long_bytes;
	if (strstr(type, "long long"))
		return 8;
	if (has_word(type, "long"))
		return long_bytes;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (has_word(type, types[i].word))
			return types[i].bytes ? types[i].bytes : long_bytes;
	return has_word(type, "int") || has_word(type, "unsigned") ? 4 : 0;
}

static bool is_integer(unsigned bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* Splits "unsigned long args[6]" into type, name, and the text in brackets (NULL: none). */
static bool split(char *decl, const char **type, const char **name, const char **count)
{
	size_t len = strlen(decl);
	*count = NULL;
	while (len && isspace((unsigned char)decl[len - 1]))
		decl[--len] = '\0';
	if (len && decl[len - 1] == ']') {
		char *open = strrchr(decl, '[');
		if (!open)
			return false;
		decl[len - 1] = '\0';
		*open = '\0';
		*count = open + 1;
		len = (size_t)(open - decl);
	}
	while (len && (isalnum((unsigned char)decl[len - 1]) || decl[len - 1] == '_'))
		len--;
	if (len == 0 || decl[len] == '\0')
		return false;
	*name = decl + len;
	/* The type ends before the name; if no blank is between them, the name stays whole. */
	while (len && isspace((unsigned char)decl[len - 1]))
		len--;
	if (decl + len < *name)
		decl[len] = '\0';
	*type = decl;
	return true;
}

/* Sets what follows from the declaration and the size. False: the field cannot be shown. */
static bool describe(struct ftrace_field *f, const char *type, const char *count, bool is_signed,
	unsigned long_bytes)
{
	unsigned element = element_of(type, long_bytes);
	f->is_signed = is_signed;
	f->is_hex = strchr(type, '*') || has_word(type, "unsigned long");
	f->is_relative = strncmp(type, "__rel_loc", 9) == 0;
	if (f->is_relative || strncmp(type, "__data_loc", 10) == 0) {
		f->kind = is_char(type) ? FTRACE_TEXT : FTRACE_LIST;
		f->element = (uint8_t)(is_integer(element) ? element : 1);
		return f->size == 4;
	}
	if (count && f->size == 0) {
		f->kind = is_char(type) ? FTRACE_TEXT_TO_END : FTRACE_LIST_TO_END;
		f->element = (uint8_t)element;
		return is_char(type) || is_integer(element);
	}
	if (count && is_char(type)) {
		f->kind = FTRACE_CHARS;
		return true;
	}
	if (count || !is_integer(f->size)) {
		f->kind = FTRACE_INTS;
		f->element = (uint8_t)(is_integer(element) && f->size % element == 0 ? element : 1);
		return f->size > 0;
	}
	f->kind = FTRACE_INT;
	f->element = (uint8_t)f->size;
	return true;
}

/* One line "field:..."; false: memory is out. */
static bool add_field(struct ftrace_format *f, struct mer_arena *a, const struct line *l,
	struct ftrace_field *fields, unsigned long_bytes)
{
	char decl[MAX_LINE];
	const char *type, *name, *count, *p;
	size_t len;
	struct ftrace_field x = { .offset = number_after(l, "offset:", UINT32_MAX),
		.size = number_after(l, "size:", UINT32_MAX) };
	p = after(l, "field:", &len);
	if (!p || len >= sizeof(decl) || x.offset > UINT16_MAX || x.size > UINT16_MAX)
		return true;
	memcpy(decl, p, len);
	decl[len] = '\0';
	/* Text locations name the element's type with brackets of its own. */
	char *brackets = strstr(decl, "[] ");
	if (brackets &&
		(strncmp(decl, "__data_loc", 10) == 0 || strncmp(decl, "__rel_loc", 9) == 0))
		memmove(brackets, brackets + 2, strlen(brackets + 2) + 1);
	if (!split(decl, &type, &name, &count) || strlen(name) > MAX_NAME)
		return true;
	/* In kernel_stack and user_stack: declared with 8 elements, but as long as the stack is
	 * deep. */
	if (strcmp(name, "caller") == 0 && count && x.size >= long_bytes)
		x.size = 0;
	if (x.offset + x.size > f->least)
		f->least = x.offset + x.size;
	if (strncmp(name, "common_", 7) == 0) {
		if (strcmp(name, "common_pid") == 0 && x.size == 4)
			f->pid_offset = x.offset;
		if (strcmp(name, "common_flags") == 0 && x.size == 1)
			f->flags_offset = x.offset;
		if (strcmp(name, "common_preempt_count") == 0 && x.size == 1)
			f->preempt_offset = x.offset;
		return true;
	}
	/* The same name twice: the format is damaged. */
	for (uint32_t i = 0; i < f->n_fields; i++)
		if (strcmp(fields[i].name, name) == 0)
			return true;
	if (f->n_fields == MAX_FIELDS || isdigit((unsigned char)*name) ||
		!describe(&x, type, count, number_after(l, "signed:", 0) != 0, long_bytes))
		return true;
	x.name = mer_arena_strdup(a, name);
	fields[f->n_fields++] = x;
	return x.name != NULL;
}

/* The name of an event or system; unusual characters become '_'. */
static const char *name_of(struct mer_arena *a, const char *text, size_t len)
{
	char *name = mer_arena_strndup(a, text, len);
	for (char *p = name; p && *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_-.", *p))
			*p = '_';
	return name;
}

static bool make_room(struct ftrace_formats *f, struct mer_arena *a)
{
	if (!f->by_id)
		f->by_id = mer_arena_zalloc(a, FTRACE_MAX_IDS, sizeof(struct ftrace_format *));
	if (f->n == f->cap) {
		uint32_t cap = f->cap ? 2 * f->cap : 256;
		struct ftrace_format **list =
			mer_arena_zalloc(a, cap, sizeof(struct ftrace_format *));
		if (!list)
			return false;
		if (f->n)
			memcpy(list, f->list, f->n * sizeof(*list));
		f->list = list;
		f->cap = cap;
	}
	return f->by_id != NULL;
}

bool ftrace_formats_add(struct ftrace_formats *f, struct mer_arena *a, const char *system,
	const char *text, size_t len, unsigned long_bytes)
{
	struct ftrace_field fields[MAX_FIELDS];
	struct ftrace_format x = { .id = FTRACE_MAX_IDS };
	struct line l;
	const char *p = text, *end = text + len;
	if (!make_room(f, a))
		return false;
	while (next_line(&p, end, &l)) {
		if (l.len > 6 && memcmp(l.at, "name: ", 6) == 0 && l.len < MAX_NAME && !x.name) {
			x.name = name_of(a, l.at + 6, l.len - 6);
			if (!x.name)
				return false;
		} else if (l.len > 3 && memcmp(l.at, "ID:", 3) == 0) {
			x.id = number_after(&l, "ID: ", FTRACE_MAX_IDS);
		} else if (memmem(l.at, l.len, "field:", 6)) {
			if (!add_field(&x, a, &l, fields, long_bytes))
				return false;
		} else if (l.len >= 9 && memcmp(l.at, "print fmt", 9) == 0) {
			break;
		}
	}
	if (!x.name || x.id >= FTRACE_MAX_IDS || f->by_id[x.id] || f->n == FTRACE_MAX_IDS)
		return true;
	struct ftrace_format *new = mer_arena_zalloc(a, 1, sizeof(*new));
	x.fields = mer_arena_zalloc(a, x.n_fields + 1u, sizeof(*x.fields));
	x.system = name_of(a, system, strnlen(system, MAX_NAME));
	if (!new || !x.fields || !x.system)
		return false;
	memcpy(x.fields, fields, x.n_fields * sizeof(*fields));
	*new = x;
	f->by_id[x.id] = new;
	f->list[f->n++] = new;
	return true;
}

bool ftrace_formats_put(struct ftrace_formats *f, struct mer_arena *a, struct ftrace_format *format)
{
	if (!make_room(f, a) || format->id >= FTRACE_MAX_IDS || f->n == FTRACE_MAX_IDS)
		return false;
	f->by_id[format->id] = format;
	f->list[f->n++] = format;
	return true;
}

struct ftrace_page_layout ftrace_page_layout(const char *header_page, size_t len)
{
	struct ftrace_page_layout layout = { .data_offset = 16, .commit_bytes = 8 };
	struct line l;
	for (const char *p = header_page, *end = p + len; next_line(&p, end, &l);) {
		if (memmem(l.at, l.len, " commit;", 8)) {
			uint32_t size = number_after(&l, "size:", 8);
			layout.commit_bytes = size == 4 ? 4 : 8;
		} else if (memmem(l.at, l.len, " data;", 6)) {
			uint32_t offset = number_after(&l, "offset:", 16);
			if (offset >= 12 && offset <= 64)
				layout.data_offset = offset;
		}
	}
	return layout;
}

uint32_t ftrace_page_bytes(const char *header_page, size_t len)
{
	struct line l;
	for (const char *p = header_page, *end = p + len; next_line(&p, end, &l);) {
		uint32_t bytes = number_after(&l, "offset:", 0) + number_after(&l, "size:", 0);
		if (memmem(l.at, l.len, " data;", 6) && bytes >= 256 && !(bytes & (bytes - 1)))
			return bytes;
	}
	return 4096;
}
