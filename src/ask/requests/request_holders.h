/* What held up one request: which tasks had the CPU, disk, lock, connection of a pool or server
 * that it waited for, and for which request. The same as requests --explain shows for many
 * (requests/culprits.h). */
#ifndef MER_ASK_REQUESTS_REQUEST_HOLDERS_H
#define MER_ASK_REQUESTS_REQUEST_HOLDERS_H

#include "ask/answer.h"
#include "base/json.h"
#include "base/str.h"
#include "ask/requests/one_request.h"
#include "requests/culprits.h"

struct ask_request_holder {
	uint32_t host, task;	    /* the waiting task; KERNEL_NONE: no task */
	struct requests_culprit by; /* with the sum of its time */
};

struct ask_request_holders {
	const struct ask_request *q;
	struct requests_kinds kinds;
	struct ask_request_holder *item; /* the longest first */
	size_t n, cap;
};

/* For q->number, from q->parts, which know which task served which request at that time.
 * ask_request_holders_fini in any case. */
int ask_request_holders_find(struct ask *ask, struct ask_request *q, struct ask_request_holders *x);
void ask_request_holders_fini(struct ask_request_holders *x);
/* For people; nothing if there are none. */
void ask_request_holders_text(
	struct ask *ask, const struct ask_request_holders *x, struct mer_str *out);
/* The table "held_up_by", beside the others: the longest first. x outlives the answer. */
void ask_request_holders_table(const struct ask_request_holders *x, struct answer *a);
#endif
