#include "server/turns.h"

void turns_init(struct turns *t)
{
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	t->came = t->left = 0;
}

void turns_fini(struct turns *t)
{
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
}

void turns_take(struct turns *t)
{
	pthread_mutex_lock(&t->lock);
	uint64_t number = t->came++;
	while (number != t->left)
		pthread_cond_wait(&t->changed, &t->lock);
	pthread_mutex_unlock(&t->lock);
}

void turns_done(struct turns *t)
{
	pthread_mutex_lock(&t->lock);
	t->left++;
	pthread_cond_broadcast(&t->changed); /* they are few, and only one knows its number */
	pthread_mutex_unlock(&t->lock);
}
