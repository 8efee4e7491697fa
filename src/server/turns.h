/* Turns: a fair lock. Threads get it in the order in which they came, which a mutex does not
 * guarantee. */
#ifndef MER_SERVER_TURNS_H
#define MER_SERVER_TURNS_H

#include <pthread.h>
#include <stdint.h>

struct turns {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t came, left; /* numbers of threads that came, and that are done */
};

void turns_init(struct turns *t);
void turns_fini(struct turns *t); /* nobody may have a turn or wait for one */
/* Waits for the caller's turn. */
void turns_take(struct turns *t);
void turns_done(struct turns *t);

#endif
