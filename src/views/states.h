/* States that views find in events of user space (and of the kernel, if a rule names them). For
 * each host: its rows, the states in them, and which state of a thread was the innermost one at
 * each time.
 *
 *   events of a host ──rules──→ rows ── states (begin, end, text, within which)
 *                                    └─ pieces: the innermost state of a thread, by time
 *                                    ── samples (values), marks, ends of arrows
 *
 * A state never spans a loss: it is closed and marked where events of its trace may be missing.
 * Pieces of a thread do not overlap. Everything is stored in the experiment's spill, which grows
 * with the number of states; memory for reading events does not grow. */
#ifndef MER_VIEWS_STATES_H
#define MER_VIEWS_STATES_H

#include <stdatomic.h>

#include "base/map.h"
#include "base/pool.h"
#include "views/view.h"

enum { VIEW_NONE = UINT32_MAX, VIEW_MAX_FILES = 32 };

/* Which ends of a state were not seen, and why; bits. */
enum view_how {
	VIEW_NO_BEGIN = 1, /* it had begun before the recording */
	VIEW_NO_END = 2,   /* it had not ended when the recording did */
	VIEW_LOST = 4,	   /* events were lost at one of its ends */
	VIEW_GONE = 8,	   /* its thread ended */
	VIEW_LEFT = 16	   /* an enclosing state ended first */
};

struct view_state {
	int64_t begin, end; /* ns, common time line */
	int64_t own_ns;	    /* time when it was the innermost state of its thread */
	uint32_t row, word; /* word: its text, in words */
	uint32_t lane;	    /* lane that its pieces belong to */
	/* the enclosing state, in its row or (XML) one level further out; VIEW_NONE */
	uint32_t within;
	uint16_t depth; /* 0: not nested */
	uint8_t how;
	bool is_open; /* only while events are read */
	/* an enclosing state, in its row or further out, has the same text */
	bool is_again;
	bool is_again_in_row;
	int32_t tid;	 /* thread of the event that began it; -1: not known */
	uint32_t colour; /* 0xrrggbb */
};

struct view_piece {
	int64_t begin, end;
	uint32_t state;
	uint32_t lane;
};

/* A thread in a view, or a row whose states belong to no thread. */
struct view_lane {
	uint32_t view, row; /* row: VIEW_NONE for a thread */
	int32_t tid;	    /* -1: no thread */
	/* index of its first piece, and their number; they are consecutive and sorted by time */
	uint32_t first, n;
};

struct view_row_of {
	uint32_t view, row;    /* row: index of the declaration */
	uint32_t label, under; /* words; under may be VIEW_NONE */
	uint32_t n_states;
	int32_t tid; /* thread of its first event */
};

struct view_sample {
	int64_t time, value;
	uint32_t row;
};

struct view_mark {
	int64_t time;
	uint32_t row, word;
	int32_t tid;
};

/* An event that an arrow begins or ends at. */
struct view_end {
	int64_t time;
	uint64_t key[2]; /* hash of the key's fields */
	uint32_t row, view, arrow, host;
	bool is_send;
};

struct view_link { /* an arrow */
	int64_t begin, end;
	uint32_t from_host, from_row, to_host, to_row;
	uint32_t view, arrow;
};

struct view_doubts { /* what did not match up */
	/* end events without an open state, unless they make one with VIEW_NO_BEGIN */
	uint64_t n_unbegun;
	uint64_t n_unended;    /* states closed by the end of an enclosing one */
	uint64_t n_keyless;    /* events without the fields of the key */
	uint64_t n_unnamed;    /* events without the fields of the text or amount */
	uint64_t n_unlabelled; /* rows without the fields of their label */
	uint64_t n_deep;       /* states nested too deeply */
	uint64_t n_lost;       /* states closed by a loss */
	uint64_t n_untaken;    /* take: nothing had been added */
	uint64_t n_replaced;   /* add: the previous amount had not been taken */
	/* n_unsent, n_unreceived: arrows with one end only. n_again: ends that were left out
	 * because they cannot be told apart: a repeated key of an arrow that is not ordered, or, of
	 * an ordered one, after a loss */
	uint64_t n_unsent, n_unreceived, n_again;
};

struct view_count { /* events of one rule */
	uint64_t n;
	uint64_t n_left; /* events without the fields that the rule needs */
};

struct view_host {
	const char *name;
	struct mer_arena arena;
	struct mer_intern words;
	struct view_row_of *rows;  /* malloc'ed */
	struct view_state *states; /* as they were found; blocks of spill, as below */
	struct view_piece *pieces;
	struct view_sample *samples; /* by time */
	struct view_mark *marks;
	struct view_end *ends;
	struct view_lane *lanes; /* malloc'ed */
	uint32_t n_rows, n_states, n_pieces, n_samples, n_marks, n_ends, n_lanes;
	struct mer_map lane_of; /* view << 32 | tid -> lane, plus 1 */
	/* extent of the traces that have such events; MER_NO_TIME: none */
	int64_t begin, end;
	uint64_t n_events; /* events that matched a rule */
	/* by number of the rule; malloc'ed; NULL: nothing was read */
	struct view_count *counts;
	struct view_doubts doubts;
	const struct view_states *of;
};

struct view_states {
	const struct view *const *views; /* borrowed */
	uint32_t n_views, n_hosts;
	struct view_host *hosts; /* same order as the experiment's hosts */
	struct view_link *links; /* by begin; a block of spill */
	uint32_t n_links;
	struct view_doubts doubts; /* sums over all hosts, and arrows */
};

struct view_options {
	unsigned n_threads;
	struct mer_cancel *cancel; /* NULL: none */
	/* increased while events are read; NULL: not needed */
	_Atomic uint64_t *done_bytes;
};

/* Reads the events that match; call it after clock maps are applied. More than a million rows on
 * a host, or 2^32 states, are MER_ERR_LIMIT. Call view_states_free whatever the result. What did
 * not match up, and rules whose events were not recorded, are added as notes to the experiment's
 * findings. */
int view_states_find(struct mer_experiment *e, const struct view *const *views, uint32_t n,
	const struct view_options *o, struct view_states **states, struct mer_err *err);
void view_states_free(struct view_states *); /* NULL is fine */

static inline const char *view_word(const struct view_host *h, uint32_t word)
{
	return word == VIEW_NONE ? NULL : mer_intern_text(&h->words, word);
}

/* The pieces of a thread in [begin, end), over all views, in order and without overlap: where
 * several views have a state, the one that began last. It remembers its position, so calls with
 * rising times are the cheapest. */
struct view_walk {
	uint32_t lane[VIEW_MAX_FILES]; /* VIEW_NONE: none in that view */
	/* the first piece that does not end before the current time */
	uint32_t at[VIEW_MAX_FILES];
	uint32_t n;
};
void view_walk_begin(struct view_walk *w, const struct view_host *h, int32_t tid);
/* The next stretch, which begins at *begin: it is in *state (VIEW_NONE: in no state) until the
 * returned time, at most end. */
int64_t view_walk_next(struct view_walk *w, const struct view_host *h, int64_t begin, int64_t end,
	uint32_t *state);

#endif
