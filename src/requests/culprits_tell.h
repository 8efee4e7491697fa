/* How culprits are reported (culprits.h): for culprits.c and culprits_disk.c only. */
#ifndef MER_REQUESTS_CULPRITS_TELL_H
#define MER_REQUESTS_CULPRITS_TELL_H

#include "requests/culprits.h"

enum { REQUESTS_CULPRITS_KEPT = 512 };

struct requests_kept_parts { /* the parts of a request that others waited for */
	struct requests_parts parts;
	uint32_t exchange; /* plus 1 */
};

/* A moment at which a CPU goes to another span: of it the span's task is on the CPU, or has left
 * it. */
struct requests_turn {
	int64_t begin;
	uint32_t span;
	uint8_t is_on;
};

struct requests_done { /* a completed request to a disk */
	int64_t complete;
	uint32_t dev, request;
};

struct requests_disk_service { /* of requests to a disk of one size: */
	int64_t usual_ns;      /* a quarter of them took no longer */
};

struct requests_culprits_host {	     /* made when it is needed */
	struct requests_turn *turns; /* that begin in [begin, end]; NULL: none was looked for */
	int64_t begin, end;
	size_t *turns_of; /* by CPU, and the end */
	uint32_t n_cpus;
	struct requests_done *done; /* by disk, then time */
	size_t n_done;
	bool has_done;
	struct mer_map services; /* disk, size, direction -> number in service, plus 1 */
	struct requests_disk_service *service;
	size_t n_services, cap_services;
	struct mer_map servers; /* processes with a task that acts for a request -> 1 */
	bool has_servers;
	struct mer_map writers; /* second -> who_wrote then, plus 1 */
};

struct requests_culprits {
	const struct requests_kinds *k;
	struct requests_parts_finder *f;
	struct requests_culprits_host *hosts;
	struct requests_kept_parts kept[REQUESTS_CULPRITS_KEPT];
};

/* Of a part, or of one that it waited for in that time. */
struct requests_telling {
	struct requests_culprits *x;
	const struct requests_part *p;
	const struct kernel_host *h;
	bool (*tell)(void *ctx, const struct requests_culprit *c);
	void *ctx;
	int64_t *told; /* everything before it was reported, or has no culprit */
	unsigned depth;
	enum requests_via via;
	/* Of `via`: whoever it was that was waited for, unless it waited for another one. */
	const struct requests_culprit *by;
};

struct requests_culprit requests_culprit_by(
	const struct requests_telling *t, uint32_t task, enum requests_deed deed);
/* The time [begin, end) belongs to this culprit, as far as it lies in the part and no other
 * culprit has it. */
bool requests_culprit_tell(
	const struct requests_telling *t, struct requests_culprit c, int64_t begin, int64_t end);
/* served: exchange, plus 1. */
void requests_culprit_set_request(
	const struct requests_telling *t, struct requests_culprit *c, uint32_t served);
uint32_t requests_culprit_call(const struct kernel_host *h, uint32_t call);

/* For a wait for a disk. own: the blocked span; wait: the one with the call. */
bool requests_culprits_tell_disk(
	const struct requests_telling *t, uint32_t own, const struct kernel_span *wait);

static inline int64_t requests_least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t requests_greatest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

#endif
