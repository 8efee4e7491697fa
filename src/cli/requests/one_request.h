/* One request, as --request ID of a verb names it: the traces opened, their requests found, and
 * what is needed to find its parts. */
#ifndef MER_CLI_REQUESTS_ONE_REQUEST_H
#define MER_CLI_REQUESTS_ONE_REQUEST_H

#include "cli/context.h"
#include "requests/parts.h"
#include "session/session.h"

struct cli_request {
	struct session *s;
	struct session_world w;
	struct requests *r;
	struct requests_parts_finder *parts;
	uint32_t number; /* of the exchange */
};

/* Opens cli->args, with aligned clocks, and finds the request. cli_request_close in any case. */
int cli_request_open(struct cli *cli, const char *id, struct cli_request *q);
/* All of them: number is KERNEL_NONE. */
int cli_requests_open(struct cli *cli, struct cli_request *q);
/* With what tasks used, too. */
int cli_requests_open_used(struct cli *cli, enum session_usage usage, struct cli_request *q);
/* Another one of the same traces. */
int cli_request_find(
	struct cli *cli, const struct cli_request *q, const char *id, uint32_t *number);
void cli_request_close(struct cli *cli, struct cli_request *q);

/* MER_ERR_USAGE if options that select tasks or the time are given too: the request does. */
int cli_request_alone(struct cli *cli);

#endif
