/* Symbols: names for addresses in traced programs. LTTng-UST records where binaries were loaded
 * (lttng_ust_statedump, _dl, _lib); names come from local files with the same build ID.
 *
 *   bin_info, build_id, dlopen ... → binaries of each process ──┐
 *   addresses → tokens ─────────────── when all events are read ┼→ "main", "libc.so.6+0x8a0"
 *                   files of the same build id → functions ─────┘
 *
 * State dumps may come after the first addresses, and a library may be loaded where another one
 * was before, so a token includes how many binaries had been loaded there before. A file with
 * another build ID is not used: wrong names are worse than none. */
#ifndef MER_VIEWS_SYMBOLS_H
#define MER_VIEWS_SYMBOLS_H

#include "base/diag.h"
#include "base/str.h"

/* MAX_OF_PROCESS: limited because an address is searched in all binaries of its process. */
enum { VIEW_MAX_BUILD_ID = 64, VIEW_MAX_BINARIES = 1 << 20, VIEW_MAX_OF_PROCESS = 1 << 14 };

struct view_symbols;

struct view_symbols *view_symbols_new(void); /* NULL: no memory */
void view_symbols_free(struct view_symbols *);
/* The binary is loaded from now on. More than a million binaries, or 16,384 in one process, are
 * ignored. False: no memory. */
bool view_symbols_load(struct view_symbols *s, int64_t process, uint64_t base, uint64_t size,
	const char *path, size_t path_len);
/* Build ID of the binary that was loaded there last. */
void view_symbols_build_id(
	struct view_symbols *s, int64_t process, uint64_t base, const uint8_t *id, size_t n);
void view_symbols_unload(struct view_symbols *s, int64_t process, uint64_t base);
/* Changes whenever the token of an address may change. */
uint32_t view_symbols_epoch(const struct view_symbols *s);

/* Appends the token that stands for the address in a text. */
void view_symbols_put(
	const struct view_symbols *s, int64_t process, uint64_t address, struct mer_str *out);
/* Does the text contain tokens? */
bool view_symbols_has(const char *text);
/* Appends the text with tokens replaced by names. False: no memory. */
bool view_symbols_name(struct view_symbols *s, const char *text, struct mer_str *out);
/* Adds notes that say why addresses have no names. */
void view_symbols_tell(const struct view_symbols *s, struct mer_diags *diags);

#endif
