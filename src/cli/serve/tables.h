/* Tables: commands whose answers viewers of the Trace Server Protocol show. */
#ifndef MER_CLI_SERVE_TABLES_H
#define MER_CLI_SERVE_TABLES_H

#include "server/server.h"

extern const struct server_table cli_serve_tables[];
extern const struct server_words cli_serve_words;

#endif
