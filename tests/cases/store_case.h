/* A world that was saved and opened again is the same: all of its tables and spans, and what is
 * made of them; and it is that of a reading without anything that only the store wants. Damage is
 * noticed, and harms nobody. Cases for cmocka: *state is the name of a recording. */
#ifndef TESTS_CASES_STORE_CASE_H
#define TESTS_CASES_STORE_CASE_H

void store_case_same(void **state);
void store_case_damage(void **state);
void store_case_key(void **state);

#endif
