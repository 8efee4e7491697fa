/* From states: a world that begins at a checkpoint says of its part of the time what one says for
 * which everything was read. Tried on a scenario for a state at each of its events, and for several
 * ends: so a scenario for one rule of the model shows, too, that a state has what the rule needs.
 */
#ifndef TESTS_KERNEL_FROM_STATES_H
#define TESTS_KERNEL_FROM_STATES_H

/* Times of the scenario are "123us ". */
void from_states_check(const char *scenario);

#endif
