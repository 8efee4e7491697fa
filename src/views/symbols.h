/* Symbols: names of addresses in the programs that were traced, by what LTTng-UST records of where
 * their binaries were loaded (lttng_ust_statedump, _dl, _lib), and by the build ids of the files
 * that are here.
 *
 *   bin_info, build_id, dlopen ... → binaries of each process ──┐
 *   addresses → tokens ─────────────── when all events are read ┼→ "main", "libc.so.6+0x8a0"
 *                   files of the same build id → functions ─────┘
 *
 * State dumps may come after the first addresses, and another library may be loaded where one was:
 * a token says how many had been there before. A file of another build is not used: wrong names
 * are worse than none. */
#ifndef MER_VIEWS_SYMBOLS_H
#define MER_VIEWS_SYMBOLS_H

#include "base/diag.h"
#include "base/str.h"

/* MAX_OF_PROCESS: an address is looked for in all binaries of its process. */
enum { VIEW_MAX_BUILD_ID = 64, VIEW_MAX_BINARIES = 1 << 20, VIEW_MAX_OF_PROCESS = 1 << 14 };

struct view_symbols;

struct view_symbols *view_symbols_new(void); /* NULL: no memory */
void view_symbols_free(struct view_symbols *);
/* From now on. More than a million binaries, or 16,384 of a process, are not kept. False: no
 * memory. */
bool view_symbols_load(struct view_symbols *s, int64_t process, uint64_t base, uint64_t size,
	const char *path, size_t path_len);
/* Of the binary that was loaded there last. */
void view_symbols_build_id(
	struct view_symbols *s, int64_t process, uint64_t base, const uint8_t *id, size_t n);
void view_symbols_unload(struct view_symbols *s, int64_t process, uint64_t base);
/* Changes whenever a token of the same address may. */
uint32_t view_symbols_epoch(const struct view_symbols *s);

/* What stands for the address in a text. */
void view_symbols_put(
	const struct view_symbols *s, int64_t process, uint64_t address, struct mer_str *out);
/* Has the text such? */
bool view_symbols_has(const char *text);
/* The text with names instead. False: no memory. */
bool view_symbols_name(struct view_symbols *s, const char *text, struct mer_str *out);
/* Why addresses have no names, as notes. */
void view_symbols_tell(const struct view_symbols *s, struct mer_diags *diags);

#endif
