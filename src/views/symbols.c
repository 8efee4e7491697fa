#include "views/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "base/plural.h"
#include "base/safe_text.h"
#include "views/elf.h"

/* A token: BEGIN, process ':' address ':' number of binaries that had been loaded there and
 * unloaded again, END. Texts from a trace never have these bytes, because they are made safe
 * before. */
enum { BEGIN = '\1', END = '\3' };

struct binary {
	int64_t process;
	uint64_t base, size;
	uint32_t path;	 /* in paths */
	uint32_t before; /* the process's previous binary, plus 1; 0: none */
	uint32_t nth;	 /* number of binaries of the process up to this one */
	uint32_t file;	 /* plus 1; 0: not looked for yet */
	uint8_t n_id;
	bool is_gone;
	uint8_t id[VIEW_MAX_BUILD_ID];
};

struct file {
	struct view_elf elf;
	uint32_t path;
	uint64_t n_unnamed; /* addresses without a name */
};

struct view_symbols {
	struct mer_arena arena;
	struct mer_intern paths;
	struct binary *binaries;
	size_t n, cap;
	struct mer_map last_of; /* process -> its last binary, plus 1 */
	struct mer_map at_base; /* hash of process and base -> the last one there, plus 1 */
	struct file *files;
	size_t n_files, cap_files;
	struct mer_map file_of; /* path and build id -> file, plus 1 */
	uint64_t n_unmapped;	/* addresses of no binary */
	uint64_t n_not_kept;	/* binaries beyond the limits */
	uint32_t epoch;
};

struct view_symbols *view_symbols_new(void)
{
	struct view_symbols *s = calloc(1, sizeof(*s));
	if (s) {
		mer_arena_init(&s->arena);
		mer_intern_init(&s->paths, &s->arena);
	}
	return s;
}

void view_symbols_free(struct view_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_files; i++)
		view_elf_fini(&s->files[i].elf);
	free(s->files);
	free(s->binaries);
	mer_map_fini(&s->last_of);
	mer_map_fini(&s->at_base);
	mer_map_fini(&s->file_of);
	mer_intern_fini(&s->paths);
	mer_arena_fini(&s->arena);
	free(s);
}

uint32_t view_symbols_epoch(const struct view_symbols *s)
{
	return s->epoch;
}

static uint32_t last_of(const struct view_symbols *s, int64_t process)
{
	const uint32_t *at = mer_map_get(&s->last_of, (uint64_t)process);
	return at ? *at : 0;
}

static uint64_t place_of(int64_t process, uint64_t base)
{
	const uint64_t parts[] = { (uint64_t)process, base };
	return mer_hash(parts, sizeof(parts));
}

/* The one that is loaded at this place; NULL: none. */
static struct binary *loaded_at(const struct view_symbols *s, int64_t process, uint64_t base)
{
	const uint32_t *at = mer_map_get(&s->at_base, place_of(process, base));
	struct binary *b = at && *at ? &s->binaries[*at - 1] : NULL;
	return b && b->process == process && b->base == base && !b->is_gone ? b : NULL;
}

bool view_symbols_load(struct view_symbols *s, int64_t process, uint64_t base, uint64_t size,
	const char *path, size_t path_len)
{
	struct mer_str clean = { 0 };
	mer_safe_add(&clean, path, path_len);
	uint32_t name =
		clean.failed ? MER_INTERN_NONE
			     : mer_intern_add(&s->paths, clean.data ? clean.data : "", clean.len);
	mer_str_fini(&clean);
	if (name == MER_INTERN_NONE)
		return false;
	struct binary *was = loaded_at(s, process, base);
	if (was && was->path == name && was->size == size)
		return true; /* a state dump repeats what is known */
	uint32_t before = last_of(s, process), nth = before ? s->binaries[before - 1].nth : 0;
	if (s->n == VIEW_MAX_BINARIES || nth == VIEW_MAX_OF_PROCESS) {
		s->n_not_kept++;
		return true;
	}
	if (!mer_grow(&s->binaries, s->n, &s->cap, sizeof(*s->binaries)))
		return false;
	uint32_t *last = mer_map_put(&s->last_of, (uint64_t)process);
	uint32_t *at = mer_map_put(&s->at_base, place_of(process, base));
	if (!last || !at)
		return false;
	view_symbols_unload(s, process, base);
	s->binaries[s->n++] = (struct binary){ .process = process,
		.base = base,
		.size = size,
		.path = name,
		.before = before,
		.nth = nth + 1 };
	*last = *at = (uint32_t)s->n;
	s->epoch++;
	return true;
}

void view_symbols_build_id(
	struct view_symbols *s, int64_t process, uint64_t base, const uint8_t *id, size_t n)
{
	struct binary *b = loaded_at(s, process, base);
	if (!b || !n || n > VIEW_MAX_BUILD_ID)
		return;
	memcpy(b->id, id, n);
	b->n_id = (uint8_t)n;
}

void view_symbols_unload(struct view_symbols *s, int64_t process, uint64_t base)
{
	struct binary *b = loaded_at(s, process, base);
	if (b) {
		b->is_gone = true;
		s->epoch++;
	}
}

/* ---- addresses ---- */

