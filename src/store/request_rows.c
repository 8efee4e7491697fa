#include "store/request_rows.h"

#include <stddef.h>

/* The bit fields of an action are stored as one 32-bit number; they lie between its socket and its
 * exchange. */
enum { BITS_AT = offsetof(struct requests_action, socket) + sizeof(uint32_t) };
_Static_assert(offsetof(struct requests_action, exchange) == BITS_AT + sizeof(uint32_t),
	"the bits of an action are 32");

static const struct store_column action_columns[] = { STORE_COLUMN(requests_action, begin, DELTA),
	STORE_COLUMN_SINCE(requests_action, end, begin), STORE_COLUMN(requests_action, task, DICT),
	STORE_COLUMN(requests_action, socket, DICT),
	{ .at = BITS_AT, .bytes = sizeof(uint32_t), .packing = STORE_DICT },
	STORE_COLUMN(requests_action, exchange, PLAIN) };
const struct store_columns store_request_actions = STORE_COLUMNS(requests_action, action_columns);

static const struct store_column dirt_columns[] = { STORE_COLUMN(requests_dirt, since, DELTA),
	STORE_COLUMN(requests_dirt, bytes, DICT), STORE_COLUMN(requests_dirt, task, DICT) };
const struct store_columns store_request_dirt = STORE_COLUMNS(requests_dirt, dirt_columns);

static const struct store_column single_columns[] = { STORE_COLUMN(kernel_single, time, DELTA),
	STORE_COLUMN(kernel_single, source, DICT), STORE_COLUMN(kernel_single, destination, DICT),
	STORE_COLUMN(kernel_single, host, DICT), STORE_FLAG(kernel_single, is_send),
	STORE_FLAG(kernel_single, opens), STORE_FLAG(kernel_single, leaves) };
const struct store_columns store_request_singles = STORE_COLUMNS(kernel_single, single_columns);
