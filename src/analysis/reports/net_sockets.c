/* Sockets: what programs send and receive by system calls, by the name of the socket (its peer,
 * where that is known). Bytes are those of the calls, without headers and retransmissions. Unix
 * sockets are in this table only: they use no network. */
#include "analysis/all.h"
#include "analysis/cells.h"
#include "kernel/io_op.h"
#include "analysis/reports/net.h"
#include "kernel/files/files.h"

const struct mer_column net_sockets_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "socket", "socket", MER_TEXT }, { "bytes", NULL, MER_BYTES },
	{ "sent_bytes", "sent", MER_BYTES }, { "received_bytes", "received", MER_BYTES },
	{ "sends", "sends", MER_COUNT }, { "receives", "receives", MER_COUNT },
	{ "errors", "errors", MER_COUNT }, { "total_ns", "time", MER_DURATION },
	{ "kind", "kind", MER_TEXT }, { 0 } };

#define WAY_IS(way_) .where = { "way", FOLD_IS, (way_), 0 }
const struct fold net_sockets = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_io },
	.ignores = FOLD_BY_DURATION | FOLD_BY_NAME | FOLD_BY_SIZE,
	.group = "host thread socket kind",
	.where = { { "kind", FOLD_ONE_OF, 1 << KERNEL_OBJECT_SOCKET | 1 << KERNEL_OBJECT_UNIX, 0 },
		{ "way", FOLD_IS_NOT, IO_MOVES_NONE, 0 } },
	.cells = (const struct fold_cell[]){ { "bytes", FOLD_SUM, .of = "bytes" },
		{ "sent_bytes", FOLD_SUM, .of = "bytes", WAY_IS(IO_MOVES_OUT) },
		{ "received_bytes", FOLD_SUM, .of = "bytes", WAY_IS(IO_MOVES_IN) },
		{ "sends", FOLD_COUNT, WAY_IS(IO_MOVES_OUT) },
		{ "receives", FOLD_COUNT, WAY_IS(IO_MOVES_IN) },
		{ "errors", FOLD_COUNT, .where = { "ret_value", FOLD_FROM_TO, INT64_MIN, -1 } },
		{ "total_ns", FOLD_SUM, .of = "duration_ns" }, { 0 } },
};
