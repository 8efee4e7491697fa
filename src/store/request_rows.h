/* Rows of requests that are saved in more than one way: what tasks did with connections, what they
 * wrote, and packets of which one end was seen. */
#ifndef MER_STORE_REQUEST_ROWS_H
#define MER_STORE_REQUEST_ROWS_H

#include "requests/log.h"
#include "store/columns.h"

/* struct requests_action, requests_dirt, kernel_single. */
extern const struct store_columns store_request_actions, store_request_dirt, store_request_singles;

#endif
