/* Deal: which rank of an MPI job reads which traces.
 *
 * All traces of a host go to one rank, where an experiment joins them as it would join all. Which
 * traces are of one host only an experiment of all knows for sure: here traces that share a host
 * name, or the id of a clock or a trace, stay together, which may be more of them. Every rank deals
 * for itself, from the same list, to the same result. */
#ifndef MER_CLI_RANKS_DEAL_H
#define MER_CLI_RANKS_DEAL_H

#include "base/walk.h"
#include "session/selection.h"

enum { DEAL_NOBODY = UINT32_MAX };

struct deal_trace {	/* found by the ranks of a place at one of the question's words */
	uint32_t place; /* whose ranks see the same files: a node and a current folder */
	uint32_t word;
	const char *path;
	const char *why; /* it cannot be opened; NULL: it can */
	bool is_missing; /* nothing was found there: path is the word */
	/* Of a word whose traces are read together only: the experiment chooses among them, or says
	 * something of the folder. */
	bool is_whole;
	uint64_t bytes;
	struct session_texts hosts, ids; /* names; of clocks and traces */
	const int32_t *cpus;
	size_t n_cpus;
	/* Set by deal(): the rank that reads it; its place sees less of the host than another. */
	uint32_t rank;
	bool is_less;
};

/* Sends or receives all but what deal() sets. */
void deal_walk(struct mer_walk *w, struct deal_trace *t);

/* Hosts go to the rank that has least, the largest first, where most of their bytes are seen.
 * What cannot be opened goes along with other traces of its place, to be reported with them. Sorts
 * the traces, and leaves out words that are missing where other places have them. places: by rank.
 * False: no memory. */
bool deal(struct deal_trace *traces, size_t *n, const uint32_t *places, uint32_t n_ranks);

/* The words of this rank's own question: words of which it reads everything, else paths. Returns
 * how many; out has room for n + n_words. */
size_t deal_words(const struct deal_trace *traces, size_t n, uint32_t rank, uint32_t place,
	const char *const *words, size_t n_words, const char **out);

#endif
