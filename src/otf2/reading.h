/* What reading an archive knows, shared by the files that do it:
 *
 *   read.c          all of it, and what libotf2 says
 *   definitions.c   what events refer to
 *   hosts.c         which machine a location is on
 *   events.c        location by location, and definitions that only one has */
#ifndef MER_OTF2_READING_H
#define MER_OTF2_READING_H

#include <otf2/otf2.h>
#include "base/arena.h"
#include "base/map.h"
#include "otf2/copy.h"
#include "copied/notes.h"
#include "otf2/read.h"

enum { OTF2_REARM_EACH = 1 << 12 }; /* events: how often the clock of hangs is set */

struct otf2ctf_node { /* of the system tree */
	uint32_t name, class, parent;
	bool shares_memory;
	uint32_t host; /* its number, plus 1; 0: it is none so far */
};

struct otf2ctf_location {
	uint64_t id;
	uint64_t n_events; /* as it is said */
	uint32_t name, group;
	bool is_thread;
};

struct otf2ctf_reading {
	const char *folder;
	struct otf2ctf_progress *progress;
	struct mer_err *err;
	int rc; /* of what callbacks did */
	struct mer_arena arena;
	struct mer_str notes;
	OTF2_Reader *reader;
	struct otf2ctf_copy *copy;
	char *creator;
	/* Definitions; maps: reference -> place, of the last one with it. */
	struct mer_map strings, nodes, groups;
	const char **text;
	struct otf2ctf_node *node;
	uint32_t *group; /* of locations, a process: its node */
	struct otf2ctf_location *location;
	uint32_t n_text, cap_text, n_node, cap_node, n_group, cap_group, n_location, cap_location;
	bool has_clock;
	uint64_t ticks_per_s, first_tick;
	uint64_t base_tick, realtime; /* of the clock that is written: its tick 0, at that time */
	uint32_t n_hosts, nowhere;    /* nowhere: the host of what belongs to no node, plus 1 */
	/* Of the location that is read. An event is written when the next one is there: the last
	 * one before damage may be damaged, too. */
	uint32_t place;
	bool is_open, has_held, is_backwards;
	uint64_t last_tick;
	struct {
		enum copy_event what;
		uint64_t ticks, values[COPY_MAX_FIELDS];
	} held;
	/* What was left out, or changed. */
	uint64_t n_written, n_read, n_unknown, n_early, n_too_early, n_switched_off, n_others;
	/* What libotf2 said last, of the first thing that went wrong. */
	char said[400];
};

/* For a sentence that ends with it: what libotf2 said last. */
const char *otf2ctf_said(const struct otf2ctf_reading *r);
/* From here on a hang is counted anew. */
void otf2ctf_rearm(void);
/* What a callback returns: the first error is kept, and ends it. */
OTF2_CallbackCode otf2ctf_done(struct otf2ctf_reading *r, int rc);
/* "": there is none with this number. */
const char *otf2ctf_text(const struct otf2ctf_reading *r, uint32_t string);

/* All of these: 0 or an error. */
int otf2ctf_read_definitions(struct otf2ctf_reading *r);
int otf2ctf_read_events(
	struct otf2ctf_reading *r, const struct otf2ctf_limit *limits, size_t n_limits);
/* The host of a location, made when it is the first one there. */
int otf2ctf_host(struct otf2ctf_reading *r, const struct otf2ctf_location *l, uint32_t *host);
/* key: another number for each; name "": it is not known. */
int otf2ctf_new_host(struct otf2ctf_reading *r, const char *name, uint64_t key);
/* Of all locations; those that cannot be read are noted. */
void otf2ctf_read_local_definitions(struct otf2ctf_reading *r);

#endif
