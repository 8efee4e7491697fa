#include "analysis/facts/futex_holders.h"

#include <stdlib.h>

struct futex_holder *futex_holder_of(struct futex_holders *s, uint64_t address, int32_t pid)
{
	uint64_t words[2] = { address, (uint32_t)pid };
	uint64_t hash = mer_hash(words, sizeof(words));
	for (;; hash++) { /* the hash belongs to another futex: try the next number */
		uint32_t *at = mer_map_put(&s->map, hash);
		if (!at)
			return NULL;
		if (*at) {
			struct futex_holder *x = &s->all[*at - 1];
			if (x->address == address && x->pid == pid)
				return x;
			continue;
		}
		struct futex_holder *x = mer_grow_at(&s->all, &s->cap, s->n, sizeof(*x));
		if (!x)
			return NULL;
		*x = (struct futex_holder){ address, pid, KERNEL_NONE };
		*at = (uint32_t)++s->n;
		return x;
	}
}

bool futex_holders_follow(struct futex_holders *s, const struct kernel_host *h,
	const struct kernel_call_end *c, bool is_wait)
{
	int32_t pid = h->tasks[c->task].pid;
	if (!c->args[KERNEL_ARG_FUTEX] || pid < 0 || (is_wait && c->ret != 0))
		return true;
	struct futex_holder *x = futex_holder_of(s, c->args[KERNEL_ARG_FUTEX], pid);
	if (!x)
		return false;
	if (is_wait || x->task == c->task)
		x->task = is_wait ? c->task : KERNEL_NONE;
	return true;
}

void futex_holders_fini(struct futex_holders *s)
{
	mer_map_fini(&s->map);
	free(s->all);
	*s = (struct futex_holders){ 0 };
}
