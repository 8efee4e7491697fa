/* Cut files: what becomes of a mapped file that another program makes shorter. Reading behind its
 * new end is a SIGBUS. A program that answers once ends with a message; a server goes on: it reads
 * zeros there, and knows that what it read is not to be believed. */
#ifndef MER_BASE_CUT_FILES_H
#define MER_BASE_CUT_FILES_H

#include <stdbool.h>

/* From now on, in all threads. otherwise: what to do where no zeros can be put, with the signal's
 * number; it does not return. */
void mer_cut_files_survive(void (*otherwise)(int));
/* A file was cut while it was read, at any time since then. */
bool mer_cut_files_seen(void);

#endif
