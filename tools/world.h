/* Worlds: hosts with known clocks that send each other messages over a known network.
 *
 *   world_random.h    numbers
 *   world_clock.h     a host's clock, exactly
 *   world_network.h   messages, in true time
 *   world.h           options, the worlds that have a name, all of a world in memory
 *   world_score.h     how good an answer is
 *
 * What synchronization is measured with: bench/sync_accuracy.c and tests use worlds in memory,
 * tools/clockworld writes them as traces. A seed and the options tell everything. */
#ifndef WORLD_H
#define WORLD_H

#include "sync/messages.h"
#include "world_clock.h"
#include "world_network.h"

struct world_options {
	uint32_t n_hosts;
	enum world_topology topology;
	double degree; /* WORLD_RANDOM */
	/* Of all hosts: what is drawn for a host comes on top of start_ns and ppm; glitches are
	 * host 1's alone. */
	struct world_clock_options clock;
	/* Host 0: its clock is true time; host 1 has +ppm; the others between -ppm and +ppm. Else
	 * host 0 has a clock like the others. */
	bool first_is_true;
	double ppm;
	int64_t epoch_ns;  /* what a right clock shows at true time 0: ns since 1970 */
	int64_t spread_ns; /* clocks are wrong by up to this: host 1 by all of it */
	struct world_link_options link;
	int64_t asymmetry_ns; /* links from a higher host to a lower one have a floor less this */
	bool one_way;	      /* only from lower to higher hosts */
	int64_t duration_ns;
	double wrong; /* part of the messages that are matched wrongly; in memory only */
	uint64_t seed;
};

/* Two hosts, 10 minutes, first_is_true, straight clocks of 20 ppm, 1 s apart. */
struct world_options world_defaults(void);

struct world_preset {
	const char *name, *help;
	void (*change)(struct world_options *o);
};
extern const struct world_preset world_presets[]; /* the last one's name is NULL */
/* MER_ERR_USAGE: there is none of this name; the text lists those that are. */
int world_preset(const char *name, struct world_options *o, struct mer_err *err);

struct world_link {
	uint32_t from, to;
	struct world_message *messages;
	size_t n;
};

struct world {
	struct world_options options;
	struct world_clock *clocks; /* one for each host */
	struct world_link *links;   /* both directions of an edge follow each other */
	size_t n_links;
};

/* The caller frees w in any case. */
int world_make(struct world *w, const struct world_options *o, struct mer_err *err);
void world_free(struct world *w);

/* What a perfect matching of the traces would find (but for options.wrong), finished. The caller
 * frees m in any case. */
int world_to_messages(const struct world *w, struct sync_messages *m, struct mer_err *err);
/* The truth: what host `to`'s clock shows when host `from`'s clock shows this. */
int64_t world_translate(const struct world *w, uint32_t from, uint32_t to, int64_t clock_ns);

#endif
