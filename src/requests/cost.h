/* Cost: what tasks used on behalf of each request, in all servers: CPU time, memory, disks and
 * network. Each moment of a task belongs to one request, or to none, so that
 *
 *  sum over all requests + what was used for none = what all tasks used
 *
 * A moment belongs to the request that the task served at that moment (requests_served_by). If it
 * served none, but ended a wait of a task that served the same request before and after the wait (a
 * child, a kernel thread that writes the journal), it worked for that request from the begin of the
 * wait on; if several such waits had begun, for the one that it ended first. The same holds for
 * tasks that such a helper waited for. A lock is no such wait: its holder works on something else.
 *
 * What a requester does for requests of its own (a load generator, a browser) is used for none,
 * because it is no server. */
#ifndef MER_REQUESTS_COST_H
#define MER_REQUESTS_COST_H

#include "path/account.h"
#include "path/usage.h"
#include "requests/parts.h"

struct requests_cost {
	int64_t cpu_ns, interrupted_ns; /* on a CPU; of it, while the CPU served interrupts */
	int64_t used[USAGE_N_KINDS];
};

struct requests_charge {
	uint32_t host, task;
	uint32_t exchange; /* plus 1; 0: for none */
	struct requests_cost cost;
};

/* Reports everything that was used in [begin, end); INT64_MIN and INT64_MAX: at any time. A task
 * and request may be reported several times, and no report is empty. u: settled; NULL: CPU time
 * only. tell returns false when it is out of memory. */
int requests_charge(const struct requests_parts_finder *f, const struct requests *r,
	const struct usage *u, int64_t begin, int64_t end,
	bool (*tell)(void *ctx, const struct requests_charge *), void *ctx, struct mer_err *err);

void requests_cost_add(struct requests_cost *sum, const struct requests_cost *c);

/* One request as an account: the task that answered it, below it tasks that answered its requests,
 * and helpers. n_served: requests that the task answered for the one above; of a helper 0. There
 * are no rests, and a->b is NULL. MER_ERR_USAGE: no server was recorded. account_fini in any
 * case. */
int requests_account(const struct requests_parts_finder *f, const struct requests *r,
	const struct usage *u, uint32_t exchange, struct account *a, struct mer_err *err);

#endif
