/* What holds for every path and every world, whatever was recorded. */
#ifndef TESTS_PATH_CHECK_H
#define TESTS_PATH_CHECK_H

#include "path/path.h"

/* Segments follow one another without gap or overlap from begin to end, none is empty, all sums are
 * theirs; each lies in the span it names; each change of (host, task) is one link and each link a
 * change; so the links, followed backwards, lead through the same tasks. */
void path_check(const struct path *p);

/* Whether a path over a part of the window of another is that one cut to it. */
void path_check_cut(const struct path *whole, const struct path *part);

/* Spans tile the life of every task; no CPU runs two tasks at a time, and no task is on two; what
 * spans refer to is there. */
void world_check(const struct kernel_world *w);

#endif
