/* Waits for what a task started itself: joins and waits for children (blocked.h). */
#include "path/blocked.h"

static bool is_descendant(const struct blocked *b, uint32_t host, const struct blocked_wait *w)
{
	enum { GENERATIONS = 16 };
	const struct kernel_host *h = &b->world->hosts[host];
	uint32_t task = w->by_task, of = blocked_process(b, host, w->task);
	for (int i = 0; i < GENERATIONS && task != KERNEL_NONE && w->by_host == host; i++) {
		task = b->hosts[host].leaders[task];
		if (i && blocked_process(b, host, task) == of)
			return true;
		task = h->tasks[task].born ? h->tasks[task].parent : KERNEL_NONE;
	}
	return false;
}

static bool is_wait_for_child(const struct kernel_host *h, const struct blocked_wait *w)
{
	return kernel_classes(h, w->call) & KERNEL_CALLS_WAIT;
}

/* When a thread exits, the kernel wakes the tasks that wait at the address which the thread had
 * registered (clear_child_tid). */
static bool is_join(const struct blocked *b, uint32_t host, const struct blocked_wait *w)
{
	const struct kernel_host *h = &b->world->hosts[host];
	if (w->whole == w->span &&
		(w->by_host != host || w->by_task == KERNEL_NONE || w->by_task == w->task ||
			blocked_process(b, host, w->by_task) != blocked_process(b, host, w->task)))
		return false; /* which its spans need not say */
	const struct kernel_span *wait = kernel_span_kept(h, w->span);
	const struct kernel_span *by = wait ? kernel_span_kept(h, wait->by) : NULL;
	return by && by->task != w->task && by->call != KERNEL_NONE &&
	       blocked_process(b, host, by->task) == blocked_process(b, host, w->task) &&
	       kernel_classes(h, by->call) & KERNEL_CALLS_EXIT;
}

enum blocked_started blocked_started_of(
	const struct blocked *b, uint32_t host, const struct blocked_wait *w)
{
	const struct kernel_host *h = &b->world->hosts[host];
	switch ((enum kernel_cause)w->cause) {
	case KERNEL_FUTEX: return is_join(b, host, w) ? BLOCKED_THREAD : BLOCKED_NOT_STARTED;
	case KERNEL_TASK:
	case KERNEL_PIPE:
		if (is_join(b, host, w))
			return BLOCKED_THREAD;
		return is_wait_for_child(h, w) || is_descendant(b, host, w) ? BLOCKED_CHILD
									    : BLOCKED_NOT_STARTED;
	case KERNEL_NO_CAUSE: return is_wait_for_child(h, w) ? BLOCKED_CHILD : BLOCKED_NOT_STARTED;
	default: return BLOCKED_NOT_STARTED;
	}
}
