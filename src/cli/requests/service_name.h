/* Names of services: what a port is known for, "http" of 80. */
#ifndef MER_CLI_SERVICE_NAME_H
#define MER_CLI_SERVICE_NAME_H

#include <stdint.h>

/* Of a TCP port; NULL: none is known. The text lives until the next call. */
const char *cli_service_name(uint16_t port);

#endif