static bool holds(const struct binary *b, uint64_t address)
{
	return address >= b->base && address - b->base < b->size;
}

void view_symbols_put(
	const struct view_symbols *s, int64_t process, uint64_t address, struct mer_str *out)
{
	uint32_t n_gone = 0;
	for (uint32_t i = last_of(s, process); i; i = s->binaries[i - 1].before)
		n_gone += s->binaries[i - 1].is_gone && holds(&s->binaries[i - 1], address);
	mer_str_printf(out, "%c%" PRIx64 ":%" PRIx64 ":%" PRIx32 "%c", BEGIN, (uint64_t)process,
		address, n_gone, END);
}

bool view_symbols_has(const char *text)
{
	return strchr(text, BEGIN) != NULL;
}

/* ---- names ---- */

static struct file *file_of(struct view_symbols *s, struct binary *b)
{
	if (b->file)
		return &s->files[b->file - 1];
	uint64_t key = mer_hash(b->id, b->n_id) * 31 + b->path;
	uint32_t *at = mer_map_put(&s->file_of, key);
	if (!at)
		return NULL;
	if (!*at) {
		struct file *f =
			mer_grow_at(&s->files, &s->cap_files, s->n_files, sizeof(*s->files));
		if (!f)
			return NULL;
		*f = (struct file){ .path = b->path };
		view_elf_read(&f->elf, mer_intern_text(&s->paths, b->path), b->id, b->n_id);
		*at = (uint32_t)++s->n_files;
	}
	b->file = *at;
	return &s->files[*at - 1];
}

static bool put_name(struct view_symbols *s, struct binary *b, uint64_t offset, struct mer_str *out)
{
	struct file *f = file_of(s, b);
	if (!f)
		return false;
	const char *name =
		view_elf_find(&f->elf, f->elf.is_fixed ? b->base + offset : f->elf.first + offset);
	if (name) {
		mer_safe_add(out, name, strlen(name));
		return true;
	}
	const char *path = mer_intern_text(&s->paths, b->path), *slash = strrchr(path, '/');
	mer_str_printf(out, "%s+0x%" PRIx64, slash && slash[1] ? slash + 1 : path, offset);
	f->n_unnamed++;
	return true;
}

/* The binary that was loaded at the address after n_gone others; NULL: none. */
static struct binary *binary_at(
	const struct view_symbols *s, int64_t process, uint64_t address, uint64_t n_gone)
{
	uint64_t n = 0;
	for (uint32_t i = last_of(s, process); i; i = s->binaries[i - 1].before)
		n += holds(&s->binaries[i - 1], address);
	for (uint32_t i = last_of(s, process); i; i = s->binaries[i - 1].before)
		if (holds(&s->binaries[i - 1], address) && --n == n_gone)
			return &s->binaries[i - 1];
	return NULL;
}

static bool put_address(struct view_symbols *s, int64_t process, uint64_t address, uint64_t n_gone,
	struct mer_str *out)
{
	struct binary *b = binary_at(s, process, address, n_gone);
	if (b)
		return put_name(s, b, address - b->base, out);
	s->n_unmapped++;
	mer_str_printf(out, "0x%" PRIx64, address);
	return true;
}

bool view_symbols_name(struct view_symbols *s, const char *text, struct mer_str *out)
{
	while (*text) {
		size_t plain = strcspn(text, "\1");
		uint64_t part[3] = { 0 };
		char *at = NULL;
		mer_str_add(out, text, plain);
		text += plain;
		if (!*text)
			break;
		for (int i = 0; i < 3; i++) {
			part[i] = strtoull(text + 1, &at, 16);
			text = at;
		}
		text += *text == END;
		if (!put_address(s, (int64_t)part[0], part[1], part[2], out))
			return false;
	}
	return !out->failed;
}

void view_symbols_tell(const struct view_symbols *s, struct mer_diags *diags)
{
	enum { MOST = 5 };
	unsigned told = 0;
	for (size_t i = 0; i < s->n_files && told < MOST; i++) {
		const struct file *f = &s->files[i];
		if (!f->n_unnamed || !f->elf.reason)
			continue;
		told++;
		mer_diag_add(diags,
			&(struct mer_diag){ .severity = MER_NOTE, .code = "view-symbols" },
			"no names for addresses of %.200s: %s", mer_intern_text(&s->paths, f->path),
			f->elf.reason);
	}
	if (s->n_not_kept)
		mer_diag_add(diags,
			&(struct mer_diag){ .severity = MER_NOTE, .code = "view-symbols" },
			"%" PRIu64
			" %s not looked at for names: a process has more than %d, or all processes more than %d",
			s->n_not_kept, mer_plural(s->n_not_kept, "binary was", "binaries were"),
			VIEW_MAX_OF_PROCESS, VIEW_MAX_BINARIES);
	if (s->n_unmapped)
		mer_diag_add(diags,
			&(struct mer_diag){ .severity = MER_NOTE, .code = "view-symbols" },
			"%" PRIu64 " %s in no binary that was recorded: %s", s->n_unmapped,
			mer_plural(s->n_unmapped, "address lies", "addresses lie"),
			s->n ? "they may be of code made at run time"
			     : "record lttng_ust_statedump:*, lttng_ust_lib:* and the context vpid for names");
}
