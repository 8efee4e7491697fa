/* Query: the body of a Trace Server Protocol request, parsed into a struct. The body is
 * untrusted.
 *
 * A body is {"parameters": {...}}, or, from some clients, the parameters alone, or empty. Missing
 * members stay unset; a member with a wrong type or a bad value is an error that names it; unknown
 * members are ignored. */
#ifndef MER_SERVER_TSP_QUERY_H
#define MER_SERVER_TSP_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"

enum {
	TSP_MAX_ITEMS = 100000,
	TSP_MAX_TIMES = 16384,	/* points of a chart, at most, even if more are requested */
	TSP_MAX_LINES = 5000,	/* lines of a table per request, likewise */
	TSP_MAX_SEARCHES = 16,	/* columns that are searched */
	TSP_MAX_PATTERN = 1000, /* bytes of a search pattern */
	TSP_MAX_FILTERS = 16,	/* filter expressions of one kind */
};

struct tsp_search { /* a column, and the regular expression that it must match */
	uint32_t column;
	const char *pattern;
};

struct tsp_query { /* all in the arena of tsp_query_parse */
	bool has_range;
	/* requested_timerange, or from the smallest to the largest of requested_times; both ends
	 * are included. */
	int64_t begin, end;
	uint32_t n_times; /* number of points to show; 0: not given */
	const int64_t *times;
	size_t n_given;	      /* of times */
	const int64_t *items; /* entries */
	size_t n_items;
	bool has_items;
	/* Tables. */
	bool has_index, has_count, is_search, has_direction, is_backward;
	uint64_t index, count;
	const int64_t *columns; /* the columns to return */
	size_t n_columns;
	struct tsp_search searches[TSP_MAX_SEARCHES];
	size_t n_searches;
	/* What a tooltip describes. */
	const char *element; /* "state", "arrow", "annotation"; NULL: not given */
	int64_t element_time, element_duration;
	int64_t element_entry, element_target; /* -1: not said */
	/* Annotations. */
	const char *const *categories;
	size_t n_categories;
	bool has_categories;
	/* Traces, experiments, derived outputs; NULL: not given. */
	const char *uri, *name, *type, *host;
	const char *const *traces; /* their UUIDs */
	size_t n_traces;
	bool has_traces;
	int64_t tid; /* -1: not said */
	/* Filter expressions (filter.h). A state that does not match all of them is dimmed, or
	 * left out. */
	const char *const *dimmed, *const *excluded;
	size_t n_dimmed, n_excluded;
	bool is_deep; /* also filter states that are too short to be shown */
	/* Bookmarks. */
	bool has_start, has_end;
	int64_t start_time, end_time;
};

/* MER_ERR_USAGE: the body is invalid; err says what is wrong, and where. */
int tsp_query_parse(const char *body, size_t len, struct mer_arena *arena, struct tsp_query *q,
	struct mer_err *err);
/* Is the entry among the requested ones? Without a list, all are. */
bool tsp_is_asked(const struct tsp_query *q, int64_t entry);

#endif
