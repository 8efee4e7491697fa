/* Sums of an explanation: how much time of slow requests and of typical ones each reason and
 * culprit has, and what took most time of each slow one. For explain.c only.
 *
 * The time of one culprit is one reason, however the requests met it (culprits.h); the rest of a
 * part is a reason of that part. */
#ifndef MER_REQUESTS_EXPLAIN_SUMS_H
#define MER_REQUESTS_EXPLAIN_SUMS_H

#include "requests/explain.h"
#include "requests/explain_told.h"

/* Those that are one culprit. */
struct requests_doer {
	double typical_ns; /* the mean */
	int64_t now;	   /* of the request that is added */
	bool is_cause;	   /* no wait for other requests, which are slow for some reason */
};

/* What took most of a slow request. */
enum { REQUESTS_LONGEST = 6 };
struct requests_led {
	uint32_t place; /* of the request */
	int64_t ns;	/* its latency */
	struct {
		uint32_t doer; /* plus 1 */
		int64_t ns;
	} longest[REQUESTS_LONGEST];
};

/* Of which sums something told is. */
struct requests_explaining_what {
	bool is_known;
	bool is_last; /* a last culprit, of a reason of its own */
	uint32_t reason;
	uint32_t sum, doer; /* of a culprit */
	uint32_t victim;    /* of a last culprit */
	uint32_t example;   /* number in examples_ns; KERNEL_NONE: not looked for */
};

struct requests_sum;
struct requests_victim;
struct requests_explaining {
	const struct requests_kinds *k;
	struct requests_culprits *finder;
	struct requests_told *told;	/* of all explanations */
	struct requests_explanation *x; /* its names, reasons and means */
	struct mer_err *err;
	struct requests_explaining_what *what; /* by number of what is told */
	size_t cap_what;
	struct mer_map reasons;	 /* hash of what it is -> number, plus 1 */
	struct mer_map culprits; /* hash -> number in sums, plus 1 */
	struct requests_sum *sums;
	size_t n_sums, cap_sums;
	struct mer_map victim_of; /* hash of a reason and who met it -> number, plus 1 */
	struct requests_victim *victims;
	size_t n_victims, cap_victims;
	struct mer_map examples; /* hash of a sum and a request -> number in examples_ns, plus 1 */
	int64_t *examples_ns;	 /* of all slow requests */
	size_t n_examples, cap_examples;
	int64_t *slow;	 /* by reason: ns of all */
	double *typical; /* the mean */
	size_t cap_slow, cap_typical;
	struct mer_map doer_of; /* key -> number, plus 1 */
	struct requests_doer *doers;
	size_t n_doers, cap_doers;
	uint32_t *touched; /* doers of the request that is added */
	size_t n_touched, cap_touched;
	struct requests_led *leds; /* by slow request */
	size_t n_leds, cap_leds;
};

/* weight: of a typical request in their mean; 0: it is a slow one. */
int requests_explaining_add(struct requests_explaining *e, uint32_t exchange, double weight);
/* The longest of the slow request that was added. False: no memory. */
bool requests_explaining_lead(struct requests_explaining *e, uint32_t place, int64_t ns);
/* Differences of the means, of which the greatest takes what rounding left. False: no memory. */
bool requests_explaining_compare(struct requests_explaining *e);
void requests_explaining_fini(struct requests_explaining *e);

/* The same for those that are one culprit, whichever task waited. */
uint64_t requests_culprit_key(const struct requests_kinds *k, struct requests_culprits *finder,
	const struct requests_culprit *c);
/* Its last culprit serves no request, or was a loss: it is one, whoever met it. */
bool requests_is_of_none(struct requests_culprits *finder, const struct requests_reason *r);

#endif
