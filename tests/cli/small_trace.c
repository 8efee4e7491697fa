/* The trace of tests/trace, for the tests here. */
#include "../trace/small_trace.c"
