/* Filter: expressions that select states of a timeline, in the syntax of the viewers' search
 * fields:
 *
 *   openat                           in any text of the state or of its row, in any case of letters
 *   thread==nginx && duration>10ms   a key, an operator, a value
 *   !(state contains "wait") || tid==42
 *
 * Keys: label, state, thread, process, host (text); tid, pid, cpu, duration (numbers; a duration
 * without a unit is ns). Operators: = and == (the same text, in any case of letters), != > >= < <=,
 * contains, matches (regular expression), present (the state has such a value). Texts with blanks
 * or signs in them stand in double quotes. A value that a state does not have never matches. */
#ifndef MER_SERVER_TSP_FILTER_H
#define MER_SERVER_TSP_FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"

enum tsp_text {
	TSP_OF_LABEL,
	TSP_OF_STATE,
	TSP_OF_THREAD,
	TSP_OF_PROCESS,
	TSP_OF_HOST,
	TSP_N_TEXTS
};
enum tsp_number { TSP_OF_TID, TSP_OF_PID, TSP_OF_CPU, TSP_OF_DURATION, TSP_N_NUMBERS };

struct tsp_facts {			/* of a state */
	const char *texts[TSP_N_TEXTS]; /* NULL: there is none */
	int64_t numbers[TSP_N_NUMBERS]; /* below 0: there is none */
};

struct tsp_filter; /* in the arena, except its regular expressions: tsp_filter_fini */

/* MER_ERR_USAGE: syntax error; err says where. */
int tsp_filter_parse(
	const char *text, struct mer_arena *arena, struct tsp_filter **filter, struct mer_err *err);
void tsp_filter_fini(struct tsp_filter *f); /* NULL is allowed */
bool tsp_filter_matches(const struct tsp_filter *f, const struct tsp_facts *facts);

#endif
