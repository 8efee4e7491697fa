/* Columns of waits: the members of an array of struct blocked_wait as packed numbers. */
#ifndef MER_STORE_WAIT_COLUMNS_H
#define MER_STORE_WAIT_COLUMNS_H

#include "path/blocked.h"
#include "store/sections.h"

enum store_wait_column {
	STORE_WAIT_BEGIN,
	STORE_WAIT_END,
	STORE_WAIT_RUN,
	STORE_WAIT_ASKED,
	STORE_WAIT_TASK,
	STORE_WAIT_SPAN,
	STORE_WAIT_WHOLE,
	STORE_WAIT_BY_HOST,
	STORE_WAIT_BY_TASK,
	STORE_WAIT_CALL,
	STORE_WAIT_FLAGS,
	STORE_WAIT_ASKER,
	STORE_WAIT_COLUMNS
};

enum { STORE_WAIT_PIECES = 1 << 24 };

struct store_waits_array { /* of a host */
	const struct kernel_world *world;
	struct blocked_wait *waits;
	size_t n;
	uint32_t host, n_processes; /* processes: of all hosts */
	/* The spans will not be there. Column SPAN has the disk, WHOLE what the task started, and `whole`, which is
	 * then how many waits of the task later the last piece is. */
	bool is_kept;
	bool bad; /* read: numbers of what is not there */
	/* inside */
	enum store_wait_column column;
};

/* Of a column of the array; type and number of the section are the caller's. */
void store_put_wait_column(struct store_writer *w, const struct store_waits_array *a,
	enum store_wait_column column, uint32_t type, uint32_t number);
/* In the order of the columns, as some depend on earlier ones. False: not there, or damaged. */
bool store_get_wait_column(const struct store_file *f, struct store_waits_array *a,
	enum store_wait_column column, uint32_t type, uint32_t number);

#endif
