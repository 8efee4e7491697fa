/* Query: the body of a request of the Trace Server Protocol, whoever wrote it, as a struct.
 *
 * Bodies are {"parameters": {...}}, of some clients the parameters alone, or empty. What is missing
 * is not set; what is there and has another type or no sense is a mistake that says so; members
 * that nobody here knows are not looked at. */
#ifndef MER_SERVER_TSP_QUERY_H
#define MER_SERVER_TSP_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"

enum {
	TSP_MAX_ITEMS = 100000,
	TSP_MAX_TIMES = 16384,	/* of a picture; more are not answered */
	TSP_MAX_LINES = 5000,	/* of a table, at once */
	TSP_MAX_SEARCHES = 16,	/* columns that are searched */
	TSP_MAX_PATTERN = 1000, /* bytes of what is searched for */
	TSP_MAX_FILTERS = 16,	/* expressions of one kind */
};

struct tsp_search { /* a column, and the regular expression that it is to match */
	uint32_t column;
	const char *pattern;
};

struct tsp_query { /* all in the arena of tsp_query_parse */
	bool has_range;
	/* requested_timerange, or from the least to the greatest of requested_times; both ends
	 * belong to it. */
	int64_t begin, end;
	uint32_t n_times; /* how many points of it are shown; 0: not said */
	const int64_t *times;
	size_t n_given;	      /* of times */
	const int64_t *items; /* entries */
	size_t n_items;
	bool has_items;
	/* Tables. */
	bool has_index, has_count, is_search, has_direction, is_backward;
	uint64_t index, count;
	const int64_t *columns; /* wanted ones */
	size_t n_columns;
	struct tsp_search searches[TSP_MAX_SEARCHES];
	size_t n_searches;
	/* What a tooltip is of. */
	const char *element; /* "state", "arrow", "annotation"; NULL: not said */
	int64_t element_time, element_duration;
	int64_t element_entry, element_target; /* -1: not said */
	/* Annotations. */
	const char *const *categories;
	size_t n_categories;
	bool has_categories;
	/* Traces, experiments, derived outputs; NULL: not said. */
	const char *uri, *name, *type, *host;
	const char *const *traces; /* their UUIDs */
	size_t n_traces;
	bool has_traces;
	int64_t tid; /* -1: not said */
	/* Which states are meant: expressions (filter.h), all of which are to fit; states that do
	 * not are dimmed, or left out. */
	const char *const *dimmed, *const *excluded;
	size_t n_dimmed, n_excluded;
	bool is_deep; /* also those too short to be shown */
	/* Bookmarks. */
	bool has_start, has_end;
	int64_t start_time, end_time;
};

/* MER_ERR_USAGE: the body is no such thing; err says what is wrong, and where. */
int tsp_query_parse(const char *body, size_t len, struct mer_arena *arena, struct tsp_query *q,
	struct mer_err *err);
/* Is the entry one of those that were asked for? Without a list all are. */
bool tsp_is_asked(const struct tsp_query *q, int64_t entry);

#endif
