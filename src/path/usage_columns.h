/* Columns of what was used besides CPU time (path/usage.h), for programs. */
#ifndef MER_PATH_USAGE_COLUMNS_H
#define MER_PATH_USAGE_COLUMNS_H

#include "base/table.h"
#include "path/usage.h"

/* Where a kind is; behind what was freed comes the difference. */
#define USAGE_AT(kind) ((kind) <= USAGE_PAGES_FREED ? (kind) : (kind) + 1)
enum { USAGE_NET = USAGE_PAGES_FREED + 1, USAGE_N_COLUMNS = USAGE_N_KINDS + 1 };
#define USAGE_COLUMNS(first, of)                                                                   \
	[first + USAGE_AT(USAGE_PAGES_ALLOCATED)] = { of "_allocated_bytes", NULL, MER_BYTES },    \
		 [first + USAGE_AT(USAGE_PAGES_FREED)] = { of "_freed_bytes", NULL, MER_BYTES },   \
		 [first + USAGE_NET] = { of "_net_bytes", NULL, MER_BYTES },                       \
		 [first + USAGE_AT(USAGE_FAULTS)] = { of "_faults", NULL, MER_COUNT },             \
		 [first + USAGE_AT(USAGE_FILES_READ)] = { of "_file_read_bytes", NULL,             \
			 MER_BYTES },                                                              \
		 [first + USAGE_AT(USAGE_FILES_WRITTEN)] = { of "_file_written_bytes", NULL,       \
			 MER_BYTES },                                                              \
		 [first + USAGE_AT(USAGE_BLOCK_READ)] = { of "_block_read_bytes", NULL,            \
			 MER_BYTES },                                                              \
		 [first + USAGE_AT(USAGE_BLOCK_WRITTEN)] = { of "_block_written_bytes", NULL,      \
			 MER_BYTES },                                                              \
		 [first + USAGE_AT(USAGE_REQUESTS)] = { of "_requests", NULL, MER_COUNT },         \
		 [first + USAGE_AT(USAGE_SOCKETS_RECEIVED)] = { of "_socket_received_bytes", NULL, \
			 MER_BYTES },                                                              \
		 [first + USAGE_AT(USAGE_SOCKETS_SENT)] = { of "_socket_sent_bytes", NULL,         \
			 MER_BYTES },                                                              \
		 [first + USAGE_AT(USAGE_PACKETS_RECEIVED)] = { of "_received_packets", NULL,      \
			 MER_COUNT },                                                              \
		 [first + USAGE_AT(USAGE_PACKETS_SENT)] = { of "_sent_packets", NULL, MER_COUNT }

/* The cells of those columns, from the first one on. known: kinds that were recorded, as bits. */
void usage_put_cells(struct mer_cell *cells, const int64_t *used, unsigned known);

#endif
