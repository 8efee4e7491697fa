/* States that views find in the events of user space (and of the kernel, if a rule names them): of
 * each host its rows, the states in them, and which state of a thread was the innermost one when.
 *
 *   events of a host ──rules──→ rows ── states (begin, end, text, within which)
 *                                    └─ pieces: the innermost state of a thread, by time
 *                                    ── samples (values), marks, ends of arrows
 *
 * A state never spans a loss: where events of its trace may be missing it is closed, and says so.
 * Pieces of a thread do not overlap. All of it lies in the experiment's spill: it grows with the
 * number of states, the memory that is used for events that are read does not. */
#ifndef MER_VIEWS_STATES_H
#define MER_VIEWS_STATES_H

#include <stdatomic.h>

#include "base/map.h"
#include "base/pool.h"
#include "views/view.h"

enum { VIEW_NONE = UINT32_MAX, VIEW_MAX_FILES = 32 };

/* What of a state's ends was not seen; bits. */
enum view_how {
	VIEW_NO_BEGIN = 1, /* it was so when the recording began */
	VIEW_NO_END = 2,   /* it was so when the recording ended */
	VIEW_LOST = 4,	   /* one of its ends is where events were lost */
	VIEW_GONE = 8,	   /* its thread ended */
	VIEW_LEFT = 16	   /* one that it is within ended first */
};

struct view_state {
	int64_t begin, end; /* ns, common time line */
	int64_t own_ns;	    /* as the innermost one of its thread */
	uint32_t row, word; /* word: its text, in words */
	uint32_t lane;	    /* whose pieces are its own */
	uint32_t within;    /* the state around it, in its row or (XML) a level out; VIEW_NONE */
	uint16_t depth;	    /* 0: within none */
	uint8_t how;
	bool is_open;  /* while events are read */
	bool is_again; /* one around it, in its row or further out, has the same text */
	bool is_again_in_row;
	int32_t tid;	 /* of the event that began it; -1: not known */
	uint32_t colour; /* 0xrrggbb */
};

struct view_piece {
	int64_t begin, end;
	uint32_t state;
	uint32_t lane;
};

/* A thread in a view, or a row whose states are no thread's. */
struct view_lane {
	uint32_t view, row; /* row: VIEW_NONE: of a thread */
	int32_t tid;	    /* -1: of no thread */
	uint32_t first, n;  /* pieces: its own are one after the other, by time */
};

struct view_row_of {
	uint32_t view, row;    /* which declaration */
	uint32_t label, under; /* words; under: VIEW_NONE */
	uint32_t n_states;
	int32_t tid; /* of its first event */
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
	uint64_t key[2]; /* hash of its fields */
	uint32_t row, view, arrow, host;
	bool is_send;
};

struct view_link { /* an arrow */
	int64_t begin, end;
	uint32_t from_host, from_row, to_host, to_row;
	uint32_t view, arrow;
};

struct view_doubts {				  /* what did not fit */
	uint64_t n_unbegun;			  /* ends of states that had not begun */
	uint64_t n_unended;			  /* states that the end of one around them ended */
	uint64_t n_keyless;			  /* events without the fields of the key */
	uint64_t n_unnamed;			  /* without the fields of the text */
	uint64_t n_unlabelled;			  /* rows without the fields of their label */
	uint64_t n_deep;			  /* within more states than is allowed */
	uint64_t n_lost;			  /* states that a loss closed */
	uint64_t n_untaken;			  /* take: of what was never added */
	uint64_t n_replaced;			  /* add: of what still counted */
	uint64_t n_unsent, n_unreceived, n_again; /* ends of arrows without the other one */
};

struct view_count { /* of the events that a rule is for */
	uint64_t n;
	uint64_t n_left; /* without the fields that it needs */
};

struct view_host {
	const char *name;
	struct mer_arena arena;
	struct mer_intern words;
	struct view_row_of *rows;  /* malloc'ed */
	struct view_state *states; /* by begin; blocks of spill, all of these */
	struct view_piece *pieces;
	struct view_sample *samples; /* by time */
	struct view_mark *marks;
	struct view_end *ends;
	struct view_lane *lanes; /* malloc'ed */
	uint32_t n_rows, n_states, n_pieces, n_samples, n_marks, n_ends, n_lanes;
	struct mer_map lane_of;	   /* view << 32 | tid -> lane, plus 1 */
	int64_t begin, end;	   /* of the traces that have such events; MER_NO_TIME: none */
	uint64_t n_events;	   /* that fitted a rule */
	struct view_count *counts; /* by number of the rule; malloc'ed; NULL: nothing was read */
	struct view_doubts doubts;
	const struct view_states *of;
};

struct view_states {
	const struct view *const *views; /* borrowed */
	uint32_t n_views, n_hosts;
	struct view_host *hosts; /* as the experiment's */
	struct view_link *links; /* by begin; a block of spill */
	uint32_t n_links;
	struct view_doubts doubts; /* of all hosts, and arrows */
};

struct view_options {
	unsigned n_threads;
	struct mer_cancel *cancel;    /* NULL: none */
	_Atomic uint64_t *done_bytes; /* raised as events are read; NULL: not */
};

/* Reads the events that fit, after clock maps are applied. More than a million rows on a host, or
 * 2^32 states, are MER_ERR_LIMIT. view_states_free in any case. What did not fit, and rules whose
 * events were not recorded, are notes among the experiment's findings. */
int view_states_find(struct mer_experiment *e, const struct view *const *views, uint32_t n,
	const struct view_options *o, struct view_states **states, struct mer_err *err);
void view_states_free(struct view_states *); /* NULL is fine */

static inline const char *view_word(const struct view_host *h, uint32_t word)
{
	return word == VIEW_NONE ? NULL : mer_intern_text(&h->words, word);
}

/* The pieces of a thread that lie in [begin, end), of all views, where several have one the state
 * that began last: cut to it, in order. A place to go on from: questions in rising order are the
 * cheapest. */
struct view_walk {
	uint32_t lane[VIEW_MAX_FILES]; /* VIEW_NONE: none of that view */
	uint32_t at[VIEW_MAX_FILES];   /* the first piece that is not past */
	uint32_t n;
};
void view_walk_begin(struct view_walk *w, const struct view_host *h, int32_t tid);
/* The next stretch that begins at *begin: in state *state (VIEW_NONE: in none) until the time that
 * it returns, at most end. */
int64_t view_walk_next(struct view_walk *w, const struct view_host *h, int64_t begin, int64_t end,
	uint32_t *state);

#endif
