/* Saves the requests that were found, with what is looked at afterwards: finding them anew takes
 * longer than reading them. */
#ifndef MER_STORE_FOUND_REQUESTS_H
#define MER_STORE_FOUND_REQUESTS_H

#include "requests/requests.h"
#include "store/sections.h"

/* Before own ones (requests/own.h) are added. */
void store_put_found_requests(struct store_writer *w, const struct requests *r);
/* w: the saved world, without its packets of which only one end was seen, which it gets: call
 * store_drop_singles in any case. Free *r with requests_free. Its log has actions, dirt, and of
 * sockets owner and object. MER_ERR_INPUT: damaged or missing. */
int store_get_found_requests(const struct store_file *f, struct kernel_world *w,
	struct requests **r, struct mer_err *err);
void store_drop_singles(struct kernel_world *w);

#endif
