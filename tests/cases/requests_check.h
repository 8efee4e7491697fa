/* Requests check: what holds for the requests of any recording. */
#ifndef TESTS_REQUESTS_CHECK_H
#define TESTS_REQUESTS_CHECK_H

#include "recording.h"
#include "requests/requests.h"

/* Exchanges of a connection do not overlap, children lie within their parents, parts add up, and
 * paths are paths; parts of some are what they are among those of all. Failures fail the test. */
void requests_check(const struct requests *r);

/* Those of a recording on the clocks of a result, and the world that they are of; both are freed
 * by the caller. */
struct kernel_world *requests_check_find(
	const struct recording *r, const struct sync_result *result, struct requests **found);

#endif
