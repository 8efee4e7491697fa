/* The state of reading an archive, shared by the files that do it:
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

enum { OTF2_REARM_EACH = 1 << 12 }; /* events after which the timer for hangs is set again */

struct otf2ctf_node { /* of the system tree */
	uint32_t name, class, parent;
	bool shares_memory;
	uint32_t host; /* its host's number, plus 1; 0: none yet */
};

struct otf2ctf_location {
	uint64_t id;
	uint64_t n_events; /* as the archive states it */
	uint32_t name, group;
	bool is_thread;
};

struct otf2ctf_reading {
	const char *folder;
	struct otf2ctf_progress *progress;
	struct mer_err *err;
	int rc; /* first error of a callback */
	struct mer_arena arena;
	struct mer_str notes;
	OTF2_Reader *reader;
	struct otf2ctf_copy *copy;
	char *creator;
	/* Definitions; maps: reference -> place, of the last one with it. */
	struct mer_map strings, nodes, groups;
	const char **text;
	struct otf2ctf_node *node;
	uint32_t *group; /* location groups (processes): the node of each */
	struct otf2ctf_location *location;
	uint32_t n_text, cap_text, n_node, cap_node, n_group, cap_group, n_location, cap_location;
	bool has_clock;
	uint64_t ticks_per_s, first_tick;
	uint64_t base_tick, realtime; /* of the written clock: the archive's tick that is its
					 tick 0, and the time of that */
	uint32_t n_hosts, nowhere;    /* nowhere: host of the locations without a node, plus 1 */
	/* The location being read. An event is written only when the next one has been read: the
	 * last one before damage may be damaged, too. */
	uint32_t place;
	bool is_open, has_held, is_backwards;
	uint64_t last_tick;
	struct {
		enum copy_event what;
		uint64_t ticks, values[COPY_MAX_FIELDS];
	} held;
	/* What was left out, or changed. */
	uint64_t n_written, n_read, n_unknown, n_early, n_too_early, n_switched_off, n_others;
	/* libotf2's message about the first error. */
	char said[400];
};

/* libotf2's message (said), to be appended to a sentence. */
const char *otf2ctf_said(const struct otf2ctf_reading *r);
/* Restarts the timer for hangs. */
void otf2ctf_rearm(void);
/* The return value of a callback; keeps the first error, which ends the reading. */
OTF2_CallbackCode otf2ctf_done(struct otf2ctf_reading *r, int rc);
/* The string with this number; "": there is none. */
const char *otf2ctf_text(const struct otf2ctf_reading *r, uint32_t string);

/* All of these: 0 or an error. */
int otf2ctf_read_definitions(struct otf2ctf_reading *r);
int otf2ctf_read_events(
	struct otf2ctf_reading *r, const struct otf2ctf_limit *limits, size_t n_limits);
/* The host of a location; created for its first location. */
int otf2ctf_host(struct otf2ctf_reading *r, const struct otf2ctf_location *l, uint32_t *host);
/* key: unique for each host; name "": not known. */
int otf2ctf_new_host(struct otf2ctf_reading *r, const char *name, uint64_t key);
/* Reads those of all locations; locations that cannot be read are noted. */
void otf2ctf_read_local_definitions(struct otf2ctf_reading *r);

#endif
