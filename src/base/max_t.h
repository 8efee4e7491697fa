/* Two groups of samples, many measures of each sample: which measures differ between the groups?
 *
 * A permutation test of the largest t (Westfall and Young). If the groups do not differ, who is in
 * which is arbitrary: samples are dealt to the groups anew, and the largest |t| of all measures is
 * noted each time. The p of a measure is the share of deals whose largest |t| is at least its own.
 * So p says how likely any of all measures were as different by chance: it is corrected for their
 * number, however they depend on each other, and assumes no distribution. It needs no more samples
 * for more measures, which ranks with Holm's correction would.
 *
 * t is that of two means with one variance. The test compares means: measures that are ratios in
 * nature are given as logarithms. */
#ifndef MER_BASE_MAX_T_H
#define MER_BASE_MAX_T_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MER_MAX_T_DEALS = 10000 }; /* more than so many are not tried one by one, but at random */

struct mer_max_t_measure {
	size_t n[2];	/* samples that have it */
	double mean[2]; /* of these; 0: there are none */
	/* False: it has no t, as too few samples have it, or all the same value; what follows is 0
	 * then, and p 1. */
	bool is_tested;
	double difference; /* of the second group's mean to the first one's */
	double p;
	double half_width; /* see mer_max_t.critical: of the interval around difference; 0: none */
};

struct mer_max_t {
	size_t n_deals; /* that were tried, with the one that there is */
	bool is_exact;	/* these are all */
	double least_p; /* that these numbers of samples can give */
	/* A |t| above has a p of alpha or less. An interval of so many standard errors around each
	 * difference holds for all measures at once, but for a chance of alpha. INFINITY: no p can
	 * be so small. */
	double critical;
};

/* x: a row for each measure: the n[0] samples of the first group, then the n[1] of the second one;
 * NAN: the sample does not have it. measures: n_measures elements. The same input gives the same
 * result. False: no memory. */
bool mer_max_t_test(const double *x, size_t n_measures, const size_t n[2], double alpha,
	struct mer_max_t *all, struct mer_max_t_measure *measures);

/* The smallest p of groups of these sizes, if all deals are tried. */
double mer_max_t_least_p(const size_t n[2]);

#endif
