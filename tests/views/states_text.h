/* What a view finds in the events of one host, as text. Times are in ms.
 *
 *   1-7 R: x own 4 tid 7          state x of row R: begin, end, its own time, thread
 *   2-4 R: y own 2 in x tid 7     within x
 *   ... #3b7dd8                   with COLOURS
 *   3 R = 5                       a value
 *   3 R mark x
 *   unbegun 1                     doubts
 *   row R under U 2               a row, and how many states it has
 *   lane 7: 1-2 x 2-4 y           the pieces of a thread
 *   note: view a: ...             what is told */
#ifndef TESTS_STATES_TEXT_H
#define TESTS_STATES_TEXT_H

enum states_what { STATES = 1, PIECES = 2, ROWS = 4, NOTES = 8, COLOURS = 16 };

/* trace: lines of a scenario, of trace h/ust, whose events have the context vtid. view: a file
 * without its line "view a", or XML. */
void states_are(enum states_what what, const char *trace, const char *view, const char *expected);

#endif
