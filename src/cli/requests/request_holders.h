/* What held up one request: which tasks had the CPU, disk, lock, connection of a pool or server
 * that it waited for, and for which request. The same as requests --explain shows for many
 * (requests/culprits.h). */
#ifndef MER_CLI_REQUESTS_REQUEST_HOLDERS_H
#define MER_CLI_REQUESTS_REQUEST_HOLDERS_H

#include "ask/answer.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/requests/one_request.h"
#include "requests/culprits.h"

struct cli_request_holder {
	uint32_t host, task;	    /* the waiting task; KERNEL_NONE: no task */
	struct requests_culprit by; /* with the sum of its time */
};

struct cli_request_holders {
	const struct cli_request *q;
	struct requests_kinds kinds;
	struct cli_request_holder *item; /* the longest first */
	size_t n, cap;
};

/* For q->number, from q->parts, which know which task served which request at that time.
 * cli_request_holders_fini in any case. */
int cli_request_holders_find(struct cli *cli, struct cli_request *q, struct cli_request_holders *x);
void cli_request_holders_fini(struct cli_request_holders *x);
/* For people; nothing if there are none. */
void cli_request_holders_text(
	struct cli *cli, const struct cli_request_holders *x, struct mer_str *out);
/* The table "held_up_by", beside the others: the longest first. x outlives the answer. */
void cli_request_holders_table(const struct cli_request_holders *x, struct answer *a);
/* "held_up_by": [...] */
void cli_request_holders_json(
	struct cli *cli, const struct cli_request_holders *x, struct mer_json *j);

#endif
