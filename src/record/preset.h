/* Presets: which events to record for a purpose, as data (src/record/presets).
 *
 *   about TEXT                                   one line on the purpose
 *   channel kernel|user NAME N_SUBBUFS SIZEK     buffers, for each CPU
 *   title TEXT                                   of the lines below, a comment of --dry-run
 *   kernel|user|ftrace EVENT... [if kernel|lttng >=|< VERSION]
 *   syscalls                                     all system calls
 *   context NAME...                              of events of user space
 *   optional kernel                              without privileges, events of user space alone
 *   next ARGUMENTS : TEXT                        what to type next; {dir}, {comm} are filled in;
 *                                                with {packets} only if packet headers are recorded
 *
 * EVENT? may be missing on a host without a warning; of A|B those that exist are recorded, with a
 * warning if none does. A line with {comm} is for recordings of a command. Every name is checked
 * (record/words.h), so it is safe in a shell command line. */
#ifndef MER_RECORD_PRESET_H
#define MER_RECORD_PRESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"

enum {
	RECORD_PRESET_BYTES = 64 << 10,
	RECORD_PRESET_RULES = 400,
	RECORD_PRESET_EVENTS = 200, /* events per line */
	RECORD_PRESET_NEXT = 12
};

enum record_domain { RECORD_KERNEL, RECORD_USER, RECORD_FTRACE, RECORD_N_DOMAINS };
const char *record_domain_name(enum record_domain d); /* "kernel" */

struct record_event {
	const char *name;
	bool is_optional;
	bool is_alternative; /* alternative to the event before it */
};

struct record_version {
	uint32_t part[2]; /* 6.1 is 6, 1; both 0: unknown, taken as the newest */
};

struct record_condition {
	enum { RECORD_ALWAYS, RECORD_IF_KERNEL, RECORD_IF_LTTNG } of;
	bool is_below; /* < instead of >= */
	struct record_version version;
};

struct record_rule {
	enum { RECORD_TITLE, RECORD_EVENTS, RECORD_SYSCALLS } kind;
	enum record_domain domain;
	const char *title;
	struct record_event *events;
	size_t n_events;
	struct record_condition condition;
};

struct record_channel {
	const char *name; /* NULL: none */
	uint64_t n_subbufs, subbuf_kib;
};

struct record_preset {
	const char *about;
	bool kernel_is_optional;
	struct record_channel channels[RECORD_FTRACE]; /* of kernel and user */
	struct record_rule *rules;
	size_t n_rules;
	const char **contexts;
	size_t n_contexts;
	struct record_next {
		const char *arguments, *what;
	} next[RECORD_PRESET_NEXT];
	size_t n_next;
};

/* path is for messages: "PATH:LINE: ...". All data is in the arena. */
int record_preset_parse(struct record_preset *p, const char *text, size_t len, const char *path,
	struct mer_arena *arena, struct mer_err *err);
/* Merges b into a: events that a does not have yet, the larger buffers, and the suggestions of
 * both. */
int record_preset_join(struct record_preset *a, const struct record_preset *b,
	struct mer_arena *arena, struct mer_err *err);
bool record_preset_has(const struct record_preset *p, enum record_domain d);
bool record_condition_holds(const struct record_condition *c, struct record_version kernel,
	struct record_version lttng);
/* "6.1.0-31-amd64" -> 6.1; {0} when there is no number. */
struct record_version record_version_of(const char *text);

/* The built-in presets: the i-th name, NULL after the last one; and its text. */
const char *record_preset_name(size_t i);
const char *record_preset_text(const char *name, size_t *len);

#endif
