/* Cut files: handles a mapped file that another program truncates. Reading beyond its new end
 * raises SIGBUS. A one-shot command then ends with a message; a server continues: it reads zeros
 * there, and knows that the data cannot be trusted. */
#ifndef MER_BASE_CUT_FILES_H
#define MER_BASE_CUT_FILES_H

#include <stdbool.h>

/* Survive such signals from now on, in all threads. otherwise: called with the signal's number
 * where zeros cannot be mapped; must not return. */
void mer_cut_files_survive(void (*otherwise)(int));
/* Was any file truncated while being read, since that call? */
bool mer_cut_files_seen(void);

#endif
