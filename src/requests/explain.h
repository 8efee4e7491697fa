/* Explain: why the slow requests of a kind are slow. The mean path of the slow requests is compared
 * with that of typical requests with the same work (like.h), part by part; the differences of the
 * parts sum to the difference of the means. For each part, culprits (culprits.h) are compared, too:
 * their differences are never more than that of the part.
 *
 * The mean of two populations explains neither. So slow requests are split where there is
 * evidence that they are not of one population (groups.h), and each group is explained by
 * itself. Groups with the same main reason are joined again. */
#ifndef MER_REQUESTS_EXPLAIN_H
#define MER_REQUESTS_EXPLAIN_H

#include "requests/culprits.h"
#include "requests/groups.h"

enum { REQUESTS_CULPRITS = 32 };

/* What one culprit took, however the requests met it (requests_is_last): a task with a CPU, a
 * disk or a lock, by host and program; losses. Time without such a culprit is listed by host,
 * program, request and part. So each moment of a request has one reason. */
struct requests_reason {
	uint32_t host;
	uint32_t program; /* name, in the explanation's names; of a last culprit: that waited most
			   */
	uint32_t in;  /* kind of the request that the time is of: the slow one, one below it, or one
			 that it waited for */
	uint8_t part; /* enum requests_part_kind */
	/* Of a last culprit: */
	bool is_last;	   /* it has one */
	bool is_in_many;   /* others than host and program met it for more than a tenth */
	uint8_t deed, and; /* enum requests_deed: what took most of it, and the next one if that is
			      more than a tenth; the same: it is not */
	uint32_t by_host, by;	     /* its program, in the names; "": none */
	int64_t slow_ns, typical_ns; /* a request */
	int64_t ns;		     /* the difference */
	/* Of the difference, the greatest first; ns: more than in a typical request. */
	struct requests_culprit culprits[REQUESTS_CULPRITS];
	unsigned n_culprits;
};

/* A wait for other requests, which may be slow for a reason of their own, and nobody else is known.
 */
bool requests_is_for_others(const struct requests_reason *r);
/* No such wait, and its culprit is known. */
bool requests_is_cause(const struct requests_reason *r);

struct requests_choice {  /* which are the slow ones; zeroed: the slowest 20th, see explain.c */
	int64_t above_ns; /* all that took longer; 0: not given */
	uint32_t slowest; /* so many; 0: not given */
	uint32_t only;	  /* this exchange, plus 1, slow or not; 0: not given */
};

struct requests_explanation { /* of a group */
	struct mer_arena arena;
	struct mer_intern names;
	struct requests_group group;
	uint32_t kind, n_slow, n_typical; /* typical: that were compared */
	bool is_one;			  /* of the one request that was chosen */
	bool is_like;	  /* all were compared with typical ones of their own class */
	uint32_t example; /* the slowest one */
	uint32_t middle;  /* of the typical ones that it was compared with; KERNEL_NONE: none */
	int64_t first_begin, last_begin; /* of the slow ones */
	uint32_t n_meanwhile;		 /* of the kind, that began between these */
	int64_t slow_ns, typical_ns;	 /* means */
	struct requests_reason *reasons; /* malloc'ed; the greatest difference first */
	size_t n, cap;
};

struct requests_explanations {
	uint32_t kind;
	uint32_t n_all, n_chosen; /* with a latency; of these, that are slow by the choice */
	int64_t slowest_ns, slow_from_ns;		     /* the fastest of the slow ones */
	int64_t first_begin, last_begin;		     /* of all */
	struct requests_explanation *group[REQUESTS_GROUPS]; /* by what their main causes cost */
	unsigned n;
};

/* Of the exchanges in `which` those of the kind. Typical are those from p40 to p60. Windows and
 * requests of connections with lost events are left out. n 0: there is nothing to compare, because
 * none or almost all are slow; n_all and n_chosen say so. In any case
 * requests_explanations_fini. */
int requests_explain(const struct requests_kinds *k, struct requests_parts_finder *f,
	const uint32_t *which, uint32_t n, uint32_t kind, const struct requests_choice *choice,
	struct requests_explanations *x, struct mer_err *err);
void requests_explanations_fini(struct requests_explanations *x);

#endif
