/* Names of services: what a port is known for, "http" of 80. */
#ifndef MER_ASK_REQUESTS_SERVICE_NAME_H
#define MER_ASK_REQUESTS_SERVICE_NAME_H

#include <stdint.h>

/* Of a TCP port; NULL: none is known. The text lives until the next call. */
const char *ask_service_name(uint16_t port);

#endif
